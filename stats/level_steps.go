package stats

import (
	"cmp"
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
	P      float64         // two-sided, of the place with the largest t
	Kind   string
	up     bool
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

	// looseP is for the values after a step without the farthest of them: they need not show
	// the step alone, but must lean towards it, so that one outlier among them makes no step.
	looseP = .003

	// priorMost bounds what the spread of the level before counts for in the one after.
	priorMost = 6
)

// LevelSteps goes through a series as one who looks after every value: what was seen then is
// seen for good, whatever comes later. A step is a place with at least five values before it
// and two after it whose t, with the spread pooled over both sides, has a P of at most p. The
// values after a step are a new level, and later ones are tested against it; where the newest
// three lie in the remembered level again, the step is over and that level goes on.
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
	past  []RememberedLevel // those that were left
	steps []LevelStep
}

// squares are a sum of squares and what it is worth.
type squares struct{ sum, df float64 }

func (w *levelWalk) look(n int) {
	best, before := LevelStep{P: 1, Seen: n}, squares{}
	most := 0.0
	for k := FewestAfter; k <= min(mostAfter, n-w.from); k++ {
		level := w.level(n - k)
		if len(level) < fewestLater || len(level) < FewestLevel && w.prior.df == 0 {
			break
		}
		d := departureOf(level, w.xs[n-k:n], w.prior)
		if d.t > most {
			most, best.At, best.P, best.Before, before = d.t, n-k, d.p, d.level, d.before
		}
	}
	if best.P <= w.p && most > 0 {
		w.begin(best, before)
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
	s.Kind, s.up = PlainStep, after > s.Before.Centre
	near := func(a float64, of RememberedLevel) bool {
		return math.Abs(a-of.Centre) <= 2*s.Before.Spread*math.Sqrt(1/float64(s.Seen-s.At)+1/float64(of.N))
	}
	switch n := len(w.past); {
	case n >= 2 && near(after, w.past[n-1]) && near(s.Before.Centre, w.past[n-2]):
		s.Kind = SwitchStep
	case lineFits(w.xs[w.from:s.Seen], s.At-w.from):
		s.Kind = DriftStep
	}
	scale := 1.0
	if s.Before.Centre != 0 {
		scale = max(1, math.Abs(after/s.Before.Centre)) // noise grows with what it is the noise of
	}
	if before.df > 0 {
		w.prior = squares{before.sum / before.df * min(priorMost, before.df) * scale * scale, min(priorMost, before.df)}
	}
	w.past = append(w.past, s.Before)
	w.steps = append(w.steps, s)
	w.base, w.from = nil, s.At
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

// A levelDeparture is how far values lie from a level.
type levelDeparture struct {
	t, p   float64
	level  RememberedLevel
	before squares
}

func departureOf(level, after []float64, prior squares) levelDeparture {
	before := withoutFarthest(level)
	rest := after
	if len(after) >= FewestLevel {
		after = withoutFarthest(after)
	}
	mean, own := squaresOf(before)
	to, its := squaresOf(after)
	df := own.df + its.df + prior.df
	spread := math.Sqrt((own.sum + its.sum + prior.sum) / df)
	d := levelDeparture{p: 1, before: own, level: RememberedLevel{mean, math.Sqrt((own.sum + prior.sum) / max(1, own.df+prior.df)), len(before)}}
	if to == mean {
		return d
	}
	n, k := float64(len(before)), float64(len(after))
	off := to - mean
	farthest := slices.MaxFunc(rest, func(a, b float64) int { return cmp.Compare((a-mean)*off, (b-mean)*off) })
	others := (stat.Mean(rest, nil)*float64(len(rest)) - farthest) / float64(len(rest)-1)
	lean := (others - mean) * math.Copysign(1, off)
	if spread == 0 { // a level without noise: whatever differs, departs
		if lean > 0 {
			d.t, d.p = math.Inf(1), 0
		}
		return d
	}
	d.t = math.Abs(off) / (spread * math.Sqrt(1/n+1/k))
	if loose := lean / (spread * math.Sqrt(1/n+1/float64(len(rest)-1))); d.t < 3 || twoSided(loose, df) > looseP || loose < 0 {
		d.t = 0
		return d
	}
	d.p = twoSided(d.t, df)
	return d
}

func squaresOf(xs []float64) (mean float64, s squares) {
	mean = stat.Mean(xs, nil)
	for _, x := range xs {
		s.sum += (x - mean) * (x - mean)
	}
	s.df = float64(len(xs) - 1)
	return mean, s
}

// LevelOutliers are the places of values that lie apart from the others of their level: at
// most one in five, by the generalised test of the farthest value (Rosner 1983) at 0.001.
func LevelOutliers(xs []float64) (places []int) {
	const alpha = .001
	if len(xs) < FewestLevel {
		return nil
	}
	left := make([]int, len(xs))
	for i := range left {
		left[i] = i
	}
	found := 0
	for range len(xs) / 5 {
		at, t := farthest(xs, left)
		df := float64(len(left) - 2)
		places = append(places, left[at])
		left = slices.Delete(left, at, at+1)
		if t > 4 && twoSided(t, df)*float64(len(left)+1) <= alpha {
			found = len(places)
		}
	}
	places = places[:found]
	slices.Sort(places)
	return places
}

// farthest is the value farthest from the mean, in deviations of the others.
func farthest(xs []float64, of []int) (at int, t float64) {
	n, mean := float64(len(of)), 0.0
	for _, i := range of {
		mean += xs[i] / n
	}
	sum, most := 0.0, -1.0
	for k, i := range of {
		d := (xs[i] - mean) * (xs[i] - mean)
		sum += d
		if d > most {
			at, most = k, d
		}
	}
	others := sum - most*n/(n-1) // of squares, around their own mean
	if others <= sum*1e-14 {
		if most <= 0 {
			return at, 0
		}
		return at, math.Inf(1)
	}
	return at, math.Sqrt(most) * n / (n - 1) / math.Sqrt(others/(n-2)*n/(n-1))
}

func withoutFarthest(xs []float64) []float64 {
	places := LevelOutliers(xs)
	if len(places) == 0 {
		return xs
	}
	var list []float64
	for i, x := range xs {
		if !slices.Contains(places, i) {
			list = append(list, x)
		}
	}
	return list
}

// lineFits reports whether a line leaves less of a series than two levels do, and slopes
// within the first of them already.
func lineFits(xs []float64, at int) bool {
	if at < FewestLevel {
		return false
	}
	days := make([]float64, len(xs))
	for i := range days {
		days[i] = float64(i)
	}
	a, b := stat.LinearRegression(days, xs, nil, false)
	line := 0.0
	for i, x := range xs {
		line += (x - a - b*days[i]) * (x - a - b*days[i])
	}
	_, first := squaresOf(xs[:at])
	_, second := squaresOf(xs[at:])
	_, slope := stat.LinearRegression(days[:at], xs[:at], nil, false)
	return line < first.sum+second.sum && slope*b > 0
}
