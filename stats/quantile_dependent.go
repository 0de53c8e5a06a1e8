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
// small to bound the quantile, and when the series wanders so slowly that its own
// length cannot tell how slowly.
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
	effect, lags := designEffect(below)
	need := MinSamples(q, confidence)
	if dependent(xs, sorted) {
		need = max(need, fewestEffective, int(math.Ceil(fewestBeyond/min(q, 1-q))))
		effect *= allowance(lags, n)
		if whole := neighbourEffect(xs); float64(n) < fewestWandering*whole {
			est.EffectiveN = float64(n) / whole
			est.Warnings = []string{fmt.Sprintf(tooFew+"values (they wander so slowly that %d are worth about %.0f)", n, est.EffectiveN)}
			return est, nil
		}
	}
	est.EffectiveN = float64(n) / effect
	effective := int(est.EffectiveN)
	if effective < need {
		est.Warnings = []string{fmt.Sprintf(tooFew+"values (%d that depend on each other are worth %.0f of %d)", n, est.EffectiveN, need)}
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

// fewestEffective is the least effective number of dependent values for which the
// estimate of that number itself is good enough: with thirty of them the medians of
// 400 response times of a queue covered half.
const fewestEffective = 150

// fewestWandering is how many independent values the whole series must be worth by its
// neighbours alone. An effective number that is summed over many lags is known badly, and
// those samples pass its floor that happened to be quiet: a queue that was short while it
// was looked at seems quick and quick to change, and a third of such medians of 1000
// response times were wrong. The correlation of neighbours hardly depends on that luck.
const fewestWandering = 200

// neighbourEffect is the design effect of xs if nothing but the value before decided each:
// (1+r)/(1−r) for the correlation r of neighbouring ranks. One number that is known
// well says more about a slow series than a sum of many that are not.
func neighbourEffect(xs []float64) float64 {
	ranks := Ranks(xs)
	mean := float64(len(xs)+1) / 2
	variance, covariance := 0.0, 0.0
	for i, r := range ranks {
		variance += (r - mean) * (r - mean)
		if i > 0 {
			covariance += (r - mean) * (ranks[i-1] - mean)
		}
	}
	if variance == 0 {
		return 1
	}
	r := covariance / variance
	return max(1, (1+r)/(1-r))
}

// allowance is what a design effect that was summed over so many lags of n values is
// to be multiplied with. Autocovariances are taken around the sample's own mean and are
// too small by the variance of that mean, each of them; and the effect has a relative
// variance of 2(2·lags+1)/n (Sokal, 1996), a standard deviation of which is added: of a
// queue the quantile and its variance are too small together.
func allowance(lags, n int) float64 {
	freedom := max(1, float64(n)/float64(2*lags+1))
	return (1 + math.Sqrt(2/freedom)) / max(.5, 1-2*float64(lags)/float64(n))
}
