package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// WaldWolfowitz tests by the number of runs above and below the median whether
// neighbours are alike (Wald and Wolfowitz 1940). It assumes no distribution.
// Values equal to the median belong to neither side and are left out. The
// statistic is Z without a correction for continuity: below zero for too few
// runs, as drifting or slowly swinging series have, above for too many.
func WaldWolfowitz(xs []float64) (SeriesTest, error) {
	middle := medianOf(xs)
	var above []bool
	for _, x := range xs {
		if x != middle {
			above = append(above, x > middle)
		}
	}
	runs, high := 0, 0.0
	for i, up := range above {
		if i == 0 || up != above[i-1] {
			runs++
		}
		if up {
			high++
		}
	}
	n := float64(len(above))
	low := n - high
	if high < 2 || low < 2 {
		return SeriesTest{}, fmt.Errorf("%g values above the median and %g below: want at least two on each side", high, low)
	}
	mean := 1 + 2*high*low/n
	variance := (mean - 1) * (mean - 2) / (n - 1)
	z := (float64(runs) - mean) / math.Sqrt(variance)
	return SeriesTest{Statistic: z, P: 2 * distuv.UnitNormal.CDF(-math.Abs(z)), Method: "wald-wolfowitz"}, nil
}

// medianOf is the middle value of xs, the mean of the two middle ones for an even
// number, and NaN for none.
func medianOf(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(xs))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
