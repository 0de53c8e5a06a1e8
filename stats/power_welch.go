package stats

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// WelchPower is Power for WelchLog: the chance that it shows a true effect at level
// alpha with k launches on each side that in truth spread alike. With few launches
// Welch's test pays for not taking that for granted: at three a side it shows in 72 %
// of comparisons what Student's shows in 82. From five on the price is small, and
// LaunchesNeeded is at most one launch short of it.
func WelchPower(cv, effect float64, k int, alpha float64) float64 {
	d := twoSides(cv, k)
	shift := math.Abs(math.Log1p(effect))
	if !(d.df > 0) || d.se == 0 || !(alpha > 0 && alpha < 1) {
		return twoSidedPower(effect, alpha, d)
	}
	return overBalance(k, func(df float64) float64 {
		return powerBeyond(tQuantile(1-alpha/2, df), shift/d.se, d.df)
	})
}

// WelchEquivalencePower is EquivalencePower for Equivalent, which lets each side have
// its own variance.
func WelchEquivalencePower(cv, effect, margin float64, k int, alpha float64) float64 {
	d := twoSides(cv, k)
	if !(d.df > 0) || d.se == 0 || !(alpha > 0 && alpha < 0.5) {
		return tostPower(effect, margin, alpha, d)
	}
	return overBalance(k, func(df float64) float64 {
		return tostPowerBeyond(tQuantile(1-alpha, df), effect, margin, d)
	})
}

// balanceNodes points hold overBalance to ten digits.
const balanceNodes = 24

// overBalance is the mean of f over Satterthwaite's degrees of freedom for k launches
// a side of equal true variance. With as many on both sides Welch's statistic is
// Student's, and how the variance is divided between the sides is independent of
// both: its share b on one side is a Beta((k−1)/2, (k−1)/2), and the degrees of
// freedom are (k−1)/(b² + (1−b)²). With b = sin²θ the density is (sin θ cos θ)^(k−2),
// the same on both sides of π/4.
func overBalance(k int, f func(df float64) float64) float64 {
	var at, weights [balanceNodes]float64
	quad.Legendre{}.FixedLocations(at[:], weights[:], 0, math.Pi/4)
	sum, whole := 0.0, 0.0
	for i, theta := range at {
		b := math.Sin(theta) * math.Sin(theta)
		// Twice the product is one at most, which keeps large powers in range.
		weight := weights[i] * math.Pow(math.Sin(2*theta), float64(k-2))
		sum += weight * f(float64(k-1)/(b*b+(1-b)*(1-b)))
		whole += weight
	}
	return sum / whole
}
