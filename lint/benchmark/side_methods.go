package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"assay/stats"
)

// sideMethods compare two sides, one value for each launch: the second side is five
// per cent above the first.
var sideMethods = []method{
	ofSides("ratio of geometric means, Welch", 5, false, factor, stats.RatioOfMeans),
	ofSides("difference of means, Welch", 5, false, addend, stats.DifferenceOfMeans),
	ofSides("ratio, Hodges–Lehmann", 5, true, factor, stats.HodgesLehmannRatio),
	ofSides("shift, Hodges–Lehmann", 5, true, addend, stats.HodgesLehmann),
	ofPairs("ratio of pairs, Student's t", 5, false, factor, stats.PairedRatio),
	ofPairs("difference of pairs, Student's t", 5, false, addend, stats.PairedDifference),
	ofPairs("ratio of pairs, Walsh averages", 8, true, factor, stats.HodgesLehmannPairedRatio),
	ofPairs("shift of pairs, Walsh averages", 8, true, addend, stats.HodgesLehmannPaired),
}

// sideEffect is by how much the second side is more.
const sideEffect = .05

// A change moves values: those of the second side, and both sides of a block.
type change struct {
	by    func(w world, x, effect float64) float64
	truth func(w world) float64 // what a method should find
}

var (
	factor = change{
		func(w world, x, effect float64) float64 { return x * math.Exp(effect) },
		func(w world) float64 { return math.Exp(sideEffect) },
	}
	addend = change{
		func(w world, x, effect float64) float64 { return x + effect*w.mean },
		func(w world) float64 { return sideEffect * w.mean },
	}
)

type comparison = func(a, b []float64, confidence float64) (stats.Estimate, error)

// ofSides is a method that is given the means of k launches of each side.
func ofSides(name string, k int, ranks bool, c change, compare comparison) method {
	return method{
		name: name, sample: fmt.Sprintf("%d v %d launches", k, k), ranks: ranks,
		try: func(w world, rng *rand.Rand) (outcome, error) {
			a, b := launchMeans(w, rng, k), launchMeans(w, rng, k)
			for i := range b {
				b[i] = c.by(w, b[i], sideEffect)
			}
			est, err := compare(a, b, .95)
			return judge(est, c.truth(w)), err
		},
	}
}

// blockSpread is how much the blocks of pairs differ: it must cancel.
const blockSpread = .2

// ofPairs is a method that is given the means of k pairs of launches, which share
// the luck of their block.
func ofPairs(name string, k int, ranks bool, c change, compare comparison) method {
	return method{
		name: name, sample: fmt.Sprintf("%d pairs of launches", k), ranks: ranks,
		try: func(w world, rng *rand.Rand) (outcome, error) {
			a, b := launchMeans(w, rng, k), launchMeans(w, rng, k)
			for i := range b {
				luck := blockSpread * rng.NormFloat64()
				a[i], b[i] = c.by(w, a[i], luck), c.by(w, b[i], luck+sideEffect)
			}
			est, err := compare(a, b, .95)
			return judge(est, c.truth(w)), err
		},
	}
}
