package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// A Distribution says how lengths spread around their mean.
type Distribution string

// The distributions of lengths. The zero value means Fixed.
const (
	Fixed     Distribution = "fixed"
	Uniform   Distribution = "uniform"
	Normal    Distribution = "normal"
	LogNormal Distribution = "lognormal"
)

// A Spread is a distribution and its width: the standard deviation as a share
// of the mean; for Uniform half the width of the range.
type Spread struct {
	Distribution Distribution
	Share        float64
}

// Check refuses what is no spread.
func (s Spread) Check() error {
	switch s.Distribution {
	case "", Fixed, Uniform, Normal, LogNormal:
	default:
		return fmt.Errorf("distribution %q: want %s, %s, %s or %s", s.Distribution, Fixed, Uniform, Normal, LogNormal)
	}
	if s.Share < 0 || math.IsNaN(s.Share) || math.IsInf(s.Share, 0) {
		return fmt.Errorf("spread %v: want 0 or more", s.Share)
	}
	if s.Distribution == Uniform && s.Share > 1 {
		return fmt.Errorf("spread %v: want at most 1 for uniform, or lengths would be below zero", s.Share)
	}
	return nil
}

// Draw returns a length whose mean is mean, to the nearest whole number and at
// least 1. A normal spread of more than about a third is cut off at 1 often
// enough to raise the mean; a log-normal one is not.
func (s Spread) Draw(rng *rand.Rand, mean int32) int32 {
	// The conversions keep processors that can from fusing a product with a sum,
	// so that all draw the same.
	m := float64(mean)
	x := m
	switch s.Distribution {
	case Uniform:
		x = m + float64(m*s.Share*(float64(2*rng.Float64())-1))
	case Normal:
		x = m + float64(m*s.Share*rng.NormFloat64())
	case LogNormal:
		// The mean of a log-normal is exp(mu + sigma²/2). Taking mu = ln(mean)
		// and sigma = share, as is often done, overshoots the wanted mean.
		variance := math.Log1p(s.Share * s.Share)
		x = math.Exp(math.Log(m) - float64(variance/2) + float64(math.Sqrt(variance)*rng.NormFloat64()))
	}
	return int32(min(max(math.Round(x), 1), math.MaxInt32))
}
