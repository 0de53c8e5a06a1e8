package plan

import (
	"testing"

	"assay/record"
	"assay/unit"
)

// A request is judged by what it did from when it was due.
func TestMisses(t *testing.T) {
	second := unit.Duration(1e9)
	tokens := int32(5)
	ok := &record.Request{Done: 9e8, Phase: record.Measure, Result: record.OK, UsageOutput: &tokens}
	chunks := []record.Chunk{{Kind: record.Role}}
	for k := range int64(5) {
		chunks = append(chunks, record.Chunk{At: 5e8 + k*1e8, Kind: record.Content})
	}
	for _, tt := range []struct {
		name         string
		o            Objective
		change       func(r *record.Request) []record.Chunk
		miss, counts bool
	}{
		{"in time", Objective{TTFT: second, TPOT: second, E2E: second}, nil, false, true},
		{"first token late", Objective{TTFT: second / 4}, nil, true, true},
		{"tokens slow", Objective{TPOT: second / 20}, nil, true, true},
		{"all of it late", Objective{E2E: second / 2}, nil, true, true},
		{"one of two limits", Objective{TTFT: second, E2E: second / 2}, nil, true, true},
		{"failed", Objective{}, func(r *record.Request) []record.Chunk { r.Result = record.Timeout; return chunks }, true, true},
		{"dropped", Objective{TTFT: second}, func(r *record.Request) []record.Chunk { r.Result = record.Dropped; return nil }, true, true},
		{"cut", Objective{TTFT: second}, func(r *record.Request) []record.Chunk { r.Result = record.Cut; return nil }, false, false},
		{"no token to be seen", Objective{TTFT: second}, func(*record.Request) []record.Chunk { return chunks[:1] }, true, true},
		{"no count of tokens", Objective{TPOT: second}, func(r *record.Request) []record.Chunk { r.UsageOutput = nil; return chunks }, true, true},
		{"no tokens wanted", Objective{E2E: second}, func(*record.Request) []record.Chunk { return nil }, false, true},
	} {
		r, cs := *ok, chunks
		if tt.change != nil {
			cs = tt.change(&r)
		}
		if miss, counts := tt.o.Misses(&r, cs); miss != tt.miss || counts != tt.counts {
			t.Errorf("%s: miss %v, counts %v, want %v and %v", tt.name, miss, counts, tt.miss, tt.counts)
		}
	}
}

// Goodput takes the tightest limit of each kind.
func TestGood(t *testing.T) {
	run := parse(t, searching)
	run.Spec.SLO = append(run.Spec.SLO, run.Spec.SLO[0])
	run.Spec.SLO[2].Max /= 3
	good, ok := Good(run)
	if !ok || good.TTFT != unit.Duration(1e8) || good.TPOT != 0 || good.Name != "ttft ≤ 300ms and ttft ≤ 100ms" {
		t.Errorf("good is %+v, %v", good, ok)
	}
	run.Spec.SLO = run.Spec.SLO[1:2]
	if _, ok := Good(run); ok {
		t.Error("an error rate alone limits no latency")
	}
}
