package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// The functions of this file plan comparisons: how many launches show a difference
// of a size worth knowing, or show that there is none. cv is the standard deviation
// of the logarithms, which for the usual few per cent is the coefficient of
// variation: from launch to launch for two sides of k launches each, of the blocks'
// ratios for pairs. effect and margin are relative: 0.03 is a factor of 1.03. A level
// that is none gives NaN, or no number of launches.

// mostLaunches is where the search for a number of launches ends: no plan buys
// more.
const mostLaunches = 100_000

// Power is the chance that Student's test on logarithms shows a true effect at level
// alpha with k launches on each side, from the non-central t distribution. It is zero
// for k below two. WelchLog has a little less at three launches.
func Power(cv, effect float64, k int, alpha float64) float64 {
	return twoSidedPower(effect, alpha, twoSides(cv, k))
}

// PairedPower is Power for n pairs, cv being that of their ratios.
func PairedPower(cv, effect float64, n int, alpha float64) float64 {
	return twoSidedPower(effect, alpha, inPairs(cv, n))
}

// LaunchesNeeded is the fewest launches on each side that give the power; ok is
// false when there is no such number worth naming. Welch's test needs at most one
// more.
func LaunchesNeeded(cv, effect, alpha, power float64) (k int, ok bool) {
	return fewest(power, func(k int) float64 { return Power(cv, effect, k, alpha) })
}

// PairsNeeded is the fewest pairs that give the power.
func PairsNeeded(cv, effect, alpha, power float64) (n int, ok bool) {
	return fewest(power, func(n int) float64 { return PairedPower(cv, effect, n, alpha) })
}

// EquivalencePower is the chance that two one-sided tests with one variance for both
// sides show equivalence within margin at level alpha with k launches on each side,
// when the true effect is the given one, mostly zero.
func EquivalencePower(cv, effect, margin float64, k int, alpha float64) float64 {
	return tostPower(effect, margin, alpha, twoSides(cv, k))
}

// PairedEquivalencePower is EquivalencePower for n pairs.
func PairedEquivalencePower(cv, effect, margin float64, n int, alpha float64) float64 {
	return tostPower(effect, margin, alpha, inPairs(cv, n))
}

// LaunchesForEquivalence is the fewest launches on each side with which two equal
// systems are shown equivalent within margin with the power.
func LaunchesForEquivalence(cv, margin, alpha, power float64) (k int, ok bool) {
	return fewest(power, func(k int) float64 { return EquivalencePower(cv, 0, margin, k, alpha) })
}

// PairsForEquivalence is LaunchesForEquivalence for pairs.
func PairsForEquivalence(cv, margin, alpha, power float64) (n int, ok bool) {
	return fewest(power, func(n int) float64 { return PairedEquivalencePower(cv, 0, margin, n, alpha) })
}

// A design is the standard error and the degrees of freedom of a log ratio.
type design struct{ se, df float64 }

func twoSides(cv float64, k int) design {
	return design{cv * math.Sqrt(2/float64(k)), float64(2*k - 2)}
}

func inPairs(cv float64, n int) design {
	return design{cv / math.Sqrt(float64(n)), float64(n - 1)}
}

func twoSidedPower(effect, alpha float64, d design) float64 {
	if !(alpha > 0 && alpha < 1) {
		return math.NaN()
	}
	if !(d.df > 0) {
		return 0
	}
	shift := math.Abs(math.Log1p(effect))
	if d.se == 0 {
		if shift == 0 {
			return alpha
		}
		return 1
	}
	return powerAt(shift/d.se, alpha, d.df)
}

// powerAt is the power at a true difference of delta standard errors.
func powerAt(delta, alpha, df float64) float64 {
	return powerBeyond(tQuantile(1-alpha/2, df), delta, df)
}

// powerBeyond is the chance of a statistic beyond ±t.
func powerBeyond(t, delta, df float64) float64 {
	return overScale(df, math.Inf(1), delta, func(u float64) float64 {
		return distuv.UnitNormal.CDF(delta-t*u) + distuv.UnitNormal.CDF(-t*u-delta)
	})
}

// tostPower is the chance that the (1−2α) interval lies within the margins: the
// estimate must be t·se·u away from both, where u is the observed spread over the
// true one (Owen 1965).
func tostPower(effect, margin, alpha float64, d design) float64 {
	if !(alpha > 0 && alpha < 0.5) {
		return math.NaN()
	}
	if !(d.df > 0) {
		return 0
	}
	return tostPowerBeyond(tQuantile(1-alpha, d.df), effect, margin, d)
}

func tostPowerBeyond(t, effect, margin float64, d design) float64 {
	limit, shift := math.Log1p(margin), math.Log1p(effect)
	if !(limit > 0) {
		return 0
	}
	if d.se == 0 {
		if math.Abs(shift) < limit {
			return 1
		}
		return 0
	}
	return overScale(d.df, limit/(d.se*t), (limit+math.Abs(shift))/d.se, func(u float64) float64 {
		upper, lower := (limit-shift)/d.se-t*u, (-limit-shift)/d.se+t*u
		return distuv.UnitNormal.CDF(upper) - distuv.UnitNormal.CDF(lower)
	})
}

// fewest is the smallest number from two with at least the power, which grows with
// the number.
func fewest(power float64, at func(int) float64) (int, bool) {
	high := 2
	for !(at(high) >= power) {
		if high *= 2; high > mostLaunches {
			return 0, false
		}
	}
	low := max(2, high/2)
	for low < high {
		if middle := (low + high) / 2; at(middle) >= power {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return high, true
}
