package metric

import (
	"testing"

	"assay/plan"
	"assay/record"
	"assay/unit"
)

// Goodput counts the requests that kept every limit, and nothing else.
func TestGoodput(t *testing.T) {
	request := func(ttft int64, result record.Outcome) *Timeline {
		return &Timeline{
			Request: record.Request{Phase: record.Measure, Done: ttft + 1e8, Result: result},
			Events:  []record.Chunk{{At: ttft, Kind: record.Content}},
		}
	}
	p := &Point{End: 2e9, Requests: []*Timeline{
		request(1e8, record.OK), request(2e8, record.OK), request(2e8, record.OK), // good
		request(4e8, record.OK),      // too late
		request(1e8, record.Timeout), // failed
		request(1e8, record.Dropped), // never sent
		request(1e8, record.Cut),     // neither
		{Request: record.Request{Phase: record.Warmup, Result: record.OK}},
	}}
	if _, ok := Goodput.Whole(p); ok {
		t.Error("goodput without limits")
	}
	p.Limits = &plan.Objective{TTFT: unit.Duration(3e8)}
	if got, ok := Goodput.Whole(p); !ok || got != 1.5 {
		t.Errorf("goodput %v, %v, want 3 in 2 s", got, ok)
	}
	if good, all := Attainment.Share(p); good != 3 || all != 6 {
		t.Errorf("%d of %d are good, want 3 of 6", good, all)
	}
}
