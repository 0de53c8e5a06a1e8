package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// WilsonMethod names the interval of Wilson.
const WilsonMethod = "pooled/wilson"

// Wilson estimates a share from hits out of trials with the score interval of
// Wilson (1927). It covers what it says on average over shares, where the exact
// interval of Proportion covers at least that for every one; it is for tables in
// which shares stand side by side, not for gates. It assumes independent trials.
func Wilson(hits, trials int, confidence float64) (Estimate, error) {
	if trials <= 0 {
		return Estimate{}, ErrNoSamples
	}
	if hits < 0 || hits > trials || !(confidence > 0 && confidence < 1) {
		return Estimate{}, fmt.Errorf("%d of %d at confidence %v: want 0 ≤ hits ≤ trials and a confidence between 0 and 1", hits, trials, confidence)
	}
	n, share := float64(trials), float64(hits)/float64(trials)
	z := distuv.UnitNormal.Quantile(1 - (1-confidence)/2)
	centre := (share + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	est := Estimate{Value: share, Interval: Interval{max(0, centre-half), min(1, centre+half)}, Confidence: confidence, N: trials, Method: WilsonMethod}
	if hits == 0 {
		est.Interval.Lo = 0 // what is left of the subtraction is rounding
	}
	if hits == trials {
		est.Interval.Hi = 1
	}
	return est, nil
}
