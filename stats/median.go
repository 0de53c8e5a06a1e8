package stats

import (
	"math"
	"slices"
)

// MedianMethod names the interval of Median.
const MedianMethod = "median/order-statistic"

// Median estimates the median of xs, one value per launch, with the exact
// interval of order statistics, as benchstat does. The point is the middle value,
// or the mean of the middle two. Fewer than six values cannot bound a median at
// 95 %, and ten are better.
func Median(xs []float64, confidence float64) (Estimate, error) {
	est, err := Quantile(xs, .5, confidence)
	if err != nil {
		return Estimate{}, err
	}
	est.Method, est.Value = MedianMethod, middle(slices.Sorted(slices.Values(xs)))
	return est, nil
}

// Middle is the median of xs in whatever order, halfway between two; zero for none. It
// has no interval: Median has.
func Middle(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	return middle(slices.Sorted(slices.Values(xs)))
}

// medianOf is Middle, with NaN for none.
func medianOf(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	return Middle(xs)
}
