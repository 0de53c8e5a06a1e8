package stats

import (
	"math"
	"slices"
)

// judged is what was found out about a series of batches.
type judged struct {
	shape       Shape
	warm        int     // batches of a warm-up at the beginning
	rest        int     // from where on nothing of it is left that could be seen
	changes     []int   // batches at which the level jumps
	change      float64 // what the level does after the warm-up
	period      float64
	correlation float64
	noise       float64
}

// judgeShape chooses the best curve and says what it means; differences of ys are
// relative changes. What follows a warm-up is looked at again by itself: a drift behind a warm-up is a drift.
func judgeShape(ys []float64, tolerance float64) judged {
	f := newFitter(ys, tolerance/4)
	best := f.best(curves(len(ys)))
	if c, ok := levels(ys); ok {
		best = better(best, f.fit(c))
	}
	j := f.meaning(best, tolerance)
	if j.shape == NeverSteady {
		// It may be a drift or a step behind a warm-up. There are too many such
		// curves to try them on every series.
		best = better(best, f.best(afterWarmUp(len(ys))))
		j = f.meaning(best, tolerance)
	}
	if j.shape == NeverSteady {
		j = cutOff(ys, j, tolerance)
	}
	if j.shape == WarmUp && len(ys)-j.rest >= fewestBatches {
		later := judgeRest(ys[j.rest:], tolerance)
		switch {
		case later.shape == Flat, later.shape == Drift && tail(ys, j, later):
		default:
			later.warm = j.warm
			for i := range later.changes {
				later.changes[i] += j.rest
			}
			j = later
		}
	}
	return j
}

// tail reports whether a drift behind a warm-up is the end of it: in the same
// direction, and by less than a tenth of what the warm-up moved.
func tail(ys []float64, warm, later judged) bool {
	moved := mean(ys[warm.rest:]) - ys[0]
	return moved*later.change > 0 && math.Abs(later.change) < math.Abs(moved)/10
}

// cutOff looks whether a series that seems restless is flat once its beginning is
// cut off: a warm-up of a form that no curve has, so large beside the noise that
// the difference counts. The beginning must move by ten noises of the rest, or
// every wandering series that happens to rest for a while would pass.
func cutOff(ys []float64, j judged, tolerance float64) judged {
	n := len(ys)
	for _, share := range []float64{.05, .1, .15, .2, .25, .3, earlyPart} {
		cut := int(math.Ceil(share * float64(n)))
		if n-cut < fewestBatches {
			break
		}
		rest := judgeRest(ys[cut:], tolerance)
		if rest.shape != Flat || slices.Max(ys[:cut])-slices.Min(ys[:cut]) < 10*rest.noise {
			continue
		}
		level := mean(ys[cut:])
		warm := cut
		for warm > 0 && math.Abs(ys[warm-1]-level) <= max(rest.noise, tolerance) {
			warm--
		}
		rest.shape, rest.warm, rest.rest = WarmUp, warm, cut
		return rest
	}
	return j
}

// judgeRest judges what is left after a warm-up, which has none of its own.
func judgeRest(ys []float64, tolerance float64) judged {
	f := newFitter(ys, tolerance/4)
	list := slices.DeleteFunc(curves(len(ys)), func(c curve) bool { return c.shape == WarmUp })
	best := f.best(list)
	if c, ok := levels(ys); ok {
		best = better(best, f.fit(c))
	}
	return f.meaning(best, tolerance)
}

// best is the curve with the smallest score. The best of the cycles is tried with
// the periods around it too.
func (f *fitter) best(list []curve) fitted {
	best, round := fitted{score: math.Inf(1)}, fitted{score: math.Inf(1)}
	for _, c := range list {
		one := f.fit(c)
		best = better(best, one)
		if one.period > 0 {
			round = better(round, one)
		}
	}
	if round.period > 0 {
		for _, c := range finer(len(f.ys), round.period) {
			best = better(best, f.fit(c))
		}
	}
	return best
}

func better(a, b fitted) fitted {
	if b.score < a.score {
		return b
	}
	return a
}

// meaning turns a fitted curve into a judgement.
func (f *fitter) meaning(c fitted, tolerance float64) judged {
	n := len(f.ys)
	level := f.level(c)
	j := judged{shape: c.shape, changes: slices.Clone(c.changes), period: c.period, correlation: c.correlation, noise: c.noise}
	wanders := c.correlation >= wandering || c.correlation >= restless && c.shape != Flat
	switch {
	case wanders:
		j.shape, j.changes, j.period = NeverSteady, nil, 0
	case c.shape == WarmUp:
		j.changes = nil
		j.warm, j.rest = settled(level, max(c.noise, tolerance)), settled(level, c.noise/4)
		if max(c.settles, float64(j.warm)) > latePart*float64(n) {
			j.shape, j.warm = Drift, 0
		}
	case c.settles > 0 && !math.IsInf(c.settles, 1):
		j.warm = int(math.Ceil(c.settles)) // a drift or a step behind a warm-up
	case len(j.changes) == 2 && float64(j.changes[0]) <= earlyPart*float64(n):
		// Two jumps of which the first is early are a warm-up and a step.
		j.shape, j.warm, j.changes = Step, j.changes[0], j.changes[1:]
	case len(j.changes) == 2 && j.changes[1]-j.changes[0] <= 3:
		j.shape, j.changes = Step, j.changes[1:] // one jump inside a batch
	}
	switch {
	case j.shape == Drift || j.shape == Step:
		j.change = level[n-1] - level[j.warm]
	case wanders:
		j.change = slices.Max(f.ys) - slices.Min(f.ys)
	default:
		j.change = slices.Max(level) - slices.Min(level)
	}
	if math.Abs(j.change) < tolerance {
		j = judged{shape: Flat, warm: j.warm, correlation: c.correlation, noise: c.noise}
		if j.warm > 0 {
			j.shape = WarmUp
		}
	}
	if j.shape == WarmUp || j.shape == Flat {
		j.change = 0
	}
	return j
}

// settled is the first batch from which on a curve keeps within so much of its
// end.
func settled(level []float64, within float64) int {
	end := level[len(level)-1]
	at := len(level) - 1
	for at > 0 && math.Abs(level[at-1]-end) <= within {
		at--
	}
	return at
}
