package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// WarmupBias is how far two common ways to report a series are from the median of
// its warm part.
type WarmupBias struct {
	Cold       float64 `json:"cold"`       // the first value
	MeanAll    float64 `json:"meanAll"`    // of all values, warm or not
	WarmMean   float64 `json:"warmMean"`   //
	WarmMedian float64 `json:"warmMedian"` //
	WarmBest   float64 `json:"warmBest"`   // the smallest warm value
	Inflation  float64 `json:"inflation"`  // MeanAll over WarmMedian, less one
	BestOfN    float64 `json:"bestOfN"`    // one less WarmBest over WarmMedian: what best-of-N leaves out
}

// NaiveBias compares the mean of all xs and the best of the warm ones, those from
// index warm on, with the median of the warm ones. It is false without any.
func NaiveBias(xs []float64, warm int) (WarmupBias, bool) {
	if warm < 0 || warm >= len(xs) {
		return WarmupBias{}, false
	}
	kept := xs[warm:]
	b := WarmupBias{
		Cold: xs[0], MeanAll: stat.Mean(xs, nil), WarmMean: stat.Mean(kept, nil),
		WarmMedian: medianOf(kept), WarmBest: slices.Min(kept),
	}
	if b.WarmMedian == 0 {
		return WarmupBias{}, false
	}
	b.Inflation, b.BestOfN = b.MeanAll/b.WarmMedian-1, 1-b.WarmBest/b.WarmMedian
	return b, true
}

// SmallestWarmup is the least number of values to leave out at the beginning so
// that the median of the rest is within a tolerance of the median of the steady
// part, and stays so for every larger number up to where the steady part begins.
// Steady parts end at end; medians are values of rank ⌈n/2⌉.
func SmallestWarmup(xs []float64, begin, end int, tolerance float64) int {
	if begin <= 0 || end > len(xs) || begin >= end {
		return 0
	}
	middle := lowerMedian(xs[begin:end])
	low, high := middle-tolerance*math.Abs(middle), middle+tolerance*math.Abs(middle)
	// Counting what lies beyond two bounds tells whether a median does: no sorting
	// for every number.
	below, above := 0, 0
	for _, x := range xs[begin:end] {
		below, above = below+tick(x < low), above+tick(x > high)
	}
	for at := begin; at > 0; at-- {
		x := xs[at-1]
		below, above = below+tick(x < low), above+tick(x > high)
		n := end - at + 1
		if rank := (n + 1) / 2; below >= rank || n-above < rank {
			return at
		}
	}
	return 0
}

// lowerMedian is the value of rank ⌈n/2⌉.
func lowerMedian(xs []float64) float64 {
	return slices.Sorted(slices.Values(xs))[(len(xs)+1)/2-1]
}

func tick(is bool) int {
	if is {
		return 1
	}
	return 0
}
