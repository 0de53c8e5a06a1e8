package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// LevelStepMethod names the test of LevelSteps.
const LevelStepMethod = "t/pooled-spread"

// The kinds of a step.
const (
	PlainStep  = "step"  // from one level to another
	DriftStep  = "drift" // a line explains the values better than two levels do
	SwitchStep = "modes" // back to a level that the series had left before, for the second time
)

// A RememberedLevel is what a series was like before it changed. It is written down when a change is
// seen, and what comes later is tested against it.
type RememberedLevel struct {
	Centre float64 `json:"centre"` // mean of its values, outliers left out
	Spread float64 `json:"spread"` // standard deviation of one of them
	N      int     `json:"n"`
}

// A LevelStep is a change of level as it looked on the day on which it was seen first.
type LevelStep struct {
	At     int             // of the first value after it
	Seen   int             // how many values there were when it was seen
	Over   int             // how many there were when the newest three lay in the level before again; 0: they never did
	Before RememberedLevel // the remembered one
	P      float64         // two-sided, of the place that shows it best
	Kind   string
	Root   int // the number of the step that it goes on with, the same drift or the same two modes; its own where it is the first
	up     bool
	from   int // the first value of the level before it
}

const (
	// FewestLevel is how many values make the first level of a series: with fewer, the spread is
	// anybody's guess and so is the threshold. A level after a step may be left after two, since
	// its spread is known from the level before.
	FewestLevel, fewestLater = 5, 2

	// FewestAfter is how many values must have left a level.
	FewestAfter = 2

	// FewestBack is how many of the newest values must lie in a remembered level for a step to
	// be over.
	FewestBack = 3

	// mostAfter and mostLevel bound what is looked at: a step that was not seen in 60 values,
	// by a level of 100, is smaller than their noise.
	mostAfter, mostLevel = 60, 100

	// lineSlack is how much more a line may leave than levels do and still be what happened: a
	// stair of three steps of two spreads leaves a line 30 % more.
	lineSlack = 1.15

	// priorMost bounds what the spread of the level before counts for in the one after.
	priorMost = 6
)

// LevelSteps goes through a series as one who looks after every value: what was seen then is
// seen for good, whatever comes later. A step is a place with at least five values before it
// and two after it whose t, with the spread pooled over both sides, has a P of at most p, and
// up to 60 times that while the series is young. Where neighbours are correlated, the error of
// the means is that of correlated values. The values after a step are a new level, and later
// ones are tested against it; where the newest three lie in the remembered level again, the
// step is over and that level goes on.
//
// One value may lie anywhere: it is left out of its level by a test of the farthest value, and
// it makes no step, since the others after it must lean the same way.
func LevelSteps(xs []float64, p float64) []LevelStep {
	w := levelWalk{xs: xs, p: p}
	for n := FewestLevel + FewestAfter; n <= len(xs); n++ {
		w.look(n)
	}
	return w.steps
}

// A levelWalk is what is known after so many looks.
type levelWalk struct {
	xs    []float64
	p     float64
	base  []float64         // values of the newest level from before it was left, where it was entered again
	from  int               // the first value of the newest level
	prior squares           // of the level before
	hang  neighbours        // of all levels that were left
	past  []RememberedLevel // those that were left
	steps []LevelStep
}

// squares are a sum of squares and what it is worth.
type squares struct{ sum, df float64 }

func (w *levelWalk) look(n int) {
	best, found := levelDeparture{p: 1, allowed: w.p}, 0
	for k := FewestAfter; k <= min(mostAfter, n-w.from); k++ {
		level := w.level(n - k)
		if len(level) < fewestLater || len(level) < FewestLevel && w.prior.df == 0 {
			break
		}
		if d := departureOf(level, w.xs[n-k:n], w.prior, w.hang, w.p); d.p <= d.allowed && (found == 0 || d.strength() < best.strength()) {
			best, found = d, n-k
		}
	}
	if found > 0 {
		w.begin(LevelStep{At: found, Seen: n, Before: best.level, P: best.p}, best.before)
	}
	w.back(n)
}

// level are the values of the newest level before a place, the newest of them.
func (w *levelWalk) level(at int) []float64 {
	list := w.xs[w.from:at]
	if len(w.base) > 0 {
		list = slices.Concat(w.base, list)
	}
	return list[max(0, len(list)-mostLevel):]
}

// begin starts a level at a step.
func (w *levelWalk) begin(s LevelStep, before squares) {
	after := stat.Mean(w.xs[s.At:s.Seen], nil)
	s.up, s.from = after > s.Before.Centre, w.from
	w.name(&s, after)
	scale := 1.0
	if s.Before.Centre != 0 {
		scale = max(1, math.Abs(after/s.Before.Centre)) // noise grows with what it is the noise of
	}
	if before.df > 0 {
		w.prior = squares{before.sum / before.df * min(priorMost, before.df) * scale * scale, min(priorMost, before.df)}
	}
	w.hang = w.hang.with(withoutFarthest(w.xs[w.from:s.At]))
	w.past = append(w.past, s.Before)
	w.steps = append(w.steps, s)
	w.base, w.from = nil, s.At
}

// name says what kind of step it is, and which one it goes on with.
func (w *levelWalk) name(s *LevelStep, after float64) {
	s.Kind, s.Root = PlainStep, len(w.steps)
	near := func(a float64, of RememberedLevel) bool {
		return math.Abs(a-of.Centre) <= 2*s.Before.Spread*math.Sqrt(1/float64(s.Seen-s.At)+1/float64(of.N))
	}
	n := len(w.past)
	switch {
	case n >= 2 && w.steps[n-2].up == s.up && near(after, w.past[n-1]) && near(s.Before.Centre, w.past[n-2]):
		s.Kind, s.Root = SwitchStep, w.steps[n-2].Root
	case w.betweenModes(s, after):
		s.Kind = SwitchStep
	case w.sameDrift(s):
		s.Kind, s.Root = DriftStep, w.steps[n-1].Root
	case lineFits(w.xs[w.from:s.Seen], s.At-w.from):
		s.Kind = DriftStep
	}
}

// betweenModes reports whether a step leads from and to where two modes that were named have
// been, and makes the first step between them the same way its root.
func (w *levelWalk) betweenModes(s *LevelStep, after float64) bool {
	for _, named := range w.steps {
		if named.Kind != SwitchStep {
			continue
		}
		first := w.steps[named.Root]
		low, high := first.Before.Centre, w.past[named.Root+1].Centre
		low, high = min(low, high), max(low, high)
		off := 2 * s.Before.Spread * math.Sqrt(1/float64(s.Seen-s.At)+1/float64(first.Before.N))
		if min(after, s.Before.Centre) < low-off || max(after, s.Before.Centre) > high+off {
			continue
		}
		for i, other := range w.steps {
			if i >= named.Root && other.up == s.up {
				s.Root = other.Root
				return true
			}
		}
		return true
	}
	return false
}

// sameDrift reports whether a step goes on the way that the one before it went, and a line
// over both leaves less than their levels do.
func (w *levelWalk) sameDrift(s *LevelStep) bool {
	n := len(w.steps)
	if n == 0 || w.steps[n-1].up != s.up || w.steps[n-1].Over > 0 {
		return false
	}
	return w.lineOver(n-1, s) || w.steps[n-1].Root < n-1 && w.lineOver(w.steps[n-1].Root, s)
}

// lineOver reports whether a line fits the values from the level before a step on better than
// the levels between do.
func (w *levelWalk) lineOver(first int, s *LevelStep) bool {
	start, levels := w.steps[first].from, 0.0
	from := start
	for _, step := range append(slices.Clone(w.steps[first:]), *s) {
		_, own := squaresOf(w.xs[from:step.At])
		levels, from = levels+own.sum, step.At
	}
	_, last := squaresOf(w.xs[from:s.Seen])
	left := lineLeaves(w.xs[start:s.Seen]) // of two parameters; each place is one, and each level
	n, places := float64(s.Seen-start), float64(len(w.steps)-first+1)
	return left/(n-2) < lineSlack*(levels+last.sum)/(n-1-2*places)
}

// back looks whether the newest values lie in the level before the last step that is not over.
func (w *levelWalk) back(n int) {
	for i := len(w.steps) - 1; i >= 0; i-- {
		s := &w.steps[i]
		if s.Over > 0 || n-FewestBack < s.At+FewestAfter {
			continue
		}
		newest := w.xs[n-FewestBack : n]
		until := n - FewestBack
		if i+1 < len(w.steps) {
			until = min(until, w.steps[i+1].At)
		}
		after := w.xs[s.At:until]
		if !s.Before.Holds(newest, stat.Mean(after, nil)) {
			continue
		}
		apart := math.Abs(stat.Mean(newest, nil)-stat.Mean(after, nil)) / math.Sqrt(1/float64(FewestBack)+1/float64(len(after)))
		if i == len(w.steps)-1 && twoSided(apart/s.Before.Spread, float64(s.Before.N-1)) > 10*w.p {
			continue // they may belong to the level after it as well
		}
		for k := i; k < len(w.steps); k++ { // what went further the same way is over as well
			if later := &w.steps[k]; later.up == s.up && later.Over == 0 {
				later.Over = n
			}
		}
		start := 0
		if i > 0 {
			start = w.steps[i-1].At
		}
		w.base = w.xs[max(start, s.At-mostLevel):s.At]
		w.from = max(w.from, n-FewestBack)
		if i+1 < len(w.steps) {
			w.from = min(w.from, w.steps[len(w.steps)-1].At)
		}
		return
	}
}

// Holds reports whether values lie in a level, and nearer to it than to another one.
func (l RememberedLevel) Holds(values []float64, other float64) bool {
	for _, x := range values {
		off := math.Abs(x - l.Centre)
		if off > 3*l.Spread*math.Sqrt(1+1/float64(l.N)) || off >= math.Abs(x-other) {
			return false
		}
	}
	return true
}

// lineFits reports whether a line leaves less of a series than two levels do, and slopes
// within the first of them already.
func lineFits(xs []float64, at int) bool {
	if at < FewestLevel {
		return false
	}
	_, first := squaresOf(xs[:at])
	_, second := squaresOf(xs[at:])
	return lineLeaves(xs) < first.sum+second.sum && slopeOf(xs[:at])*slopeOf(xs) > 0
}

// lineLeaves is what a line leaves of values, as squares.
func lineLeaves(xs []float64) (left float64) {
	for _, x := range besideLine(xs) {
		left += x * x
	}
	return left
}

func slopeOf(xs []float64) float64 {
	sum := 0.0
	for i, x := range xs {
		sum += x * (float64(i) - float64(len(xs)-1)/2)
	}
	return sum
}
