package stats

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

const (
	// negligibleDensity is where the density of u is cut off, as a logarithm
	// relative to its peak: e⁻⁴⁵ is below the precision of a float64.
	negligibleDensity = -45

	// Eight panels at least, none wider than one, of scaleNodes points each hold the
	// integrals to twelve digits, from one degree of freedom, where the hump is 48
	// wide, to ten thousand.
	scalePanels, scaleNodes = 8, 32

	// mostSharpness is the most standard errors for which panels are made narrower.
	mostSharpness = 1000
)

// overScale is the mean of f(u) for u up to most, and zero beyond, where u is the
// standard deviation of a sample with df degrees of freedom over the true one. Where f
// steps from zero to one at a difference of sharpness standard errors, it does so
// within a factor of 1 + 1/sharpness of u, and the panels must be as narrow.
func overScale(df, most, sharpness float64, f func(u float64) float64) float64 {
	// In x = ln u the density is proportional to exp(df·(x − e²ˣ/2)): one smooth
	// hump about zero, whatever df is.
	density := func(x float64) float64 { return df * (x - math.Expm1(2*x)/2) }
	lo := fallsTo(density, -1-2*math.Abs(negligibleDensity)/df)
	hi := fallsTo(density, math.Log(2*math.Abs(negligibleDensity)+4))
	// The constant of the density comes from the same points as the mean, which
	// spares a difference of large logarithms.
	var at, weights [scaleNodes]float64
	quad.Legendre{}.FixedLocations(at[:], weights[:], -1, 1)
	sum := func(lo, hi float64, f func(x float64) float64) (total float64) {
		perUnit := max(1, min(math.Abs(sharpness), mostSharpness)/4)
		count := max(scalePanels, int(math.Ceil((hi-lo)*perUnit)))
		half := (hi - lo) / float64(2*count)
		for i := range count {
			centre := lo + float64(2*i+1)*half
			for j, x := range at {
				total += weights[j] * half * f(centre+x*half)
			}
		}
		return total
	}
	whole := sum(lo, hi, func(x float64) float64 { return math.Exp(density(x)) })
	top := min(hi, math.Log(most))
	if top <= lo {
		return 0
	}
	return sum(lo, top, func(x float64) float64 { return f(math.Exp(x)) * math.Exp(density(x)) }) / whole
}

// fallsTo is where density, zero at zero, has fallen to negligible on the way to
// far.
func fallsTo(density func(float64) float64, far float64) float64 {
	near := 0.0
	for range 40 {
		if x := (near + far) / 2; density(x) > negligibleDensity {
			near = x
		} else {
			far = x
		}
	}
	return far
}
