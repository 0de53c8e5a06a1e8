package fidelity

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// AIPerf is a dozen processes; its inter-chunk latency is every gap.
var AIPerf = Peer{
	Name: "aiperf", Package: "aiperf", Program: "bin/aiperf", PerGap: true,
	Args: func(t PeerTrial) ([]string, error) {
		return []string{"profile", "-m", "sim", "--tokenizer", tokenizerName, "-u", t.URL,
			"--endpoint-type", "chat", "--streaming", "--concurrency", strconv.Itoa(t.Streams),
			"--request-count", strconv.Itoa(t.Requests()), "--isl", "16", "--osl", strconv.Itoa(t.Tokens),
			"--use-server-token-count", "--ui", "none", "--output-artifact-dir", filepath.Join(t.Dir, "aiperf")}, nil
	},
	Read: func(t PeerTrial) ([]Reported, error) {
		file, err := os.Open(filepath.Join(t.Dir, "aiperf", "profile_export.jsonl"))
		if err != nil {
			return nil, err
		}
		defer file.Close()
		var list []Reported
		for lines := json.NewDecoder(file); ; {
			r, err := readAIPerf(lines)
			if errors.Is(err, io.EOF) {
				return list, nil
			}
			if err != nil {
				return nil, fmt.Errorf("profile_export.jsonl: %w", err)
			}
			if r.TTFT > 0 {
				list = append(list, r)
			}
		}
	},
}

// readAIPerf reads one record; one without a first token has a TTFT of zero.
func readAIPerf(lines *json.Decoder) (Reported, error) {
	var line struct {
		Metadata struct {
			Start int64 `json:"request_start_ns"`
		}
		Metrics struct {
			TTFT struct {
				Value float64
				Unit  string
			} `json:"time_to_first_token"`
			Gaps struct {
				Value []float64
				Unit  string
			} `json:"inter_chunk_latency"`
		}
	}
	if err := lines.Decode(&line); err != nil {
		return Reported{}, err
	}
	for _, unit := range []string{line.Metrics.TTFT.Unit, line.Metrics.Gaps.Unit} {
		if unit != "ms" && unit != "" {
			return Reported{}, fmt.Errorf("unit %q: want ms", unit)
		}
	}
	r := Reported{Start: float64(line.Metadata.Start) / 1e9, TTFT: line.Metrics.TTFT.Value / 1e3}
	for _, gap := range line.Metrics.Gaps.Value {
		r.ITL = append(r.ITL, gap/1e3)
	}
	return r, nil
}
