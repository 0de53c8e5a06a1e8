package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// ErrNoSamples is returned for an empty sample: there is nothing to estimate.
var ErrNoSamples = errors.New("no samples")

// QuantileMethod names the one percentile definition of the whole platform: the
// value of rank ⌈qn⌉, with the order-statistic interval around it. Every
// estimate made by Quantile carries it.
const QuantileMethod = "rank-ceil/order-statistic"

// rankSlack forgives the rounding of q·n: 0.07*100 is 7.000000000000001, and
// its rank is 7, not 8.
const rankSlack = 1e-9

// Quantile estimates the q-quantile of xs, with the exact distribution-free
// interval of order statistics: for B ~ Bin(n, q) the interval [X(l), X(r)] has
// coverage P(l ≤ B < r). A side the sample cannot bound is infinite. It assumes
// independent samples: when Dependent sees that they are not, there is no
// interval; see QuantileDependent.
func Quantile(xs []float64, q, confidence float64) (Estimate, error) {
	if len(xs) == 0 {
		return Estimate{}, ErrNoSamples
	}
	if q <= 0 || q >= 1 || confidence <= 0 || confidence >= 1 {
		return Estimate{}, fmt.Errorf("quantile %v at confidence %v: want both between 0 and 1", q, confidence)
	}
	sorted := slices.Sorted(slices.Values(xs))
	n := len(sorted)
	lo, hi := quantileRanks(n, q, confidence)
	est := Estimate{
		Value:      sorted[rankOf(n, q)-1],
		Interval:   Unbounded,
		Confidence: coverage(n, q, lo, hi),
		N:          n,
		Method:     QuantileMethod,
	}
	if dependent(xs, sorted) {
		est.Confidence, est.Warnings = 0, []string{dependentWarning}
		return est, nil
	}
	if lo >= 1 {
		est.Interval.Lo = sorted[lo-1]
	}
	if hi <= n {
		est.Interval.Hi = sorted[hi-1]
	}
	if !est.Interval.Bounded() {
		est.Warnings = append(est.Warnings, TooFew("values", n, q, confidence))
	}
	return est, nil
}

// tooFew begins the warnings about percentiles that the sample cannot bound.
const tooFew = "too few "

// TooFew is the warning for a percentile that n of what are too few to bound.
func TooFew(what string, n int, q, confidence float64) string {
	return fmt.Sprintf(tooFew+"%s (%d of %d)", what, n, MinSamples(q, confidence))
}

// IsTooFew reports whether a warning says that the sample cannot bound a percentile.
func IsTooFew(warning string) bool { return strings.HasPrefix(warning, tooFew) }

// MinSamples is the smallest n for which the q-quantile has an interval with
// two finite ends at the given confidence.
func MinSamples(q, confidence float64) int {
	alpha := 1 - confidence
	// Both ends are finite when the two outermost order statistics bound the
	// quantile: (1−q)^n ≤ α/2 below and q^n ≤ α/2 above.
	need := math.Log(alpha/2) / math.Log(max(q, 1-q))
	return int(math.Ceil(need - rankSlack))
}

// rankOf is the 1-based rank of the q-quantile's point estimate.
func rankOf(n int, q float64) int {
	return min(n, max(1, int(math.Ceil(q*float64(n)-rankSlack))))
}

// quantileRanks chooses the equal-tailed ranks: lo is the largest with
// P(B < lo) ≤ α/2, hi the smallest with P(B ≥ hi) ≤ α/2. Rank 0 and n+1 mean
// that the side cannot be bounded.
func quantileRanks(n int, q, confidence float64) (lo, hi int) {
	tail := (1 - confidence) / 2
	below := 0.0 // P(B < lo+1) as lo grows
	for lo = 0; lo < n; lo++ {
		below += binomial(n, lo, q)
		if below > tail {
			break
		}
	}
	above := 0.0 // P(B ≥ hi-1) as hi shrinks
	for hi = n + 1; hi > 1; hi-- {
		above += binomial(n, hi-1, q)
		if above > tail {
			break
		}
	}
	return lo, hi
}

// coverage is P(lo ≤ B < hi), the true confidence of the chosen ranks.
func coverage(n int, q float64, lo, hi int) float64 {
	outside := 0.0
	for k := range lo {
		outside += binomial(n, k, q)
	}
	for k := hi; k <= n; k++ {
		outside += binomial(n, k, q)
	}
	return 1 - outside
}

// binomial is P(B = k) for B ~ Bin(n, q), in logarithms so that large n does
// not underflow before the sum.
func binomial(n, k int, q float64) float64 {
	choose := lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1)
	return math.Exp(choose + float64(k)*math.Log(q) + float64(n-k)*math.Log1p(-q))
}

func lgamma(n int) float64 {
	v, _ := math.Lgamma(float64(n))
	return v
}
