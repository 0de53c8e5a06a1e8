package stats

import (
	"math"
	"slices"
	"sort"
)

// The distances of this file describe how two distributions differ, side by side.
// None comes with a P: the samples are mostly the requests of launches, which are
// not independent, and a P made of them would call every two launches different.

// KolmogorovSmirnov is the largest gap between the distribution functions of a and
// b, from 0 to 1. It is weak in the tails. It is NaN when a side is empty.
func KolmogorovSmirnov(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return math.NaN()
	}
	gap := 0.0
	eachStep(a, b, func(_, fa, fb float64) { gap = max(gap, math.Abs(fb-fa)) })
	return gap
}

// Wasserstein is the area between the distribution functions of a and b, in their
// unit: how far, on average, values of one would have to move to become the other.
// It is NaN when a side is empty.
func Wasserstein(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return math.NaN()
	}
	area, last, gap := 0.0, math.NaN(), 0.0
	eachStep(a, b, func(x, fa, fb float64) {
		if gap > 0 {
			area += gap * (x - last)
		}
		last, gap = x, math.Abs(fb-fa)
	})
	return area
}

// eachStep calls visit at every distinct value in rising order, with the shares of
// a and b at or below it.
func eachStep(a, b []float64, visit func(x, fa, fb float64)) {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		x := math.Inf(1)
		if i < len(a) {
			x = a[i]
		}
		if j < len(b) {
			x = min(x, b[j])
		}
		for i < len(a) && a[i] <= x {
			i++
		}
		for j < len(b) && b[j] <= x {
			j++
		}
		visit(x, float64(i)/float64(len(a)), float64(j)/float64(len(b)))
	}
}

// upTo is how many of the sorted values are at most x.
func upTo(sorted []float64, x float64) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] > x })
}
