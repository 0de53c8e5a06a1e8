package stats

import (
	"cmp"
	"math"
	"slices"
)

// SharedTrend tests whether groups of values rise, or fall, together in the order in
// which they are given, whatever their levels: Mann–Kendall's S summed over the
// groups (Hirsch, Slack and Smith 1982), and Mann–Kendall's own test for one group. P
// is exact and two-sided for independent values, ties allowed for. Two groups of three
// cannot get below 0.056, one of five not below 0.017, two of four not below 0.0035,
// two of five not below 0.00014.
//
// Slope is the median of the slopes between all pairs inside a group, per step: that of
// Theil and Sen.
func SharedTrend(groups ...[]float64) Trend {
	t := Trend{P: 1}
	var slopes []float64
	chance := []float64{1} // of the inversions of the groups so far
	for _, xs := range groups {
		for j := range xs {
			for i := range j {
				t.S += cmp.Compare(xs[j], xs[i])
				slopes = append(slopes, (xs[j]-xs[i])/float64(j-i))
			}
		}
		chance = convolve(chance, inversions(xs))
	}
	if len(slopes) == 0 {
		return t
	}
	t.Slope = median(slopes)
	pairs, extreme := len(chance)-1, 0.0 // of values that are not tied
	for n, p := range chance {
		if s := pairs - 2*n; math.Abs(float64(s)) >= math.Abs(float64(t.S)) {
			extreme += p
		}
	}
	t.P = min(extreme, 1)
	return t
}

// inversions is how likely each number of inversions is when the values stand in an
// order of chance: a Gaussian multinomial coefficient, of which ties are the parts.
func inversions(xs []float64) []float64 {
	sorted := slices.Sorted(slices.Values(xs))
	chance := []float64{1}
	for from := 0; from < len(sorted); {
		to := from
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		chance = convolve(chance, interleaved(from, to-from))
		from = to
	}
	return chance
}

// interleaved is how likely each number of inversions is when a row of low values and a
// row of high ones are shuffled into each other: the last one is a high one, and makes
// none, or a low one that all high ones stand before.
func interleaved(low, high int) []float64 {
	before := make([][]float64, high+1) // by how many high ones there are so far
	for h := range before {
		before[h] = []float64{1}
	}
	for l := 1; l <= low; l++ {
		for h := 1; h <= high; h++ {
			now := make([]float64, l*h+1)
			for n, p := range before[h-1] {
				now[n] += p * float64(h) / float64(l+h)
			}
			for n, p := range before[h] {
				now[n+h] += p * float64(l) / float64(l+h)
			}
			before[h] = now
		}
	}
	return before[high]
}

// convolve is how likely each sum of two independent counts is.
func convolve(a, b []float64) []float64 {
	out := make([]float64, len(a)+len(b)-1)
	for i, p := range a {
		for j, q := range b {
			out[i+j] += p * q
		}
	}
	return out
}
