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

// AndersonDarling is the k-sample statistic of Scholz and Stephens (1987), ties
// allowed for: squared gaps between the samples' distribution functions and that
// of all, weighted toward the tails. It grows with the samples and is compared
// between pairs of the same sizes only. It is NaN for fewer than two samples or an
// empty one, and zero when all values are equal.
func AndersonDarling(samples ...[]float64) float64 {
	var all []float64
	sorted := make([][]float64, len(samples))
	for i, xs := range samples {
		if len(xs) == 0 {
			return math.NaN()
		}
		sorted[i] = slices.Sorted(slices.Values(xs))
		all = append(all, xs...)
	}
	if len(samples) < 2 {
		return math.NaN()
	}
	slices.Sort(all)
	n := float64(len(all))
	sum := 0.0
	for from := 0; from < len(all); {
		to := upTo(all, all[from])
		ties := float64(to - from)
		below := float64(from) + ties/2 // of all values, half of those that tie
		spread := below*(n-below) - n*ties/4
		for _, xs := range sorted {
			less, _ := slices.BinarySearch(xs, all[from])
			own := float64(less+upTo(xs, all[from])) / 2
			size := float64(len(xs))
			if gap := n*own - size*below; gap != 0 {
				sum += ties / n * gap * gap / spread / size
			}
		}
		from = to
	}
	return sum * (n - 1) / n
}

// upTo is how many of the sorted values are at most x.
func upTo(sorted []float64, x float64) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] > x })
}

// QuantileShifts is by how much each quantile of b exceeds that of a: what a shift
// of the whole, a fatter tail or a second mode look like. Quantiles are those of
// Quantile, without their intervals. An empty side gives NaN.
func QuantileShifts(a, b, quantiles []float64) []float64 {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	shifts := make([]float64, len(quantiles))
	for i, q := range quantiles {
		if len(a) == 0 || len(b) == 0 {
			shifts[i] = math.NaN()
			continue
		}
		shifts[i] = b[rankOf(len(b), q)-1] - a[rankOf(len(a), q)-1]
	}
	return shifts
}
