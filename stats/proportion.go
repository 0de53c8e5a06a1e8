package stats

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

// ProportionMethod names the interval of Proportion.
const ProportionMethod = "pooled/clopper-pearson"

// Proportion estimates a share from hits out of trials, with the exact interval
// of Clopper and Pearson: never narrower than it says, and honest about zero,
// where "none in 89" still allows 4 %. It assumes independent trials.
func Proportion(hits, trials int, confidence float64) (Estimate, error) {
	if trials <= 0 {
		return Estimate{}, ErrNoSamples
	}
	if hits < 0 || hits > trials || confidence <= 0 || confidence >= 1 {
		return Estimate{}, fmt.Errorf("%d of %d at confidence %v: want 0 ≤ hits ≤ trials and a confidence between 0 and 1", hits, trials, confidence)
	}
	tail := (1 - confidence) / 2
	k, n := float64(hits), float64(trials)
	est := Estimate{Value: k / n, Interval: Interval{0, 1}, Confidence: confidence, N: trials, Method: ProportionMethod}
	if hits > 0 {
		est.Interval.Lo = distuv.Beta{Alpha: k, Beta: n - k + 1}.Quantile(tail)
	}
	if hits < trials {
		est.Interval.Hi = distuv.Beta{Alpha: k + 1, Beta: n - k}.Quantile(1 - tail)
	}
	return est, nil
}

// Hull is the smallest interval that holds both a and b.
func Hull(a, b Interval) Interval { return Interval{min(a.Lo, b.Lo), max(a.Hi, b.Hi)} }
