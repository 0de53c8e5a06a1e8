package plan

import (
	"strings"
	"testing"
)

const sweep = `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: sweep}
spec:
  workload:
    model: m
    prompt: {PROMPT}
  target: {url: "http://127.0.0.1:8000"}
  load: {LOAD, duration: 100s, warmup: {}}
`

func sweepPlan(t *testing.T, prompt, load string) Plan {
	t.Helper()
	p, err := New(parse(t, strings.NewReplacer("PROMPT", prompt, "LOAD", load).Replace(sweep)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A sweep has a point for every level of the load of every shape, in the order of
// the document.
func TestSweepPoints(t *testing.T) {
	f := func(prompt, load string, want ...string) {
		t.Helper()
		p := sweepPlan(t, prompt, load)
		var got []string
		for i, point := range p.Points {
			if point.Index != i || p.Launches[0].Order[i] != i {
				t.Errorf("point %d has index %d and order %d", i, point.Index, p.Launches[0].Order[i])
			}
			got = append(got, point.Name)
		}
		if strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("points of %s %s = %q, want %q", prompt, load, got, want)
		}
	}
	f(`scenarios: ["D(100,100)", "N(480,240)/(300,150)"]`, "concurrency: [1, 4]",
		"D(100,100) concurrency=1", "D(100,100) concurrency=4", "N(480,240)/(300,150) concurrency=1", "N(480,240)/(300,150) concurrency=4")
	f(`task: text-to-embeddings, scenarios: ["E(64)", "E(128)"]`, "concurrency: [1], batchSizes: [1, 8]",
		"E(64) batch=1 concurrency=1", "E(64) batch=8 concurrency=1", "E(128) batch=1 concurrency=1", "E(128) batch=8 concurrency=1")
	f(`task: text-to-rerank, scenario: "R(64,10)"`, "concurrency: [2], batchSizes: [4]", "batch=4 concurrency=2")
	f(`scenarios: ["D(9,9)"]`, "stages: [{duration: 1s, concurrency: 2}]", "D(9,9) stages")
	f(`scenario: "D(9,9)"`, "concurrency: [3]", "concurrency=3")
}

// Each point of a sweep is expected to take what its own lengths take, and is
// known by its own scenario.
func TestSweepExpectations(t *testing.T) {
	p := sweepPlan(t, `scenarios: ["D(100,40)", "D(50,190)"]`, "concurrency: [1]")
	// 0.2 s + 40 × 0.02 s = 1 s each, and 0.2 s + 190 × 0.02 s = 4 s.
	if got := []int64{p.Expected.PerPoint[0].Requests, p.Expected.PerPoint[1].Requests}; got[0] != 100 || got[1] != 25 {
		t.Errorf("expected requests = %v, want 100 and 25", got)
	}
	if in, out := p.Expected.InputTokens, p.Expected.OutputTokens; in != 3*(100*100+25*50) || out != 3*(100*40+25*190) {
		t.Errorf("expected %d tokens in and %d out, want 33750 and 26250", in, out)
	}
	if !strings.Contains(p.Expected.Assumption, "1.00 s to 4.00 s per request") {
		t.Errorf("assumption %q does not say how long the requests of both shapes take", p.Expected.Assumption)
	}
	if w := p.WorkloadOf(p.Points[1]); w.Prompt.Scenario != "D(50,190)" || len(w.SequenceLengthMix) != 1 {
		t.Errorf("the second point asks %q of %v", w.Prompt.Scenario, w.SequenceLengthMix)
	}
}
