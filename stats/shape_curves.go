package stats

import (
	"math"
	"slices"
)

// The prices of choosing one curve of a kind, in parameters of Schwarz's
// criterion. A place that may lie anywhere is dearer than a scale: the best of
// sixty places explains noise better than one parameter does.
const (
	flatFree   = 0
	driftFree  = 1
	decayFree  = 2
	jumpFree   = 2
	cycleFree  = 3
	levelsFree = 2.5 // for each jump
)

// curves lists the candidates for a series of n batches.
func curves(n int) []curve {
	list := []curve{{shape: Flat, free: flatFree}}
	list = append(list, drifts(n)...)
	list = append(list, decays(n)...)
	list = append(list, jumps(n)...)
	return append(list, cycles(n)...)
}

// column makes one of n values of f, its argument from 0 to 1.
func column(n int, f func(t float64) float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = f((float64(i) + .5) / float64(n))
	}
	return xs
}

// drifts are straight, and bent in either direction.
func drifts(n int) (list []curve) {
	for _, power := range []float64{1, .5, 2} {
		list = append(list, curve{shape: Drift, free: driftFree, settles: math.Inf(1),
			columns: [][]float64{column(n, func(t float64) float64 { return math.Pow(t, power) })}})
	}
	return list
}

// decays fall off exponentially from the first batch, or in a straight line to a
// level: the one is a cache that fills, the other a queue.
func decays(n int) (list []curve) {
	for _, tau := range []float64{.01, .015, .02, .026, .033, .042, .053, .067, .083, .1, .12, .145, .175, .22, .3, .45, .7} {
		list = append(list, curve{shape: WarmUp, free: decayFree, settles: 3 * tau * float64(n),
			columns: [][]float64{column(n, func(t float64) float64 { return math.Exp(-t / tau) })}})
		// The logarithm of a decay from ten times the level: on that scale a large
		// one falls in a straight line first.
		list = append(list, curve{shape: WarmUp, free: decayFree, settles: 4 * tau * float64(n),
			columns: [][]float64{column(n, func(t float64) float64 { return math.Log1p(9 * math.Exp(-t/tau)) })}})
	}
	for _, end := range []float64{.05, .06, .07, .083, .097, .11, .125, .14, .16, .18, .2, .22, .245, .27, .3, .35, .42, .5} {
		list = append(list, curve{shape: WarmUp, free: decayFree, settles: end * float64(n),
			columns: [][]float64{column(n, func(t float64) float64 { return max(0, 1-t/end) })}})
	}
	return list
}

// jumps change from one level to another once. The later one lasts for a tenth of
// the series at least: a slow moment at the very end is no plateau.
func jumps(n int) (list []curve) {
	for at := 1; at <= n-max(3, n/10); at++ {
		c := curve{shape: Step, free: jumpFree, changes: []int{at}}
		if float64(at) <= earlyPart*float64(n) {
			c.shape, c.settles = WarmUp, float64(at)
		}
		c.columns = [][]float64{after(n, at)}
		list = append(list, c)
		// The batch in which a jump lies has a mean of its own.
		c.columns = [][]float64{after(n, at), only(n, at-1)}
		list = append(list, c)
	}
	return list
}

// only is one at one place and zero elsewhere.
func only(n, at int) []float64 {
	xs := make([]float64, n)
	xs[at] = 1
	return xs
}

// afterWarmUp joins every third decay or early jump with every drift and every
// second later jump: nearly right is enough to tell the kind, and all pairs would
// be thousands.
func afterWarmUp(n int) (list []curve) {
	var first, later []curve
	for _, c := range slices.Concat(decays(n), jumps(n), drifts(n)) {
		switch {
		case c.shape == WarmUp && c.settles <= latePart*float64(n) && len(c.columns) == 1:
			first = append(first, c)
		case c.shape != WarmUp && len(c.columns) == 1:
			later = append(later, c)
		}
	}
	for i := 0; i < len(first); i += 3 {
		for k := 0; k < len(later); k++ {
			a, b := first[i], later[k]
			if b.shape == Step && k%2 == 1 {
				continue
			}
			b.columns = append(b.columns[:1:1], a.columns[0])
			b.free += a.free
			b.settles = a.settles
			list = append(list, b)
		}
	}
	return list
}

// after is zero before at and one from there on.
func after(n, at int) []float64 {
	xs := make([]float64, n)
	for i := at; i < n; i++ {
		xs[i] = 1
	}
	return xs
}

// cycles have from 2.5 periods in the series to one in four batches, with a
// second and third harmonic for those that are no sine.
func cycles(n int) (list []curve) {
	for count := 2.5; count <= float64(n)/4; count *= cycleStep {
		list = append(list, cycle(n, count))
	}
	return list
}

// cycleStep is how far neighbouring periods lie apart. Over many rounds even so
// little leaves a large and clean cycle out of step; see finer.
const cycleStep = 1.04

func cycle(n int, count float64) curve {
	c := curve{shape: Cyclic, free: cycleFree, period: float64(n) / count, nested: 2}
	for harmonic := 1.; harmonic <= 3 && harmonic*count <= float64(n)/2.5; harmonic++ {
		turn := 2 * math.Pi * harmonic * count
		c.columns = append(c.columns,
			column(n, func(t float64) float64 { return math.Sin(turn * t) }),
			column(n, func(t float64) float64 { return math.Cos(turn * t) }))
	}
	return c
}

// finer lists the periods between the neighbours of one.
func finer(n int, period float64) (list []curve) {
	const steps = 8
	for i := -steps + 1; i < steps; i++ {
		if i != 0 {
			list = append(list, cycle(n, float64(n)/period*math.Pow(cycleStep, float64(i)/steps)))
		}
	}
	return list
}

// levels is the curve of several jumps, as PELT finds them; ok is false where
// there are fewer than two.
func levels(ys []float64) (c curve, ok bool) {
	changes, err := PELT(ys, PELTOptions{Penalty: 4 * math.Log(float64(len(ys)))})
	if err != nil || len(changes) < 2 {
		return c, false
	}
	c = curve{shape: NeverSteady, free: levelsFree * float64(len(changes)), changes: changes}
	for _, at := range changes {
		c.columns = append(c.columns, after(len(ys), at))
	}
	return c, true
}
