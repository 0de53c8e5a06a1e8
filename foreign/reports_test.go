package foreign

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/record"
)

// write1 writes a result into a file of its own.
func write1(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "result.json")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAIPerf(t *testing.T) {
	m := read(t, AIPerf, "c2", "c4")
	if got, want := names(m), []string{"concurrency=2", "concurrency=4"}; !slices.Equal(got, want) || m.Source.Version != "0.13.0" {
		t.Fatalf("points %q of version %s, want %q of 0.13.0", got, m.Source.Version, want)
	}
	at := m.Launches[0].Points[0]
	if len(at.Requests) != 8 || len(at.Chunks) != 160 {
		t.Errorf("%d requests and %d chunks, want 8 and 160", len(at.Requests), len(at.Chunks))
	}
	if f := figureOf(t, at, "benchmark_duration", "value"); f.Value != 1.107002112 {
		t.Errorf("benchmark_duration is %v, want 1.107002112 s", f.Value)
	}
	// AIPerf's clock begins with the first send and ends with the last content: the
	// window takes in the wait before and the end of the last stream.
	for _, r := range at.Requests {
		if r.Done >= at.Duration.Nanoseconds() || at.Duration > 1_200_000_000 {
			t.Errorf("a request ends at %d ns of a window of %v", r.Done, at.Duration)
		}
	}
	// By hand: the first record was issued first, started 2.024697 ms after that,
	// ended at 283.582498 ms, and had its first token 86.564894 ms after its start.
	r := at.Requests[0]
	near(t, "due", r.Due, 0)
	near(t, "sent", r.Sent, 0.002024697)
	near(t, "done", r.Done, 0.283582498)
	parts := chunksOf(at, 0)
	near(t, "first", parts[0].At, 0.002024697+0.086564894)
	near(t, "last", parts[19].At, 0.002024697+0.086564894+0.194992907)
	if f := figureOf(t, at, "inter_token_latency", "mean"); math.Abs(f.Value-0.009808458263157895) > 1e-12 || f.Metric != "tpot.v1" {
		t.Errorf("inter_token_latency is %+v: want 9.808 ms, which with the server's counts is our TPOT", f)
	}
	if m.unknown(bundle.GapDueTimes) || m.unknown(bundle.GapChunks) || !m.unknown(bundle.GapClient) {
		t.Errorf("gaps %+v: want due times and chunks known, client unknown", m.Source.Unknown)
	}
	// Repeated: the second folder at one load is the second launch.
	if twice := read(t, AIPerf, "c2", "c2"); len(twice.Launches) != 2 || len(twice.Points) != 1 || twice.unknown(bundle.GapReplicates) {
		t.Errorf("one load twice gives %d launches and %d points, want 2 and 1", len(twice.Launches), len(twice.Points))
	}
}

// A list of records that ends between two lines looks whole: the summary tells.
func TestAIPerfCutBetweenLines(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{aiperfSummary, aiperfRecords} {
		data, err := os.ReadFile("testdata/aiperf/c2/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if name == aiperfRecords {
			data = data[:strings.IndexByte(string(data), '\n')+1]
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := AIPerf.Read([]string{dir}); err == nil || !strings.Contains(err.Error(), "holds 1 successful requests where") {
		t.Errorf("Read = %v, want that records are missing", err)
	}
}

func TestGuideLLM(t *testing.T) {
	m := read(t, GuideLLM, "c2.json", "c4.json")
	if got, want := names(m), []string{"concurrency=2", "concurrency=4"}; !slices.Equal(got, want) || m.Source.Version != "0.8.1" {
		t.Fatalf("points %q of version %s, want %q of 0.8.1", got, m.Source.Version, want)
	}
	at := m.Launches[0].Points[0]
	if len(at.Requests) != 8 || len(at.Chunks) != 8 || !m.unknown(bundle.GapChunks) || !m.unknown(bundle.GapDueTimes) {
		t.Errorf("%d requests, %d chunks: want 8, and the first token of each", len(at.Requests), len(at.Chunks))
	}
	// By hand: request 0 came first and took 247.677565 ms, its first token 56.427240 ms.
	r := at.Requests[0]
	near(t, "sent", r.Sent, 0)
	near(t, "done", r.Done, 0.247677565)
	near(t, "first", at.Chunks[0].At, 0.056427240)
	if *r.UsageOutput != 20 || *r.UsageInput != 13 {
		t.Errorf("%d tokens in and %d out, want 13 and 20", *r.UsageInput, *r.UsageOutput)
	}
	if f := figureOf(t, at, "time_per_output_token_ms", "mean"); math.Abs(f.Value-0.012154555320739746) > 1e-12 || !strings.Contains(f.Definition, "first token is in it") {
		t.Errorf("time_per_output_token_ms is %+v: want 12.15 ms, with TTFT in it", f)
	}
}

// A strategy with a rate counts from when it wanted a request to leave; requests
// that failed or were still running are kept.
func TestGuideLLMRate(t *testing.T) {
	path := write1(t, `{"metadata":{"guidellm_version":"0.7.1"},"args":{"model":"m","target":"http://127.0.0.1:1"},"benchmarks":[
		{"config":{"strategy":{"type_":"constant","rate":4.0}},"start_time":1000.0,"duration":2.5,"metrics":{"request_totals":{"successful":3,"errored":1,"incomplete":1}},
		"requests":{"successful":[{"request_start_time":1000.5,"request_end_time":1001.0,"time_to_first_token_ms":100.0,"prompt_tokens":5,"output_tokens":7,"info":{"timings":{"targeted_start":1000.25}}}],
		"errored":[{"request_start_time":1000.0,"request_end_time":1000.1,"info":{"error":"ReadTimeout","timings":{"targeted_start":1000.0}}}],
		"incomplete":[{"request_start_time":null,"info":{"timings":{"targeted_start":1001.0,"resolve_start":1001.0}}},{"info":{"timings":{}}}]}},
		{"config":{"strategy":{"type_":"synchronous"}},"start_time":1010.0,"duration":1.0,"requests":{"successful":[],"errored":[],"incomplete":[]}}]}`)
	m, err := GuideLLM.Read([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(m), []string{"concurrency=1", "rate=4/s"}; !slices.Equal(got, want) {
		t.Fatalf("points %q, want %q", got, want)
	}
	at := m.Launches[0].Points[1]
	if len(at.Requests) != 3 {
		t.Fatalf("%d requests, want the successful, the failed and the one that had left", len(at.Requests))
	}
	if m.unknown(bundle.GapDueTimes) {
		t.Error("due times are said to be unknown, want those of the rate")
	}
	near(t, "due", at.Requests[0].Due, 0.25)
	near(t, "sent", at.Requests[0].Sent, 0.5)
	if at.Requests[1].Result != record.Timeout || at.Requests[2].Result != record.Cut {
		t.Errorf("outcomes %s and %s, want timeout and cut", at.Requests[1].Result, at.Requests[2].Result)
	}
	if len(m.Source.Notes) < 2 || !strings.Contains(m.Source.Notes[0], "keeps 1 of 3 successful") {
		t.Errorf("notes %q do not say that requests are missing", m.Source.Notes)
	}
}

func TestInferencePerf(t *testing.T) {
	m := read(t, InferencePerf, "concurrent")
	if got, want := names(m), []string{"concurrency=2", "concurrency=4"}; !slices.Equal(got, want) {
		t.Fatalf("points %q, want %q", got, want)
	}
	at, next := m.Launches[0].Points[0], m.Launches[0].Points[1]
	if len(at.Requests) != 8 || len(next.Requests) != 10 {
		t.Errorf("%d and %d requests, want 8 and 10 as the stages count", len(at.Requests), len(next.Requests))
	}
	// By hand: the first request took 261.326067 ms, its first event 69.097805 ms;
	// 20 events held 58 tokens of the client's tokenizer and 20 of the server's.
	r := at.Requests[0]
	near(t, "done", r.Done, 0.261326067)
	near(t, "first", at.Chunks[0].At, 0.069097805)
	if *r.UsageOutput != 20 || *r.TokenizerOutput != 58 || *r.UsageInput != 9 || len(chunksOf(at, 0)) != 20 {
		t.Errorf("%d, %d and %d tokens in %d events: want 20 by the server, 58 by the tokenizer, 9 in, 20 events", *r.UsageOutput, *r.TokenizerOutput, *r.UsageInput, len(chunksOf(at, 0)))
	}
	// The 18 prompts had 154 tokens, 8.56 on average with a deviation of 1.71.
	if got := m.Run.Spec.Workload.Prompt.Scenario; got != "N(9,2)/(20,0)" {
		t.Errorf("scenario %q, want N(9,2)/(20,0)", got)
	}
	if f := figureOf(t, at, "time_to_first_token", "mean"); f.Value != 0.05376683637587121 {
		t.Errorf("time_to_first_token is %v, want 53.77 ms", f.Value)
	}
	// Keys may stand in its configuration.
	for _, f := range m.Files {
		if f.Name == "config.yaml" && strings.Contains(string(f.Kept), "server") {
			t.Errorf("the configuration is kept: %s", f.Kept)
		}
	}
}

func TestVegeta(t *testing.T) {
	m := read(t, Vegeta, "rate10.jsonl")
	at := m.Launches[0].Points[0]
	if m.Points[0].Rate != 10 || len(at.Requests) != 20 || len(at.Chunks) != 0 {
		t.Errorf("rate %v, %d requests, %d chunks: want 10, 20, none", m.Points[0].Rate, len(at.Requests), len(at.Chunks))
	}
	if r := at.Requests[0]; r.Sent != 0 || r.Done != 242724395 || r.Status != 200 {
		t.Errorf("the first request is done at %d with %d, want 242724395 and 200", r.Done, r.Status)
	}
	m = read(t, Vegeta, "rate10-report.json")
	at = m.Launches[0].Points[0]
	if f := figureOf(t, at, "latencies", "p99"); f.Value != 258388980*1e-9 {
		t.Errorf("the 99th percentile is %v, want 258.388980 ms", f.Value)
	}
	// 20 requests in 1.899729911 s between the first and the last.
	if f := figureOf(t, at, "rate", "value"); math.Abs(f.Value-20/1.899729911) > 1e-9 || f.Wrong == "" || m.Points[0].Rate != 10 {
		t.Errorf("rate is %+v at point %v: want 10.53, marked as wrong, at 10", f, m.Points[0].Rate)
	}
	if _, err := Vegeta.Read([]string{"testdata/vegeta/rate10.jsonl", "testdata/vegeta/rate10-report.json"}); err == nil {
		t.Error("a report beside single results is taken, want to be told to import one kind")
	}
}

func TestK6(t *testing.T) {
	m := read(t, K6, "summary.json")
	at := m.Launches[0].Points[0]
	if m.Points[0].Concurrency != 4 || at.Duration != 5012400000 || !m.unknown(bundle.GapRequests) {
		t.Errorf("point %+v for %v: want 4 users for 5.0124s and no requests", m.Points[0], at.Duration)
	}
	if f := figureOf(t, at, "http_req_duration", "p95"); math.Abs(f.Value-0.2504) > 1e-12 || f.Unit != "s" {
		t.Errorf("http_req_duration p95 is %+v, want 0.2504 s", f)
	}
	// The other form has its numbers one level higher.
	m, err := K6.Read([]string{write1(t, `{"metrics":{"http_reqs":{"count":10,"rate":5},"http_req_duration":{"avg":20,"p(95)":30},"vus":{"value":2,"min":2,"max":3}},"root_group":{}}`)})
	if err != nil || m.Points[0].Concurrency != 3 || m.Launches[0].Points[0].Duration != 2e9 {
		t.Errorf("--summary-export gives %+v (%v), want 3 users for 2 s", m.Points, err)
	}
}
