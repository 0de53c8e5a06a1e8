package fidelity

import (
	"fmt"
	"path/filepath"
)

// GuideLLM keeps the first and last time and a count of each answer; its
// inter-token latency is the mean gap of an answer.
var GuideLLM = Peer{
	Name: "guidellm", Package: "guidellm", Program: "bin/guidellm",
	Args: func(t PeerTrial) ([]string, error) {
		return []string{"run", "--disable-console-interactive",
			"--backend", "kind=openai_http,target=" + t.URL + ",model=sim",
			"--profile", fmt.Sprintf("kind=concurrent,streams=%d", t.Streams),
			"--constraint", fmt.Sprintf("kind=max_requests,count=%d", t.Requests()),
			"--data", fmt.Sprintf("kind=synthetic_text,prompt_tokens=16,output_tokens=%d", t.Tokens),
			"--tokenizer", "kind=hf_auto,model=" + tokenizerFolder(t.Dir),
			"--output", "kind=json,path=" + filepath.Join(t.Dir, "guidellm.json")}, nil
	},
	Read: func(t PeerTrial) ([]Reported, error) {
		var answer struct {
			Benchmarks []struct {
				Requests struct {
					Successful []struct {
						Start float64  `json:"request_start_time"`
						TTFT  *float64 `json:"time_to_first_token_ms"`
						ITL   *float64 `json:"inter_token_latency_ms"`
					} `json:"successful"`
				} `json:"requests"`
			} `json:"benchmarks"`
		}
		if err := readJSON(filepath.Join(t.Dir, "guidellm.json"), &answer); err != nil {
			return nil, err
		}
		if len(answer.Benchmarks) != 1 {
			return nil, fmt.Errorf("got %d benchmarks, want one", len(answer.Benchmarks))
		}
		var list []Reported
		for _, r := range answer.Benchmarks[0].Requests.Successful {
			if r.TTFT != nil && r.ITL != nil {
				list = append(list, Reported{Start: r.Start, TTFT: *r.TTFT / 1e3, ITL: []float64{*r.ITL / 1e3}})
			}
		}
		return list, nil
	},
}
