package metric

// What metrics of a whole point or launch may know about the events of a stream.
// Only Metric.Each may look at Timeline.Events: they are let go before the others
// are asked.

// firstOutput is when the first event that carried output arrived; false when
// none did.
func (t *Timeline) firstOutput() (int64, bool) {
	for c := range t.Output {
		return c.At, true
	}
	return 0, false
}

// lastOutput is when the last event that carried output arrived; false when none
// did.
func (t *Timeline) lastOutput() (at int64, ok bool) {
	for c := range t.Output {
		at, ok = c.At, true
	}
	return at, ok
}

// outputEvents is how many events carried output.
func (t *Timeline) outputEvents() (n int) {
	for range t.Output {
		n++
	}
	return n
}

// shareInside is the share of a request's output that arrived in [begin, end).
// Output without text, such as tool calls, is weighed by event; an answer that
// was not streamed has none and arrived whole when it ended.
func (t *Timeline) shareInside(begin, end int64) float64 {
	var inside, all, insideEvents, allEvents int64
	for c := range t.Output {
		all += int64(c.TextBytes)
		allEvents++
		if begin <= c.At && c.At < end {
			inside += int64(c.TextBytes)
			insideEvents++
		}
	}
	switch {
	case all > 0:
		return float64(inside) / float64(all)
	case allEvents > 0:
		return float64(insideEvents) / float64(allEvents)
	case begin <= t.Done && t.Done < end:
		return 1
	}
	return 0
}
