package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Trend is what a series in the order of time says about its direction.
type Trend struct {
	S     int     `json:"s"`     // rises less falls over all pairs
	Z     float64 `json:"z"`     // S in standard deviations, continuity corrected
	P     float64 `json:"p"`     // two-sided
	Slope float64 `json:"slope"` // Theil–Sen, per step
}

// MannKendall tests xs for a monotonic trend, with the variance that Hamed and
// Rao (1998) give for values that depend on their neighbours: the queue of a
// second ago is much of the queue of now, and without the correction every slow
// swing would be a trend.
func MannKendall(xs []float64) Trend {
	n := len(xs)
	t := Trend{P: 1, Slope: TheilSen(xs)}
	if n < 4 {
		return t
	}
	for j := range xs {
		for i := range j {
			t.S += cmp.Compare(xs[j], xs[i])
		}
	}
	variance := kendallVariance(xs) * hamedRao(xs, t.Slope)
	if variance <= 0 || t.S == 0 {
		return t
	}
	t.Z = (float64(t.S) - math.Copysign(1, float64(t.S))) / math.Sqrt(variance)
	t.P = 2 * distuv.UnitNormal.CDF(-math.Abs(t.Z))
	return t
}

// kendallVariance is the variance of S for independent values, ties allowed for.
func kendallVariance(xs []float64) float64 {
	term := func(n int) float64 { return float64(n) * float64(n-1) * float64(2*n+5) }
	counts := map[float64]int{}
	for _, x := range xs {
		counts[x]++
	}
	sum := term(len(xs))
	for _, n := range counts {
		sum -= term(n)
	}
	return sum / 18
}

// hamedRao is the factor by which dependence widens the variance of S, from the
// autocorrelations of the ranks of the series without its slope; only those
// beyond the 95 % band of white noise count. It never narrows the variance.
func hamedRao(xs []float64, slope float64) float64 {
	n := len(xs)
	flat := make([]float64, n)
	for i, x := range xs {
		flat[i] = x - slope*float64(i)
	}
	ranks := Ranks(flat)
	band := 1.96 / math.Sqrt(float64(n))
	sum := 0.0
	for lag := 1; lag < n-2; lag++ {
		if rho := autocorrelation(ranks, lag); math.Abs(rho) > band {
			sum += float64(n-lag) * float64(n-lag-1) * float64(n-lag-2) * rho
		}
	}
	return max(1, 1+2*sum/(float64(n)*float64(n-1)*float64(n-2)))
}

// Ranks are the places of values in their order, from 1. Ties share the mean of theirs.
func Ranks(xs []float64) []float64 {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
	ranks := make([]float64, len(xs))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && xs[order[to]] == xs[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to+1) / 2 // ties share the mean of their ranks
		}
		from = to
	}
	return ranks
}

func autocorrelation(xs []float64, lag int) float64 {
	mean := 0.0
	for _, x := range xs {
		mean += x
	}
	mean /= float64(len(xs))
	var with, own float64
	for i, x := range xs {
		own += (x - mean) * (x - mean)
		if i >= lag {
			with += (x - mean) * (xs[i-lag] - mean)
		}
	}
	if own == 0 {
		return 0
	}
	return with / own
}

// TheilSen is the median of the slopes of all pairs, per step.
func TheilSen(xs []float64) float64 {
	var slopes []float64
	for j := range xs {
		for i := range j {
			slopes = append(slopes, (xs[j]-xs[i])/float64(j-i))
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	slices.Sort(slopes)
	middle := len(slopes) / 2
	if len(slopes)%2 == 1 {
		return slopes[middle]
	}
	return (slopes[middle-1] + slopes[middle]) / 2
}
