package stats

// mostLags bounds the work of DesignEffect, which is that of n times the lags. A
// burst of more than a thousand values is longer than it can see.
const mostLags = 1000

// DesignEffect is how many successive values of xs are worth one independent
// value: n divided by the effective sample size, 1 + 2·Σρ over the lags of
// Geyer's initial positive sequence (Practical Markov Chain Monte Carlo, 1992).
// It is one at least: values that push each other apart are not counted as more
// than they are. A series that never changes tells nothing about itself and
// gets one.
//
// It is known from the same values, and is larger by an allowance for that.
func DesignEffect(xs []float64) float64 {
	effect, lags := designEffect(xs)
	if lags == 0 {
		return effect
	}
	return effect * allowance(lags, len(xs))
}

// designEffect also says over how many lags it summed.
func designEffect(xs []float64) (effect float64, lags int) {
	n := len(xs)
	mean := 0.0
	for _, x := range xs {
		mean += x
	}
	mean /= float64(max(1, n))
	covariance := func(lag int) float64 {
		sum := 0.0
		for i := lag; i < n; i++ {
			sum += (xs[i] - mean) * (xs[i-lag] - mean)
		}
		return sum / float64(n)
	}
	variance := covariance(0)
	if n < 4 || variance <= 0 {
		return 1, 0
	}
	// Pairs of neighbouring lags, the first with lag zero, as long as they add up
	// to something positive.
	sum := 0.0
	for lag := 0; lag+1 < min(n/2, mostLags); lag += 2 {
		pair := (covariance(lag) + covariance(lag+1)) / variance
		if pair <= 0 {
			break
		}
		sum += pair
		lags = lag + 1
	}
	return max(1, 2*sum-1), lags
}
