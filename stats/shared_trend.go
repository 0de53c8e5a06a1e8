package stats

import (
	"cmp"
	"math"
)

// SharedTrend tests whether groups of values rise, or fall, together in the order in
// which they are given, whatever their levels: Mann–Kendall's S summed over the
// groups (Hirsch, Slack and Smith 1982). P is exact and two-sided for independent
// values without ties, which make it smaller than it should be by no more than the
// order in which the tied ones stand. Two groups of three cannot get below 0.056,
// two of four not below 0.0035, two of five not below 0.00014.
//
// Slope is the median of the slopes between all pairs inside a group, per step.
func SharedTrend(groups ...[]float64) Trend {
	t := Trend{P: 1}
	var slopes []float64
	ways := []float64{1} // of the orders of the groups so far, by their inversions
	for _, xs := range groups {
		for j := range xs {
			for i := range j {
				t.S += cmp.Compare(xs[j], xs[i])
				slopes = append(slopes, (xs[j]-xs[i])/float64(j-i))
			}
			ways = convolve(ways, j+1)
		}
	}
	if len(slopes) == 0 || t.S == 0 {
		return t
	}
	t.Slope = median(slopes)
	pairs, total, extreme := len(ways)-1, 0.0, 0.0
	for inversions, n := range ways {
		total += n
		if s := pairs - 2*inversions; math.Abs(float64(s)) >= math.Abs(float64(t.S)) {
			extreme += n
		}
	}
	t.P = extreme / total
	return t
}

// convolve adds one value to an order: it may stand before any of the others, and
// makes from 0 to places−1 inversions.
func convolve(ways []float64, places int) []float64 {
	out := make([]float64, len(ways)+places-1)
	for have, n := range ways {
		for more := range places {
			out[have+more] += n
		}
	}
	return out
}
