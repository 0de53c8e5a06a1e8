package metric

import "assay/record"

// What metrics of a whole point or launch may know about the events of a stream.
// Only Metric.Each may look at Timeline.Events: a bundle can hold a hundred
// million of them, so they are let go, request by request, before the others are
// asked, and an output is what stays.
type output struct {
	letGo       bool
	first, last int64 // when the first and the last event with output arrived
	events      int32 // with output
	share       float64
}

// leaveEvents lets go of the events of a stream and keeps what may be asked for.
func (t *Timeline) leaveEvents() {
	var begin, end int64
	if t.in != nil {
		begin, end = t.in.Begin, t.in.End
	}
	t.kept, t.Events, t.space = t.look(begin, end), nil, nil
	t.kept.letGo = true
}

// look goes through the events once; the share is that of [begin, end).
func (t *Timeline) look(begin, end int64) (o output) {
	var inside, all, insideEvents int64
	for i := range t.Events {
		c := &t.Events[i]
		if !c.Kind.Output() {
			continue
		}
		if o.events == 0 {
			o.first = c.At
		}
		o.events++
		o.last = c.At
		all += int64(c.TextBytes)
		if begin <= c.At && c.At < end {
			inside += int64(c.TextBytes)
			insideEvents++
		}
	}
	switch {
	case all > 0:
		o.share = float64(inside) / float64(all)
	case o.events > 0:
		o.share = float64(insideEvents) / float64(o.events)
	case begin <= t.Done && t.Done < end:
		o.share = 1
	}
	return o
}

// mustHold ends the program where the events are asked for after they were let go.
func (t *Timeline) mustHold() {
	if t.kept.letGo {
		panic("metric: the events of a stream are asked for after they were let go: only Each may look at them")
	}
}

// Output yields the events that carried output, in order of arrival. It must not
// be called when they were let go: none would be taken for an answer without any.
func (t *Timeline) Output(yield func(record.Chunk) bool) {
	t.mustHold()
	for i := range t.Events { // a copy only of what is taken
		if t.Events[i].Kind.Output() && !yield(t.Events[i]) {
			return
		}
	}
}

// firstOutput is when the first event that carried output arrived; false when
// none did.
func (t *Timeline) firstOutput() (int64, bool) {
	if t.kept.letGo {
		return t.kept.first, t.kept.events > 0
	}
	for c := range t.Output {
		return c.At, true
	}
	return 0, false
}

// lastOutput is when the last event that carried output arrived; false when none
// did.
func (t *Timeline) lastOutput() (at int64, ok bool) {
	if t.kept.letGo {
		return t.kept.last, t.kept.events > 0
	}
	for i := len(t.Events) - 1; i >= 0; i-- {
		if t.Events[i].Kind.Output() {
			return t.Events[i].At, true
		}
	}
	return 0, false
}

// OutputSpan is when the first and the last event that carried output arrived;
// false when none did.
func (t *Timeline) OutputSpan() (first, last int64, ok bool) {
	first, ok = t.firstOutput()
	last, _ = t.lastOutput()
	return first, last, ok
}

// outputEvents is how many events carried output.
func (t *Timeline) outputEvents() (n int) {
	if t.kept.letGo {
		return int(t.kept.events)
	}
	for range t.Output {
		n++
	}
	return n
}

// shareInside is the share of a request's output that arrived in [begin, end).
// Output without text, such as tool calls, is weighed by event; an answer that
// was not streamed has none and arrived whole when it ended. Once the events are
// let go, only the window of the request's own point can be asked for.
func (t *Timeline) shareInside(begin, end int64) float64 {
	if t.kept.letGo {
		if t.in == nil || t.in.Begin != begin || t.in.End != end {
			panic("metric: shareInside of another window than the point's, after the events were let go")
		}
		return t.kept.share
	}
	return t.look(begin, end).share
}
