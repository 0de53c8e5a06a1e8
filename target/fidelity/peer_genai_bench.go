package fidelity

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// GenAIBench is genai-bench: Locust users on one Python process.
var GenAIBench = Peer{
	Name: "genai-bench", Package: "genai-bench", Program: "bin/genai-bench",
	Args: func(t PeerTrial) ([]string, error) {
		n := strconv.Itoa(t.Requests())
		return []string{"benchmark", "--api-backend", "vllm", "--api-base", t.URL, "--api-key", "none",
			"--api-model-name", "sim", "--model-tokenizer", tokenizerFolder(t.Dir), "--task", "text-to-text",
			"--traffic-scenario", fmt.Sprintf("D(16,%d)", t.Tokens), "--num-concurrency", strconv.Itoa(t.Streams),
			"--max-time-per-run", "1", "--max-requests-per-run", n, // minutes
			"--experiment-base-dir", t.Dir, "--experiment-folder-name", "genai-bench", "--log-dir", t.Dir}, nil
	},
	Read: func(t PeerTrial) ([]Reported, error) {
		paths, err := filepath.Glob(filepath.Join(t.Dir, "genai-bench", "D*_num_concurrency_*.json"))
		if err != nil || len(paths) != 1 {
			return nil, fmt.Errorf("got results %v, want one file (%v)", paths, err)
		}
		var answer struct {
			Unit     string `json:"_time_unit"`
			Requests []struct {
				TTFT  *float64 `json:"ttft"`
				TPOT  *float64 `json:"tpot"`
				Error *int     `json:"error_code"`
			} `json:"individual_request_metrics"`
		}
		if err := readJSON(paths[0], &answer); err != nil {
			return nil, err
		}
		scale, ok := map[string]float64{"s": 1, "": 1, "ms": 1e-3}[answer.Unit]
		if !ok {
			return nil, fmt.Errorf("time unit %q: want s or ms", answer.Unit)
		}
		var list []Reported
		for _, r := range answer.Requests {
			if r.Error == nil && r.TTFT != nil && r.TPOT != nil {
				list = append(list, Reported{TTFT: *r.TTFT * scale, ITL: []float64{*r.TPOT * scale}})
			}
		}
		return list, nil
	},
}
