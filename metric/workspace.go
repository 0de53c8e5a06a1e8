package metric

// A workspace is what one worker uses again for each request: what several metrics
// ask of its events is found once, and the values of a metric need no memory of
// their own. A request without one is asked all the same, as tests do.
type workspace struct {
	found  bool // gaps and flow are those of the present request
	gaps   []int64
	flow   gapSums
	values []float64
}

// lend gives t the workspace for as long as its events are there.
func (w *workspace) lend(t *Timeline) {
	w.found = false
	t.space = w
}

// room is where to append so many values of t. They are good until the next metric is
// asked.
func (t *Timeline) room(n int) []float64 {
	if t.space == nil {
		return make([]float64, 0, n)
	}
	if cap(t.space.values) < n {
		t.space.values = make([]float64, 0, 2*n)
	}
	return t.space.values
}

// gaps are the times between successive output events whose stamps are known.
func (t *Timeline) gaps() []int64 {
	if t.space == nil {
		return t.findGaps(nil)
	}
	t.space.find(t)
	return t.space.gaps
}

// flow sums up the gaps.
func (t *Timeline) flow() gapSums {
	if t.space == nil {
		return sumGaps(t.findGaps(nil))
	}
	t.space.find(t)
	return t.space.flow
}

func (w *workspace) find(t *Timeline) {
	if !w.found {
		w.gaps = t.findGaps(w.gaps[:0])
		w.flow, w.found = sumGaps(w.gaps), true
	}
}
