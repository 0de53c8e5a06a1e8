package stats

import (
	"errors"
	"fmt"
	"math"
)

// The methods of paired comparisons.
const (
	PairedRatioMethod      = "paired-log-ratio/student-t"
	PairedDifferenceMethod = "paired-difference/student-t"
)

// ErrNotPositive says that a ratio of logarithms has no meaning for the values.
var ErrNotPositive = errors.New("a ratio needs values above zero")

// PairedRatio estimates by which factor b differs from a, where a[i] and b[i]
// belong to one block: the geometric mean of b[i]/a[i], with Student's t interval
// over the blocks' log ratios. What a block does to both of its sides cancels.
func PairedRatio(a, b []float64, confidence float64) (Estimate, error) {
	if len(a) != len(b) {
		return Estimate{}, fmt.Errorf("%d and %d values: want pairs", len(a), len(b))
	}
	logs := make([]float64, len(a))
	for i := range a {
		if a[i] <= 0 || b[i] <= 0 {
			return Estimate{}, ErrNotPositive
		}
		logs[i] = math.Log(b[i] / a[i])
	}
	est, err := Mean(logs, confidence)
	if err != nil {
		return Estimate{}, err
	}
	est.Value, est.Method = math.Exp(est.Value), PairedRatioMethod
	est.Interval.Hi = math.Exp(est.Interval.Hi)
	if est.Interval.Lo = math.Exp(est.Interval.Lo); est.Interval.Lo == 0 {
		est.Interval.Lo = math.Inf(-1) // nothing is known below
	}
	return est, nil
}

// PairedDifference estimates the mean of b[i] − a[i], where both belong to one
// block, with Student's t interval over the blocks.
func PairedDifference(a, b []float64, confidence float64) (Estimate, error) {
	if len(a) != len(b) {
		return Estimate{}, fmt.Errorf("%d and %d values: want pairs", len(a), len(b))
	}
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = b[i] - a[i]
	}
	est, err := Mean(differences, confidence)
	est.Method = PairedDifferenceMethod
	return est, err
}
