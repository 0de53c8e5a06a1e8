package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// The ways to count how many independent values a dependent series is worth.
const (
	GeyerMethod      = "geyer-initial-positive"
	NeweyWestMethod  = "newey-west"
	BatchMeansMethod = "batch-means"
)

// An EffectiveSize says how many independent values a series is worth. An
// interval made with N where Size is below half of it is too narrow.
type EffectiveSize struct {
	N      int     `json:"n"`
	Size   float64 `json:"size"` // at most N
	Lags   int     `json:"lags"` // how many autocorrelations were summed; for batch means, values in a batch
	Method string  `json:"method"`
}

// Share is how much of the sample counts: Size over N.
func (e EffectiveSize) Share() float64 { return e.Size / float64(max(1, e.N)) }

// EffectiveGeyer is n over DesignEffect: autocorrelations are summed as long as
// pairs of neighbouring lags add up to something positive. It needs no choice of
// a window and is the default.
func EffectiveGeyer(xs []float64) EffectiveSize {
	n := len(xs)
	effect, lags := designEffect(xs)
	return EffectiveSize{N: n, Size: float64(n) / effect, Lags: lags, Method: GeyerMethod}
}

// NeweyWestLags is the usual window ⌊4(n/100)^(2/9)⌋.
func NeweyWestLags(n int) int {
	return int(4*math.Pow(float64(n)/100, 2.0/9) + 1e-9) // a whole power must not fall just below
}

// EffectiveNeweyWest sums the first NeweyWestLags autocorrelations with the
// falling weights of Bartlett. It sees less far than EffectiveGeyer and says too
// much for values that depend on each other over longer than its window.
func EffectiveNeweyWest(xs []float64) EffectiveSize {
	n := len(xs)
	lags := min(NeweyWestLags(n), n-1)
	e := EffectiveSize{N: n, Size: float64(n), Lags: max(0, lags), Method: NeweyWestMethod}
	if own := covariance(xs, 0); own > 0 {
		e.Size = min(e.Size, float64(n)*own/longRunVariance(xs, lags))
	}
	return e
}

// longRunVariance is the variance of √n times the mean of xs by Newey and West:
// γ₀ + 2·Σ(1 − k/(lags+1))γ_k. It is never negative.
func longRunVariance(xs []float64, lags int) float64 {
	sum := covariance(xs, 0)
	for k := 1; k <= lags; k++ {
		sum += 2 * (1 - float64(k)/float64(lags+1)) * covariance(xs, k)
	}
	return sum
}

// EffectiveBatchMeans compares the spread of the means of so many batches with
// the one that independent values would have. Values that fill no batch are left
// out at the end.
func EffectiveBatchMeans(xs []float64, batches int) (EffectiveSize, error) {
	if batches < 2 || len(xs) < 2*batches {
		return EffectiveSize{}, fmt.Errorf("%d batches of %d values: want at least two batches of two values", batches, len(xs))
	}
	size := len(xs) / batches
	used := xs[:size*batches]
	n := len(used)
	e := EffectiveSize{N: n, Size: float64(n), Lags: size, Method: BatchMeansMethod}
	if between := stat.Variance(BatchMeans(used, size), nil); between > 0 {
		e.Size = min(e.Size, float64(n)*stat.Variance(used, nil)/(float64(size)*between))
	}
	return e, nil
}

// BatchMeans are the means of successive batches of size values. Values that
// fill no batch are left out at the end.
func BatchMeans(xs []float64, size int) []float64 {
	means := make([]float64, 0, len(xs)/size)
	for ; len(xs) >= size; xs = xs[size:] {
		means = append(means, stat.Mean(xs[:size], nil))
	}
	return means
}

// covariance is that of xs with itself lag values later, divided by n.
func covariance(xs []float64, lag int) float64 {
	if len(xs) == 0 {
		return 0
	}
	mean, sum := stat.Mean(xs, nil), 0.0
	for i := lag; i < len(xs); i++ {
		sum += (xs[i] - mean) * (xs[i-lag] - mean)
	}
	return sum / float64(len(xs))
}
