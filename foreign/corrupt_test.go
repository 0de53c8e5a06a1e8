package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// streamed are the tools of this test: those whose results are lists of requests
// or flat summaries as JSON.
var streamed = []Tool{VLLM, SGLang, AIPerf, GuideLLM, InferencePerf, Vegeta, K6}

// A result that was cut anywhere gives an error that names its file. A cut between
// two lines of a file of lines is the one that cannot be seen.
func TestTruncated(t *testing.T) {
	for _, tool := range streamed {
		for _, path := range samples(t, tool) {
			for tenth := range 10 {
				to := filepath.Join(t.TempDir(), filepath.Base(path))
				whole := false
				broken := copyDamaged(t, path, to, func(data []byte) []byte {
					cut := data[:len(data)*tenth/10]
					whole = len(bytes.TrimSpace(cut)) > 0 && data[len(cut)-1] == '\n'
					return cut
				})
				if whole {
					continue
				}
				_, err := tool.Read([]string{to})
				if err == nil || !strings.Contains(err.Error(), filepath.Base(broken)) {
					t.Errorf("%s after %d tenths: %v, want an error that names %s", path, tenth, err, filepath.Base(broken))
				}
			}
		}
	}
}

const genaiErrors = "D100_100_text-to-text_num_concurrency_8_time_5s.json"

// Wrong values are named: the file, the field, and what belongs there.
func TestCorrupt(t *testing.T) {
	for _, tt := range []struct {
		tool       Tool
		path, file string // the result, and the file in it that is changed; empty for itself
		from, to   string // what is changed, as a regular expression
		want       string // in the error
	}{
		{GenAIBench, "errors", genaiErrors, `"e2e_latency": [0-9.]+`, `"e2e_latency": -1`, "row 2: e2e_latency is -1 s"},
		{GenAIBench, "errors", genaiErrors, `"e2e_latency": [0-9.]+`, `"e2e_latency": 1e308`, "row 2: e2e_latency is 1e+308 s"},
		{GenAIBench, "errors", genaiErrors, `"e2e_latency": [0-9.]+`, `"e2e_latency": NaN`, genaiErrors},
		{GenAIBench, "errors", genaiErrors, `"e2e_latency": [0-9.]+`, `"e2e_latency": "1"`, "individual_request_metrics.e2e_latency is a string"},
		{GenAIBench, "errors", genaiErrors, `"num_output_tokens": 100`, `"num_output_tokens": 1e308`, "row 2: num_output_tokens is 1e+308"},
		{GenAIBench, "errors", genaiErrors, `"num_output_tokens": 100`, `"num_output_tokens": 1.5`, "row 2: num_output_tokens is 1.5"},
		{GenAIBench, "errors", genaiErrors, `"run_duration": [0-9.]+`, `"run_duration": -5`, "run_duration is -5 s"},
		{GenAIBench, "errors", genaiErrors, `"run_duration": [0-9.]+`, `"run_duration": 5, "run_duration": 2`, "run_duration stands twice in one object"},
		{GenAIBench, "errors", genaiErrors, `"num_concurrency": 8`, `"num_concurrency": 99999999`, "the level is 99999999"},
		{GenAIBench, "errors", genaiMetadataFile, `"task"`, `"t\u0061sk": "text-to-image", "task"`, "task stands twice"},
		{VLLM, "c2.json", "", `"duration"`, `"duration": 1.5, "duration"`, "c2.json: duration stands twice"},
		{SGLang, "online.jsonl", "", `"completed"`, `"completed": 11, "completed"`, "online.jsonl: completed stands twice"},
		{AIPerf, "c2", aiperfRecords, `"request_start_ns"`, `"request_start_ns":1, "request_start_ns"`, aiperfRecords + ": request_start_ns stands twice"},
		{GuideLLM, "c2.json", "", `"benchmarks"`, `"benchmarks": [], "benchmarks"`, "benchmarks stands twice"},
		{InferencePerf, "concurrent", perfRequests, `"start_time"`, `"start_time": 1, "start_time"`, "start_time stands twice"},
		{Vegeta, "rate10.jsonl", "", `"latency"`, `"latency":1,"latency"`, "rate10.jsonl: latency stands twice"},
		{K6, "summary.json", "", `"metrics"`, `"metrics": {}, "metrics"`, "metrics stands twice"},
		{MLPerf, "server", mlperfDetail, `(?m)^(.*"result_validity", "value": ")INVALID(".*\n)`, "${1}INVALID${2}${1}VALID${2}", "result_validity stands twice"},
		{VLLM, "c2.json", "", `"ttfts": \[[0-9.e-]+`, `"ttfts": ["soon"`, "ttfts is a string where a number belongs"},
		{VLLM, "c2.json", "", `"ttfts": \[[0-9.e-]+`, `"ttfts": [NaN`, "ttfts"},
		{VLLM, "c2.json", "", `"ttfts": \[[0-9.e-]+`, `"ttfts": [-1`, "request 0: the time to the first token is -1 s"},
		{VLLM, "c2.json", "", `"ttfts": \[[0-9.e-]+`, `"ttfts": [1e300`, "the time to the first token is 1e+300 s"},
		{VLLM, "c2.json", "", `"ttfts": \[[0-9.e-]+, `, `"ttfts": [`, "ttfts has 11 entries and itls 12"},
		{VLLM, "c2.json", "", `"itls": \[\[`, `"itls": [[1e400, `, "itls"},
		{VLLM, "c2.json", "", `"itls": \[\[[^]]*\], `, `"itls": [[-0.5], `, "request 0: gap 0 is -0.5 s"},
		{VLLM, "c2.json", "", `"output_lens": \[[^]]*\]`, `"output_lens": []`, "output_lens 0"},
		{VLLM, "c2.json", "", `"output_lens": \[20`, `"output_lens": [20.5`, "the number of output tokens is 20.5"},
		{VLLM, "c2.json", "", `"duration": [0-9.]+`, `"duration": "long"`, "duration is missing or no number"},
		{VLLM, "c2.json", "", `"duration": [0-9.]+`, `"duration": 1e30`, "duration is 1e+30 s"},
		{VLLM, "c2.json", "", `"max_concurrency": 2`, `"max_concurrency": 2.5`, "max_concurrency is 2.5"},
		{VLLM, "c2.json", "", `"request_rate": "inf"`, `"request_rate": -3`, "request_rate is -3"},
		{VLLM, "c2.json", "", `"backend": "openai-chat"`, `"backend": ["a"]`, ""},
		{VLLM, "c2.json", "", `"start_times": \[[0-9.]+`, `"start_times": [1e18`, "the time of the send"},
		{SGLang, "online.jsonl", "", `"itls": \[\[`, `"itls": [{}, [`, "itls"},
		{SGLang, "online.jsonl", "", `"completed": 10`, `"completed": -10`, "completed is missing or no number from 0 up"},
		{SGLang, "online.jsonl", "", `^\{`, `[{`, "begins with ["},
		{AIPerf, "c2", aiperfRecords, `"request_start_ns":[0-9]+`, `"request_start_ns":"now"`, "line 1"},
		{AIPerf, "c2", aiperfRecords, `"request_start_ns":[0-9]+`, `"request_start_ns":-5`, "line 1: request_start_ns is -5"},
		{AIPerf, "c2", aiperfRecords, `"request_end_ns":[0-9]+`, `"request_end_ns":1`, "record 1: the latency is"},
		{AIPerf, "c2", aiperfRecords, `"request_end_ns":[0-9]+`, `"request_end_ns":9223372036854775807`, "line 1: request_end_ns is"},
		{AIPerf, "c2", aiperfRecords, `("inter_chunk_latency":\{"value":\[)`, `${1}-4,`, "record 1: gap 0 is -0.004 s"},
		{AIPerf, "c2", aiperfRecords, `("time_to_first_token":\{"value":[0-9.]+,"unit":)"ms"`, `${1}"s"`, `time_to_first_token is in "s", want ms`},
		{AIPerf, "c2", aiperfSummary, `"benchmark_duration"`, `"other"`, "benchmark_duration is missing"},
		{AIPerf, "c2", aiperfSummary, `"concurrency": 2`, `"concurrency": -2`, "concurrency is -2"},
		{AIPerf, "c2", aiperfSummary, `"phases": \[`, `"phases": [7, `, "phases is a number"},
		{GuideLLM, "c2.json", "", `(?s)("successful": \[\{.*?"request_end_time": )[0-9.]+`, `${1}1.0`, "successful request 0: the latency is"},
		{GuideLLM, "c2.json", "", `(?s)("successful": \[\{.*?"request_end_time": )[0-9.]+`, `${1}null`, ""},
		{GuideLLM, "c2.json", "", `(?s)("successful": \[\{.*?"request_start_time": )[0-9.]+`, `${1}{}`, "benchmarks: benchmark 0: requests: successful"},
		{GuideLLM, "c2.json", "", `"duration": [0-9.]+`, `"duration": -1.0`, "benchmark 0: duration is missing or not above 0"},
		{GuideLLM, "c2.json", "", `"streams": 2`, `"streams": 0`, "config.strategy.streams is 0"},
		{GuideLLM, "c2.json", "", `"time_to_first_token_ms": -?[0-9.]+`, `"time_to_first_token_ms": -9`, "the time to the first token is -0.009 s"},
		{GuideLLM, "c2.json", "", `"benchmarks": \[\{"type_"`, `"benchmarks": [3, {"type_"`, "benchmark 0: is 3, want an object"},
		{InferencePerf, "concurrent", perfRequests, `"start_time": [0-9.]+`, `"start_time": null`, "entry 0: start_time or end_time is missing"},
		{InferencePerf, "concurrent", perfRequests, `"chunk_times": \[\s*[0-9.]+`, `"chunk_times": ["x"`, "entry 0"},
		{InferencePerf, "concurrent", perfRequests, `"output_token_times": \[\s*[0-9.]+`, `"output_token_times": [1.0`, "the time to the first token is"},
		{InferencePerf, "concurrent", perfRequests, `\]$`, `, 3]`, "entry 18"},
		{InferencePerf, "concurrent", "stage_0_lifecycle_metrics.json", `"count": 8`, `"count": 7`, "holds 18 requests and the stages report 17"},
		{InferencePerf, "concurrent", "stage_0_lifecycle_metrics.json", `"benchmark_time_seconds": [0-9.]+`, `"benchmark_time_seconds": -1`, "benchmark_time_seconds is missing or no time"},
		{InferencePerf, "concurrent", "stage_0_lifecycle_metrics.json", `"concurrency": 2`, `"concurrency": "two"`, "concurrency"},
		{InferencePerf, "concurrent", "config.yaml", `server:`, `server: [`, "config.yaml"},
		{Vegeta, "rate10.jsonl", "", `"latency":[0-9]+`, `"latency":-1`, "line 1: timestamp or latency"},
		{Vegeta, "rate10.jsonl", "", `"timestamp":"2026`, `"timestamp":"20x6`, "line 1"},
		{Vegeta, "rate10-report.json", "", `"rate":[0-9.]+`, `"rate":-1`, "rate is missing or no number"},
		{Vegeta, "rate10-report.json", "", `"latencies":\{`, `"latencies":{"mean":{},`, "latencies"},
		{K6, "summary.json", "", `"count": 80`, `"count": -80`, "http_reqs has no count and rate above 0"},
		{K6, "summary.json", "", `"testRunDurationMs": [0-9.]+`, `"testRunDurationMs": 1e300`, "the test took"},
		{K6, "summary.json", "", `"metrics": \{`, `"metrics": {"http_reqs": 3, `, "summary.json"},
	} {
		name := fmt.Sprintf("%s %s", tt.tool.Name, tt.to)
		path := filepath.Join("testdata", tt.tool.Name, tt.path)
		to := filepath.Join(t.TempDir(), filepath.Base(path))
		copyDamaged(t, path, to, func(data []byte) []byte { return data })
		changed := filepath.Join(to, tt.file)
		data, err := os.ReadFile(changed)
		if err != nil {
			t.Fatal(err)
		}
		pattern := regexp.MustCompile(tt.from)
		at := pattern.FindIndex(data)
		if at == nil {
			t.Errorf("%s: %s holds no %s", name, changed, tt.from)
			continue
		}
		fresh := append(append(bytes.Clone(data[:at[0]]), pattern.ReplaceAll(data[at[0]:at[1]], []byte(tt.to))...), data[at[1]:]...)
		if err := os.WriteFile(changed, fresh, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err = tt.tool.Read([]string{to})
		switch {
		case tt.want == "" && err != nil && !strings.Contains(err.Error(), filepath.Base(changed)):
			t.Errorf("%s: %v, want the file named", name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// Whatever a file holds, reading it ends, and what is read can be laid out.
func fuzzTool(f *testing.F, tool Tool, name, other string) {
	for _, path := range mustGlob(f, "testdata/"+tool.Name+"/*") {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path = filepath.Join(path, name)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 20_000)])
		if len(data) < 60_000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if other != "" {
			whole, err := os.ReadFile(other)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(other)), whole, 0o644); err != nil {
				t.Fatal(err)
			}
			path = dir
		}
		tool.Claims(path)
		m, err := tool.Read([]string{path})
		if err != nil {
			return
		}
		if _, err := m.plan(); err != nil {
			t.Errorf("read, but not laid out: %v", err)
		}
		if _, err := json.Marshal(m.stated()); err != nil {
			t.Errorf("read, but what it states cannot be written: %v", err)
		}
		for _, l := range m.Launches {
			for _, at := range l.Points {
				for _, r := range at.Requests {
					if r.Sent < 0 || r.Due > r.Sent || r.Done < r.Sent {
						t.Errorf("request due at %d, sent at %d, done at %d", r.Due, r.Sent, r.Done)
					}
				}
			}
		}
	})
}

func mustGlob(f *testing.F, pattern string) []string {
	list, err := filepath.Glob(pattern)
	if err != nil || len(list) == 0 {
		f.Fatalf("%s: %v (%v)", pattern, list, err)
	}
	return list
}

func FuzzVLLM(f *testing.F)   { fuzzTool(f, VLLM, "result.json", "") }
func FuzzSGLang(f *testing.F) { fuzzTool(f, SGLang, "result.jsonl", "") }
func FuzzAIPerf(f *testing.F) {
	fuzzTool(f, AIPerf, aiperfRecords, "testdata/aiperf/c2/"+aiperfSummary)
}
func FuzzAIPerfSummary(f *testing.F) {
	fuzzTool(f, AIPerf, aiperfSummary, "testdata/aiperf/c2/"+aiperfRecords)
}
func FuzzGuideLLM(f *testing.F) { fuzzTool(f, GuideLLM, "benchmarks.json", "") }
func FuzzInferencePerf(f *testing.F) {
	fuzzTool(f, InferencePerf, perfRequests, "testdata/inference-perf/concurrent/stage_0_lifecycle_metrics.json")
}
func FuzzInferencePerfStage(f *testing.F) {
	fuzzTool(f, InferencePerf, "stage_0_lifecycle_metrics.json", "testdata/inference-perf/concurrent/config.yaml")
}
func FuzzVegeta(f *testing.F) { fuzzTool(f, Vegeta, "results.json", "") }
func FuzzK6(f *testing.F)     { fuzzTool(f, K6, "summary.json", "") }
