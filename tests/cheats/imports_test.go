package cheats

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/tests/program"
	"assay/tests/whole"
)

// A foreignRun is a closed loop of another tool, on its way into that tool's files:
// what was asked for, what is claimed and the single requests.
type foreignRun struct {
	askedRequests           int
	askedInput, askedOutput int
	users                   int
	seconds                 float64 // the window that rates are divided by
	statistics              int     // requests that the latencies are said to rest on
	rows                    []foreignRow
}

// A foreignRow is one request. Times are seconds, sent counts from the first.
type foreignRow struct {
	sent, first, took float64
	input, output     int
}

// honest is a run of a hundred requests by four users who never rest.
func honest() *foreignRun {
	rng := rand.New(rand.NewPCG(7, 11))
	r := &foreignRun{askedRequests: 100, askedInput: 100, askedOutput: 60, users: 4, statistics: 100}
	free := make([]float64, r.users)
	for range 100 {
		user := slices.Index(free, slices.Min(free))
		row := foreignRow{sent: free[user], first: .05 + .01*rng.Float64(), input: 60 + rng.IntN(81), output: 20 + rng.IntN(81)}
		row.took = row.first + float64(row.output)*.01*(1+.1*rng.Float64())
		free[user] += row.took + .0001
		r.seconds = max(r.seconds, row.sent+row.took)
		r.rows = append(r.rows, row)
	}
	return r
}

// A format writes a run as a tool would, into dir, and says what to pass.
type format struct {
	tool  string
	write func(t *testing.T, dir string, r *foreignRun) string
}

var formats = []format{{"genai-bench", writeGenAI}, {"vllm", writeVLLM}, {"aiperf", writeAIPerf}, {"guidellm", writeGuideLLM}}

// Everything that somebody may do to the results of another tool is found when they
// are imported, whatever the tool.
func TestImports(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	cheats := []struct {
		name  string
		do    func(*foreignRun)
		check string // that catches it, with part of what it says; empty for none
		says  string
		not   string // a tool whose files do not hold what it takes
	}{
		{"honest", func(*foreignRun) {}, "", "", ""},
		{"rows written twice", func(r *foreignRun) {
			r.rows = append(r.rows, r.rows...)
			r.askedRequests, r.statistics = 200, 200
		}, "foreign-repeats", "100 of 200 requests have the lengths and latencies of another one", ""},
		{"lengths drawn twice", func(r *foreignRun) {
			for i := 1; i < len(r.rows); i += 2 {
				r.rows[i].input, r.rows[i].output = r.rows[i-1].input, r.rows[i-1].output
				r.rows[i].sent, r.rows[i].took = r.rows[i-1].sent, r.rows[i-1].took+.0003
			}
		}, "foreign-repeats", "the sample is worth", ""},
		{"slow requests left out", func(r *foreignRun) {
			slices.SortFunc(r.rows, func(a, b foreignRow) int { return cmp.Compare(a.took, b.took) })
			r.rows, r.statistics = r.rows[:80], 80
		}, "foreign-counts", "100 requests were asked for, and 80 are in the results", ""},
		{"shorter answers", func(r *foreignRun) {
			for i := range r.rows {
				r.rows[i].output /= 2
			}
		}, "foreign-lengths", "60 output tokens were asked for", "vllm"},
		{"a shorter window", func(r *foreignRun) { r.seconds /= 1.5 }, "foreign-window", "", ""},
		{"a longer window", func(r *foreignRun) { r.seconds *= 1.5 }, "foreign-window", "", ""},
		{"latencies of the best part", func(r *foreignRun) { r.statistics = 70 }, "foreign-statistics", "its latencies rest on 70 requests, its request rate on 100", ""},
	}
	for _, f := range formats {
		for _, c := range cheats {
			if c.not == f.tool {
				continue
			}
			t.Run(f.tool+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				r := honest()
				c.do(r)
				dir := t.TempDir()
				got := program.Run(t, dir, "import", f.tool, f.write(t, dir, r), "--json", "-o", "runs")
				if got.Code != 0 {
					t.Fatalf("exit %d: %s", got.Code, got.Stderr)
				}
				found := importFindings(t, got.Stdout)
				if c.check == "" {
					if len(found) > 0 {
						t.Errorf("an honest result of %s: %q", f.tool, found)
					}
					return
				}
				if !slices.ContainsFunc(found, func(s string) bool { return strings.HasPrefix(s, c.check+": ") && strings.Contains(s, c.says) }) {
					t.Errorf("no %s with %q in %q", c.check, c.says, found)
				}
			})
		}
	}
}

// importFindings are what a report says about the files against their requests.
func importFindings(t *testing.T, report string) (list []string) {
	t.Helper()
	var r struct {
		Findings []struct{ Check, Message string }
	}
	if err := json.Unmarshal([]byte(report), &r); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Check, "foreign-") && f.Check != "foreign-source" {
			list = append(list, f.Check+": "+f.Message)
		}
	}
	return list
}

func (r *foreignRun) mean() (sum, mean float64) {
	for _, row := range r.rows {
		sum += row.took
	}
	return sum, sum / float64(len(r.rows))
}

func writeJSON(t *testing.T, path string, content any) string {
	t.Helper()
	data, err := json.Marshal(content)
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

type object = map[string]any

func writeGenAI(t *testing.T, dir string, r *foreignRun) string {
	folder := filepath.Join(dir, "experiment")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	scenario := fmt.Sprintf("N(%d,23)/(%d,23)", r.askedInput, r.askedOutput)
	writeJSON(t, filepath.Join(folder, "experiment_metadata.json"), object{
		"cmd": "genai-bench --task text-to-text", "benchmark_version": "0.0.5", "api_backend": "vllm", "api_model_name": "m", "model": "m",
		"task": "text-to-text", "num_concurrency": []int{r.users}, "batch_size": []int{1}, "iteration_type": "num_concurrency",
		"traffic_scenario": []string{scenario}, "max_time_per_run_s": 600, "max_requests_per_run": r.askedRequests, "metrics_time_unit": "s",
	})
	rows := slices.SortedStableFunc(slices.Values(r.rows), func(a, b foreignRow) int { return cmp.Compare(a.sent+a.took, b.sent+b.took) })
	var list []object
	for _, row := range rows {
		list = append(list, object{"ttft": row.first, "e2e_latency": row.took, "num_input_tokens": row.input, "num_output_tokens": row.output})
	}
	_, mean := r.mean()
	writeJSON(t, filepath.Join(folder, fmt.Sprintf("N_text-to-text_num_concurrency_%d_time_%.0fs.json", r.users, r.seconds)), object{
		"aggregated_metrics": object{
			"scenario": scenario, "num_concurrency": r.users, "batch_size": 1, "iteration_type": "num_concurrency", "run_duration": r.seconds,
			"num_completed_requests": len(rows), "num_requests": len(rows),
			"stats": object{"e2e_latency": object{"mean": mean, "sum": mean * float64(r.statistics)}},
		},
		"individual_request_metrics": list, "_time_unit": "s",
	})
	return folder
}

func writeVLLM(t *testing.T, dir string, r *foreignRun) string {
	var inputs, outputs []int
	var firsts, took, starts []float64
	var gaps [][]float64
	for _, row := range r.rows {
		inputs, outputs = append(inputs, row.input), append(outputs, row.output)
		firsts, took, starts = append(firsts, row.first), append(took, row.took), append(starts, 1000+row.sent)
		gaps = append(gaps, []float64{})
	}
	n := len(r.rows)
	return writeJSON(t, filepath.Join(dir, "result.json"), object{
		"endpoint_type": "openai-chat", "backend": "openai-chat", "model_id": "m", "num_prompts": r.askedRequests, "request_rate": "inf", "max_concurrency": r.users,
		"duration": r.seconds, "completed": r.statistics, "failed": 0, "request_throughput": float64(n) / r.seconds,
		"input_lens": inputs, "output_lens": outputs, "ttfts": firsts, "itls": gaps, "latencies": took, "start_times": starts, "errors": make([]string, n),
	})
}

func writeAIPerf(t *testing.T, dir string, r *foreignRun) string {
	folder := filepath.Join(dir, "artifacts")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	_, mean := r.mean()
	writeJSON(t, filepath.Join(folder, "profile_export_aiperf.json"), object{
		"aiperf_version": "0.13.0",
		"input_config": object{
			"models": object{"items": []object{{"name": "m"}}}, "endpoint": object{"type": "chat", "streaming": true, "use_server_token_count": true},
			"datasets": []object{{"prompts": object{"isl": object{"mean": r.askedInput}, "osl": object{"mean": r.askedOutput}}}},
			"phases":   []object{{"kind": "profiling", "requests": r.askedRequests, "concurrency": r.users}},
		},
		"request_count": object{"unit": "requests", "avg": len(r.rows)}, "benchmark_duration": object{"unit": "sec", "avg": r.seconds},
		"request_latency": object{"unit": "ms", "avg": mean * 1e3, "count": r.statistics},
	})
	var lines strings.Builder
	for _, row := range r.rows {
		start := int64(1_700_000_000e9) + int64(row.sent*1e9)
		line, err := json.Marshal(object{
			"metadata": object{"request_start_ns": start, "request_end_ns": start + int64(row.took*1e9), "benchmark_phase": "profiling"},
			"metrics": object{
				"time_to_first_token": object{"value": row.first * 1e3, "unit": "ms"}, "usage_prompt_tokens": object{"value": row.input, "unit": "tokens"},
				"usage_completion_tokens": object{"value": row.output, "unit": "tokens"},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	if err := os.WriteFile(filepath.Join(folder, "profile_export.jsonl"), []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}

func writeGuideLLM(t *testing.T, dir string, r *foreignRun) string {
	var list []object
	for _, row := range r.rows {
		start := 1_700_000_000 + row.sent
		list = append(list, object{
			"request_start_time": start, "request_end_time": start + row.took, "time_to_first_token_ms": row.first * 1e3,
			"prompt_tokens": row.input, "output_tokens": row.output,
		})
	}
	_, mean := r.mean()
	return writeJSON(t, filepath.Join(dir, "benchmarks.json"), object{
		"metadata": object{"guidellm_version": "0.8.1"},
		"config": object{"spec": object{
			"backend": object{"model": "m"},
			"data":    []object{{"kind": "synthetic_text", "prompt_tokens": r.askedInput, "output_tokens": r.askedOutput}},
		}},
		"benchmarks": []object{{
			"config": object{
				"strategy":    object{"type_": "concurrent", "streams": r.users},
				"constraints": object{"max_requests": object{"args": object{"count": r.askedRequests}}},
			},
			"start_time": 1_700_000_000, "duration": r.seconds,
			"metrics": object{
				"request_totals":  object{"successful": len(r.rows)},
				"request_latency": object{"successful": object{"mean": mean, "count": r.statistics}},
			},
			"requests": object{"successful": list, "errored": []object{}, "incomplete": []object{}},
		}},
	})
}
