package stats

import (
	"cmp"
	"math"
	"slices"
)

// Dependent reports whether xs, in the order of time, visibly hang together with
// their neighbours. It looks at the correlation of neighbours after scoring each
// value by the quarter of the sample that it lies in, so that no single value
// decides; independent values are taken for dependent once in a thousand times.
//
// Fewer than 20 values are too few to see anything, and a sorted sample has lost
// its order: both are taken as independent. So is what hangs together too loosely
// to be seen: at 100 values a correlation below 0.3.
func Dependent(xs []float64) bool {
	return dependent(xs, slices.Sorted(slices.Values(xs)))
}

// fewestSeen is the least number of values in which dependence can be seen.
const fewestSeen = 20

// dependentZ is the 99.9 % point of the normal distribution.
const dependentZ = 3.09

func dependent(xs, sorted []float64) bool {
	n := len(xs)
	falling := func(a, b float64) int { return cmp.Compare(b, a) }
	if n < fewestSeen || slices.IsSorted(xs) || slices.IsSortedFunc(xs, falling) {
		return false
	}
	quarter, half, most := sorted[n/4], sorted[n/2], sorted[3*n/4]
	score := func(x float64) float64 {
		switch {
		case x < quarter:
			return -3
		case x < half:
			return -1
		case x < most:
			return 1
		}
		return 3
	}
	mean := 0.0
	for _, x := range xs {
		mean += score(x)
	}
	mean /= float64(n)
	variance, covariance, before := 0.0, 0.0, 0.0
	for i, x := range xs {
		off := score(x) - mean
		variance += off * off
		if i > 0 {
			covariance += before * off
		}
		before = off
	}
	return variance > 0 && covariance/variance*math.Sqrt(float64(n)) > dependentZ
}

// dependentWarning says why an interval for independent values is not given.
const dependentWarning = "the values depend on their neighbours, so an interval for independent values would be too narrow"
