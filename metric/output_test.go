package metric

import (
	"testing"

	"assay/record"
)

func TestOutputOfATimeline(t *testing.T) {
	one := &Timeline{Events: []record.Chunk{
		{At: 1, Kind: record.Role},
		{At: 2, Kind: record.Reasoning, TextBytes: 6},
		{At: 3, Kind: record.Blank},
		{At: 5, Kind: record.Content, TextBytes: 2},
		{At: 9, Kind: record.Finish},
	}}
	first, ok := one.firstOutput()
	last, also := one.lastOutput()
	if first != 2 || last != 5 || !ok || !also || one.outputEvents() != 2 {
		t.Errorf("output from %d (%v) to %d (%v), %d events; want 2 to 5, 2 events", first, ok, last, also, one.outputEvents())
	}
	if got := one.shareInside(2, 5); got != 0.75 {
		t.Errorf("share inside [2, 5) = %v, want 0.75", got)
	}
	none := &Timeline{Request: record.Request{Done: 7}}
	if _, ok := none.firstOutput(); ok {
		t.Error("an answer without events has a first output")
	}
	if _, ok := none.lastOutput(); ok {
		t.Error("an answer without events has a last output")
	}
	if got := none.shareInside(0, 8); got != 1 || none.outputEvents() != 0 {
		t.Errorf("an answer that was not streamed: %v inside and %d events, want 1 and 0", got, none.outputEvents())
	}
}
