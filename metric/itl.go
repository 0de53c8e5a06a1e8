package metric

import (
	"assay/record"
	"assay/unit"
)

// ITL is how evenly a stream flows, event by event.
var ITL = Metric{
	ID:     "itl_chunk.v2",
	Name:   "ITL (chunk)",
	Unit:   unit.Second,
	Better: Lower,
	Scope:  Scope{Workload: textOut},
	Doc:    "Time between two successive events of one stream that carried output. One gap per event, whatever number of tokens it holds; every gap whose ends are known counts, so a stall cannot be averaged away. Not known are the stamps of events that one read took together although the server may have sent them apart: their gaps are left out, and the client's health says how many events shared a read.",
	Of: Values(func(t *Timeline) []float64 {
		gaps := make([]float64, 0, len(t.Events))
		for gap := range t.gaps {
			gaps = append(gaps, seconds(gap))
		}
		return gaps
	}),
}

// ITLAll is ITL as it was until gaps of shared reads were left out.
var ITLAll = Metric{
	ID: "itl_chunk.v1", Name: "ITL (chunk, every gap)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
	Doc: "As itl_chunk.v2, with the gaps of events that shared a read: of two such events the first one's gap is too long and the second one's nothing.",
	Of: Values(func(t *Timeline) []float64 {
		gaps := make([]float64, 0, len(t.Events))
		last := int64(-1)
		for c := range t.Output {
			if last >= 0 {
				gaps = append(gaps, seconds(c.At-last))
			}
			last = c.At
		}
		return gaps
	}),
}

// gaps yields the times between successive output events whose stamps are known.
func (t *Timeline) gaps(yield func(gap int64) bool) {
	t.mustHold()
	before := -1 // the output event before
	for i := range t.Events {
		if !t.Events[i].Kind.Output() {
			continue
		}
		if before >= 0 && !t.stampedLate(before) && !t.stampedLate(i) && !yield(t.Events[i].At-t.Events[before].At) {
			return
		}
		before = i
	}
}

// stampedLate reports whether the output event i was read together with the next one,
// which may have come later: the stamp is that of the last.
func (t *Timeline) stampedLate(i int) bool {
	for j := i + 1; j < len(t.Events); j++ {
		if c := &t.Events[j]; c.Kind.Output() {
			return readLater(c)
		}
	}
	return false
}

// readLater reports whether an event shared a read with the one before. A piece of the
// same event, which has no bytes of its own, came with it.
func readLater(c *record.Chunk) bool { return c.Shared && c.Bytes > 0 }
