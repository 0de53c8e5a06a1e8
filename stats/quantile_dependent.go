package stats

import (
	"fmt"
	"math"
	"slices"
)

// QuantileDependentMethod names the interval of QuantileDependent.
const QuantileDependentMethod = "rank-ceil/order-statistic-effective-n"

// QuantileDependent estimates the q-quantile of xs, values in the order of time
// that may depend on their neighbours, such as the requests of one launch. It is
// Quantile with ranks chosen as for the effective number of values: that of the
// series which says whether each value is at most the quantile, because a run may
// be slow to change at its tail and quick at its middle (Le Boudec: Performance
// Evaluation, 2.2). Independent values get nearly the interval of Quantile.
//
// It refuses, with an interval without ends, when the effective number is too
// small to bound the quantile.
func QuantileDependent(xs []float64, q, confidence float64) (Estimate, error) {
	if len(xs) == 0 {
		return Estimate{}, ErrNoSamples
	}
	if q <= 0 || q >= 1 || confidence <= 0 || confidence >= 1 {
		return Estimate{}, fmt.Errorf("quantile %v at confidence %v: want both between 0 and 1", q, confidence)
	}
	n := len(xs)
	sorted := slices.Sorted(slices.Values(xs))
	est := Estimate{Value: sorted[rankOf(n, q)-1], Interval: Unbounded, N: n, Method: QuantileDependentMethod}
	below := make([]float64, n)
	for i, x := range xs {
		if x <= est.Value {
			below[i] = 1
		}
	}
	est.EffectiveN = float64(n) / DesignEffect(below)
	effective := int(est.EffectiveN)
	need := MinSamples(q, confidence)
	if Dependent(xs) {
		need = max(need, int(math.Ceil(fewestBeyond/min(q, 1-q))))
	}
	if effective < need {
		est.Warnings = []string{fmt.Sprintf("not certifiable (need an effective n ≥ %d, have %.0f of %d)", need, est.EffectiveN, n)}
		return est, nil
	}
	lo, hi := quantileRanks(effective, q, confidence)
	est.Confidence = coverage(effective, q, lo, hi)
	// The value of rank r among m independent ones lies at r/(m+1) of the
	// distribution, on average; ends are rounded outwards.
	scale := float64(n+1) / float64(effective+1)
	est.Interval.Lo = sorted[max(1, int(math.Floor(float64(lo)*scale+rankSlack)))-1]
	est.Interval.Hi = sorted[min(n, int(math.Ceil(float64(hi)*scale-rankSlack)))-1]
	return est, nil
}

// fewestBeyond is how many independent values must lie on the thinner side of a
// quantile of dependent values: with fewer, the sample holds too few slow spells
// to say how long they are. A queue's p99 is answered wrongly without it.
const fewestBeyond = 15
