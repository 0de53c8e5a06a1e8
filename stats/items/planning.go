package items

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// mostItems is where the search for a number of items ends: no evaluation asks more.
const mostItems = 100_000_000

// Detectable is the smallest difference that n items show at level alpha, two-sided,
// with the power.
func Detectable(s Spread, n int, alpha, power float64) float64 {
	return (z(1-alpha/2) + z(power)) * math.Sqrt(s.Variance()/float64(n))
}

// UnpairedDetectable is the same for two shares of right answers near p that are held
// beside each other without pairs, as most tools do.
func UnpairedDetectable(p float64, n int, alpha, power float64) float64 {
	return (z(1-alpha/2) + z(power)) * math.Sqrt(2*p*(1-p)/float64(n))
}

// ShowableMargin is the smallest margin within which n items show two equal systems to be
// equivalent, whatever margin is demanded.
func (d Demand) ShowableMargin(s Spread, n int) float64 {
	d = d.withDefaults()
	shift, se := d.guarded(s, float64(n))
	return shift + (z(1-d.Alpha)+z(1-(1-d.Power)/2))*se
}

// ItemsToDetect is how many items show a true difference of the given size.
func (d Demand) ItemsToDetect(s Spread, difference float64) (int, bool) {
	d = d.withDefaults()
	k := z(1-d.Alpha/2) + z(d.Power)
	return wholeItems(k * k * s.Variance() / (difference * difference))
}

// ItemsEquivalent is how many items show that two systems with the given true
// difference, mostly zero, are equivalent.
func (d Demand) ItemsEquivalent(s Spread, difference float64) (int, bool) {
	d = d.withDefaults()
	return fewestItems(d.Power, func(n float64) float64 { return d.EquivalencePower(s, n, difference) })
}

// ItemsNotInferior is how many items show that the second system, with the given true
// difference, is not worse by the margin.
func (d Demand) ItemsNotInferior(s Spread, difference float64) (int, bool) {
	d = d.withDefaults()
	return fewestItems(d.Power, func(n float64) float64 {
		shift, se := d.guarded(s, n)
		return distuv.UnitNormal.CDF((d.Margin+difference-shift)/se - z(1-d.Alpha))
	})
}

// EquivalencePower is the chance that n items show equivalence when the true difference
// is the given one, by the normal approximation of what Judge does.
func (d Demand) EquivalencePower(s Spread, n, difference float64) float64 {
	d = d.withDefaults()
	shift, se := d.guarded(s, n)
	room := d.Margin - shift
	below := distuv.UnitNormal.CDF((room-difference)/se - z(1-d.Alpha))
	above := distuv.UnitNormal.CDF((room+difference)/se - z(1-d.Alpha))
	return math.Max(0, below+above-1)
}

// guarded is by how much the guard moves a bound, and the standard error that it leaves.
func (d Demand) guarded(s Spread, n float64) (shift, se float64) {
	w := guardItems(d.Alpha)
	return w * d.Span / n, math.Sqrt(n*s.Variance()+w*d.Span*d.Span) / n
}

// SamplesNeeded is how many samples of each of n items from each system show two equal
// ones to be equivalent. ok is false where no number would: the items themselves differ
// too much, and only more of them help.
func (d Demand) SamplesNeeded(s Spread, n int) (k int, ok bool) {
	const mostSamples = 1000
	for k = 1; k <= mostSamples; k++ {
		if d.EquivalencePower(s.WithSamples(k), float64(n), 0) >= d.withDefaults().Power {
			return k, true
		}
	}
	return 0, false
}

func wholeItems(n float64) (int, bool) {
	if !(n <= mostItems) {
		return 0, false
	}
	return max(2, int(math.Ceil(n))), true
}

// fewestItems is the smallest number from two with at least the power, which grows with
// the number.
func fewestItems(power float64, at func(n float64) float64) (int, bool) {
	high := 2
	for !(at(float64(high)) >= power) {
		if high *= 2; high > mostItems {
			return 0, false
		}
	}
	low := max(2, high/2)
	for low < high {
		if middle := (low + high) / 2; at(float64(middle)) >= power {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return high, true
}
