package foreign

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/record"
)

// read reads results of a tool that must be right.
func read(t *testing.T, tool Tool, paths ...string) Import {
	t.Helper()
	for i, path := range paths {
		paths[i] = "testdata/" + tool.Name + "/" + path
	}
	m, err := tool.Read(paths)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// figureOf is a figure that a source reported.
func figureOf(t *testing.T, m Measured, name, statistic string) record.Reported {
	t.Helper()
	for _, r := range m.Reported {
		if r.Name == name && r.Statistic == statistic {
			if (r.Metric == "") == (r.Definition == "") {
				t.Errorf("%s %s has metric %q and definition %q, want one of them", name, statistic, r.Metric, r.Definition)
			}
			return r
		}
	}
	t.Fatalf("no figure %s %s among %d", name, statistic, len(m.Reported))
	return record.Reported{}
}

// near compares times that went through a floating point number: those of a
// client's clock have seconds before the point, so their last digits are lost.
func near(t *testing.T, what string, got int64, wantSeconds float64) {
	t.Helper()
	if math.Abs(float64(got)/1e9-wantSeconds) > 2e-6 {
		t.Errorf("%s is %v, want %v s", what, time.Duration(got), wantSeconds)
	}
}

// chunksOf are the parts of one answer.
func chunksOf(m Measured, id int64) (list []record.Chunk) {
	for _, c := range m.Chunks {
		if c.Request == id {
			list = append(list, c)
		}
	}
	return list
}

// names lists the points as a plan would call them.
func names(m Import) (list []string) {
	for _, p := range m.Points {
		list = append(list, p.name())
	}
	return list
}

func TestVLLM(t *testing.T) {
	m := read(t, VLLM, "c2.json", "c4.json", "c4-again.json")
	if got, want := names(m), []string{"concurrency=2", "concurrency=4"}; !slices.Equal(got, want) {
		t.Errorf("points %q, want %q", got, want)
	}
	if len(m.Launches) != 2 || len(m.Launches[0].Points) != 2 || len(m.Launches[1].Points) != 1 || m.Launches[1].Points[0].Point != 1 {
		t.Fatalf("launches %d: want two, the second with the second file at concurrency 4", len(m.Launches))
	}
	at := m.Launches[0].Points[0]
	if len(at.Requests) != 12 || len(at.Chunks) != 240 || at.Duration != 1500779626 {
		t.Errorf("%d requests, %d chunks, %v; want 12, 240 and 1.500779626s", len(at.Requests), len(at.Chunks), at.Duration)
	}
	// By hand from the file: request 0 starts first; request 2 starts 257.502098 ms
	// after it, takes 243.705791 ms and has its first event after 53.335704 ms.
	r := at.Requests[2]
	near(t, "sent", r.Sent, 0.257502098)
	near(t, "due in a closed loop", r.Due, 0.257502098)
	near(t, "done", r.Done, 0.257502098+0.243705791)
	parts := chunksOf(at, 2)
	near(t, "first event", parts[0].At, 0.257502098+0.053335704)
	near(t, "last event", parts[19].At, 0.257502098+0.243705791)
	if *r.UsageOutput != 20 || *r.UsageInput != 12 || r.Result != record.OK {
		t.Errorf("request 2: %d tokens in, %d out, %s; want 12, 20, ok", *r.UsageInput, *r.UsageOutput, r.Result)
	}
	if f := figureOf(t, at, "p99_ttft_ms", "p99"); math.Abs(f.Value-0.07039208874797623) > 1e-12 || f.Unit != "s" || f.Metric != "" {
		t.Errorf("p99_ttft_ms is %+v, want 0.0703920887 s with a definition of its own", f)
	}
	if f := figureOf(t, at, "request_throughput", "value"); f.Value != 7.9958441546521986 || f.Metric != "request_throughput.v2" {
		t.Errorf("request_throughput is %+v", f)
	}
	if got := m.Run.Spec.Workload.Prompt.Scenario; got != "D(12,20)" {
		t.Errorf("scenario %q, want D(12,20): every request had 12 tokens in and 20 out", got)
	}
	for id, want := range map[string]bool{bundle.GapRetries: true, bundle.GapReplicates: false, bundle.GapSendTimes: false, bundle.GapRequests: false, bundle.GapDueTimes: true} {
		if m.unknown(id) != want {
			t.Errorf("unknown %s is %v, want %v", id, !want, want)
		}
	}
	if !slices.ContainsFunc(m.Source.Notes, func(n string) bool { return strings.Contains(n, "names the role") }) {
		t.Errorf("notes %q do not speak of the role event of chats", m.Source.Notes)
	}
}

func TestVLLMSummary(t *testing.T) {
	m := read(t, VLLM, "rate10.json")
	at := m.Launches[0].Points[0]
	if m.Points[0].Rate != 10 || len(at.Requests) != 0 || !m.unknown(bundle.GapRequests) || !m.unknown(bundle.GapReplicates) || !m.unknown(bundle.GapDueTimes) {
		t.Errorf("point %+v with %d requests: want rate 10, no requests, and that said", m.Points[0], len(at.Requests))
	}
	figureOf(t, at, "mean_e2el_ms", "mean")
}

// The Rust program writes the same fields in another order, and keeps failures.
func TestVLLMRust(t *testing.T) {
	m := read(t, VLLM, "rust.json")
	at := m.Launches[0].Points[0]
	if len(at.Requests) != 6 || len(at.Chunks) != 100 {
		t.Fatalf("%d requests and %d chunks, want 6 and 100", len(at.Requests), len(at.Chunks))
	}
	if r := at.Requests[5]; r.Result != record.Connect || r.Done-r.Sent != 31e6 || !strings.Contains(r.Error, "refused") {
		t.Errorf("the failed request is %s after %d ns (%q), want connect after 31 ms", r.Result, r.Done-r.Sent, r.Error)
	}
	if f := figureOf(t, at, "failed", "value"); f.Value != 1 || !strings.Contains(f.Definition, "three times") {
		t.Errorf("failed is %+v, want 1 and that retries are hidden", f)
	}
}

// With a rate and a limit the wait for a place counts: due is the send less it.
func TestVLLMQueue(t *testing.T) {
	path := write1(t, `{"backend":"vllm","endpoint_type":"vllm","model_id":"m","num_prompts":2,"request_rate":5.0,"max_concurrency":1,
		"duration":2.0,"completed":2,"request_throughput":1.0,"input_lens":[3,3],"output_lens":[2,2],"ttfts":[0.1,0.1],"itls":[[0.2],[0.2]],
		"latencies":[0.3,0.3],"start_times":[100.0,100.3],"queue_times":[0.0,0.25],"errors":["",""]}`)
	m, err := VLLM.Read([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	r := m.Launches[0].Points[0].Requests[1]
	near(t, "due", r.Due, 0.05)
	near(t, "sent", r.Sent, 0.3)
	if m.unknown(bundle.GapDueTimes) || m.Points[0].Rate != 5 {
		t.Errorf("point %+v, due times unknown %v; want rate 5 and known", m.Points[0], m.unknown(bundle.GapDueTimes))
	}
}

func TestSGLang(t *testing.T) {
	m := read(t, SGLang, "online.jsonl")
	if got, want := names(m), []string{"concurrency=2", "concurrency=4"}; !slices.Equal(got, want) || len(m.Launches) != 1 {
		t.Fatalf("points %q in %d launches, want %q in one", got, len(m.Launches), want)
	}
	at := m.Launches[0].Points[0]
	if len(at.Requests) != 10 || len(at.Chunks) != 200 || !m.unknown(bundle.GapSendTimes) {
		t.Errorf("%d requests, %d chunks, send times unknown %v: want 10, 200, true", len(at.Requests), len(at.Chunks), m.unknown(bundle.GapSendTimes))
	}
	// By hand: the gaps of request 0 sum to 190.373657 ms after a first token at
	// 52.500287 ms; the end of its stream is not in the file.
	r := at.Requests[0]
	near(t, "first token", at.Chunks[0].At, 0.052500287)
	near(t, "done", r.Done, 0.052500287+0.190373657)
	if f := figureOf(t, at, "mean_ttft_ms", "mean"); math.Abs(f.Value-0.05769345529915881) > 1e-12 {
		t.Errorf("mean_ttft_ms is %v, want 0.0576934553 s", f.Value)
	}
	if f := figureOf(t, at, "total_output_tokens", "value"); !strings.Contains(f.Definition, "asked for") {
		t.Errorf("total_output_tokens means %q: want that lengths are taken for counts", f.Definition)
	}
	summary := read(t, SGLang, "summary.jsonl")
	if summary.Points[0].Rate != 10 || !summary.unknown(bundle.GapRequests) {
		t.Errorf("the line without details is %+v: want rate 10 and no requests", summary.Points[0])
	}
	if _, err := SGLang.Read([]string{"testdata/sglang/online.jsonl", "testdata/sglang/summary.jsonl"}); err == nil || !strings.Contains(err.Error(), "one kind at a time") {
		t.Errorf("details and summaries together = %v, want to be told to import one kind at a time", err)
	}
}
