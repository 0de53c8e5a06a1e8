package main

import (
	"math"
	"slices"
)

// A sample is errors in nanoseconds.
type sample []int64

// at is the quantile of the absolute values: that of rank ⌈qn⌉.
func (s sample) at(q float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sizes := make(sample, len(s))
	for i, v := range s {
		sizes[i] = max(v, -v)
	}
	slices.Sort(sizes)
	return float64(sizes[max(0, int(math.Ceil(q*float64(len(s))))-1)])
}

// mean is of the signed values, and so is sigma.
func (s sample) mean() float64 {
	sum := 0.0
	for _, v := range s {
		sum += float64(v)
	}
	return sum / float64(len(s))
}

func (s sample) sigma() float64 {
	mean, squares := s.mean(), 0.0
	for _, v := range s {
		squares += (float64(v) - mean) * (float64(v) - mean)
	}
	return math.Sqrt(squares / float64(len(s)))
}
