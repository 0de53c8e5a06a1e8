package fidelity

import (
	"strings"
	"testing"

	"assay/record"
)

func TestObservedAdd(t *testing.T) {
	sent, err := readTruth(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	clock := &record.Clock{Epoch: 1000}
	wrote := int64(-470)
	ok := record.Request{Result: record.OK, ServerID: "a", User: -1, Phase: record.Measure, Due: -500, Sent: -490, Wrote: &wrote, Stamps: "x"}
	var seen Observed
	seen.Add(ok, []record.Chunk{
		{Kind: record.Blank, At: -900},
		{Kind: record.Content, At: 30, Shared: true}, // shares its read with what is no token
		{Kind: record.Content, At: 30, Shared: true},
		{Kind: record.DoneMark, At: 30, Shared: true},
	}, clock)
	warm := ok
	warm.ServerID, warm.Phase = "b", record.Warmup
	seen.Add(warm, []record.Chunk{{Kind: record.Content, At: 0}, {Kind: record.Content, At: 1000}}, clock)
	seen.Add(record.Request{Result: record.Cut}, nil, clock)
	seen.Add(record.Request{Result: record.Reset, Error: "gone"}, nil, clock)

	r := judge(seen, sent)
	if r.TTFT.N != 1 || r.TTFT.Max != 50 || r.Lag.Max != 10 {
		t.Errorf("TTFT %+v, lag %+v; want 50 (waited 10, wrote after 20, stamped 20 late) and 10", r.TTFT, r.Lag)
	}
	if r.Lost != 0 || r.Failed != 1 || r.Error != "reset: gone" {
		t.Errorf("%d lost, %d failed (%s); want none lost and one reset", r.Lost, r.Failed, r.Error)
	}
	if r.Events != 2 || r.Shared != 0.25 {
		t.Errorf("%d events judged, %v shared; want 2 and one of four", r.Events, r.Shared)
	}
	if got := r.Lag.Record(); got != (record.ErrorSpread{N: 1, P50: 10, P90: 10, Mean: 10, P99: 10, P999: 10, Max: 10}) {
		t.Errorf("recorded as %+v", got)
	}
}
