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
		known := t.gaps()
		gaps := t.room(len(known))
		for _, gap := range known {
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
		t.mustHold()
		gaps := t.room(len(t.Events))
		last := int64(-1)
		for i := range t.Events {
			c := &t.Events[i]
			if !c.Kind.Output() {
				continue
			}
			if last >= 0 {
				gaps = append(gaps, seconds(c.At-last))
			}
			last = c.At
		}
		return gaps
	}),
}

// findGaps appends to gaps the times between successive output events whose stamps are
// known: that of an event is not when the next one shared its read.
func (t *Timeline) findGaps(gaps []int64) []int64 {
	t.mustHold()
	var before *record.Chunk // the output event before
	open := false            // gaps ends with that up to it, which counts unless the next one shares its read
	for i := range t.Events {
		c := &t.Events[i]
		if !c.Kind.Output() {
			continue
		}
		switch shared := readLater(c); {
		case shared && open:
			gaps, open = gaps[:len(gaps)-1], false
		case !shared && before != nil:
			gaps, open = append(gaps, c.At-before.At), true
		}
		before = c
	}
	return gaps
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
