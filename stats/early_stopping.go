package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// EarlyStopping decides whether a percentile keeps a limit from fewer queries
// than a fixed count would take, as MLPerf LoadGen does with tolerance zero: the
// chance of so few queries over the limit, if the percentile really broke it,
// must be at most 1 − Confidence. It assumes independent queries.
type EarlyStopping struct {
	Percentile float64 // such as 0.99
	Confidence float64 // 0.99 in LoadGen
}

// Under is the fewest queries under the limit that make up for over queries
// above it: the smallest h with I_p(h, over + 1) ≤ 1 − c, where I is the
// regularised incomplete beta function.
func (e EarlyStopping) Under(over int) int {
	enough := func(h int) bool {
		return mathext.RegIncBeta(float64(h), float64(over+1), e.Percentile) <= 1-e.Confidence
	}
	high := 1
	for !enough(high) {
		high *= 2
	}
	low := high/2 + 1
	for low < high {
		middle := (low + high) / 2
		if enough(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return high
}

// Passes reports whether n queries of which over broke the limit show that the
// percentile keeps it.
func (e EarlyStopping) Passes(n, over int) bool { return n >= e.Under(over)+over }

// Worst is how many of the worst of n queries an estimate is made from: the
// estimate is the mildest of them. Zero means that n is too few for any.
func (e EarlyStopping) Worst(n int) int {
	low, high := 0, n // Under grows with its argument, so the last that fits is found by halves
	for low < high {
		middle := (low + high + 1) / 2
		if e.Passes(n, middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// Estimate is a value that the percentile of xs does not exceed, with the
// confidence of e; ok is false when xs are too few.
func (e EarlyStopping) Estimate(xs []float64) (value float64, ok bool) {
	worst := e.Worst(len(xs))
	if worst == 0 {
		return math.NaN(), false
	}
	sorted := slices.Sorted(slices.Values(xs))
	return sorted[len(sorted)-worst], true
}
