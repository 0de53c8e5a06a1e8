package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// The methods of the centre of a sample.
const (
	MedianMethod  = "median/order-statistic"
	LogMeanMethod = "geometric-mean/student-t"
)

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

// LogMean estimates the geometric mean of xs, one value per launch, with Student's
// t interval of their logarithms. It is the right centre of factors and of ratios,
// and no mean of costs: a sum of times is not a multiple of it.
func LogMean(xs []float64, confidence float64) (Estimate, error) {
	logs := make([]float64, len(xs))
	for i, x := range xs {
		if x <= 0 {
			return Estimate{}, fmt.Errorf("value %v: %w", x, ErrNotPositive)
		}
		logs[i] = math.Log(x)
	}
	est, err := Mean(logs, confidence)
	if err != nil {
		return Estimate{}, err
	}
	est.Method, est.Value = LogMeanMethod, math.Exp(est.Value)
	if est.Interval.Bounded() {
		est.Interval = Interval{math.Exp(est.Interval.Lo), math.Exp(est.Interval.Hi)}
	}
	return est, nil
}

// HarrellDavis is the estimate of the q-quantile of Harrell and Davis (1982): a
// mean of all order statistics with the weights of a beta distribution. It varies
// less than the value of rank ⌈qn⌉ in small samples, and is another number: name
// it wherever it is shown. It is NaN for an empty sample and a q outside (0, 1).
func HarrellDavis(xs []float64, q float64) float64 {
	if len(xs) == 0 || !(q > 0 && q < 1) {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(xs))
	n := float64(len(sorted))
	a, b := (n+1)*q, (n+1)*(1-q)
	sum, before := 0.0, 0.0
	for i, x := range sorted {
		upTo := mathext.RegIncBeta(a, b, float64(i+1)/n)
		sum += (upTo - before) * x
		before = upTo
	}
	return sum
}

// Middle is the median of xs in whatever order, halfway between two; zero for none. It
// has no interval: Median has.
func Middle(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	return middle(slices.Sorted(slices.Values(xs)))
}
