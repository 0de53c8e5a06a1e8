package stats

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// NoncentralTCDF is P(T ≤ t) for the non-central t distribution with df degrees of
// freedom, one at least, and non-centrality delta: that of a t statistic when the
// true difference is delta standard errors.
//
// With u = s/σ, T ≤ t means Z + δ ≤ t·u, so the probability is the mean of
// Φ(t·u − δ) over the distribution of u. It is integrated directly: the usual
// series (Lenth, AS 243) loses digits far from the centre.
func NoncentralTCDF(t, df, delta float64) float64 {
	return overScale(df, math.Inf(1), func(u float64) float64 { return distuv.UnitNormal.CDF(t*u - delta) })
}

const (
	// negligibleDensity is where the density of u is cut off, as a logarithm
	// relative to its peak: e⁻⁴⁵ is below the precision of a float64.
	negligibleDensity = -45

	// Eight panels at least, none wider than one, of scaleNodes points each hold the
	// integrals to twelve digits and more, from one degree of freedom, where the hump
	// is 48 wide, to ten thousand.
	scalePanels, scaleNodes = 8, 32
)

// overScale is the mean of f(u) for u up to most, and zero beyond, where u is the
// standard deviation of a sample with df degrees of freedom over the true one.
func overScale(df, most float64, f func(u float64) float64) float64 {
	// In x = ln u the density is proportional to exp(df·(x − e²ˣ/2)): one smooth
	// hump about zero, whatever df is.
	density := func(x float64) float64 { return df * (x - math.Expm1(2*x)/2) }
	lo := fallsTo(density, -1-2*math.Abs(negligibleDensity)/df)
	hi := fallsTo(density, math.Log(2*math.Abs(negligibleDensity)+4))
	weight := func(x float64) float64 { return math.Exp(density(x)) }
	// The constant comes from the same points, which spares a difference of large
	// logarithms.
	whole := panels(weight, lo, hi)
	if top := math.Log(most); top < hi {
		hi = max(lo, top)
	}
	return panels(func(x float64) float64 { return f(math.Exp(x)) * weight(x) }, lo, hi) / whole
}

// fallsTo is where density, zero at zero, has fallen to negligible on the way to
// far.
func fallsTo(density func(float64) float64, far float64) float64 {
	near := 0.0
	for range 60 {
		if x := (near + far) / 2; density(x) > negligibleDensity {
			near = x
		} else {
			far = x
		}
	}
	return far
}

func panels(f func(float64) float64, lo, hi float64) float64 {
	count := max(scalePanels, int(math.Ceil(hi-lo)))
	sum, width := 0.0, (hi-lo)/float64(count)
	for i := range count {
		from := lo + float64(i)*width
		sum += quad.Fixed(f, from, from+width, scaleNodes, quad.Legendre{}, 1)
	}
	return sum
}
