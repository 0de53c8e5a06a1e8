package stats

import (
	"math"
	"slices"
)

// CommonLanguage is the chance that a value of b drawn at random is larger than
// one of a, ties counting half. It is NaN when a side is empty.
func CommonLanguage(a, b []float64) float64 {
	sorted := slices.Sorted(slices.Values(a))
	u := 0.0
	for _, y := range b {
		below, _ := slices.BinarySearch(sorted, y)
		u += float64(below+upTo(sorted, y)) / 2
	}
	return u / (float64(len(a)) * float64(len(b)))
}

// CliffDelta is how much more often b is larger than a than it is smaller, from
// −1 to 1.
func CliffDelta(a, b []float64) float64 { return 2*CommonLanguage(a, b) - 1 }

// EffectName is the word for the size of a Cliff's delta, by the limits that
// Perfherder uses: .15, .33 and .47.
func EffectName(cliff float64) string {
	switch size := math.Abs(cliff); {
	case math.IsNaN(size):
		return "unknown"
	case size < 0.15:
		return "negligible"
	case size < 0.33:
		return "small"
	case size < 0.47:
		return "moderate"
	default:
		return "large"
	}
}

// HedgesG is the difference of the means, b − a, in pooled standard deviations,
// freed of its bias in small samples by the exact factor of Hedges (1981). It is
// NaN for fewer than two values on a side or values that never vary.
func HedgesG(a, b []float64) float64 {
	if len(a) < 2 || len(b) < 2 {
		return math.NaN()
	}
	na, ma, va := moments(a)
	nb, mb, vb := moments(b)
	df := na + nb - 2
	pooled := ((na-1)*va + (nb-1)*vb) / df
	if !(pooled > 0) {
		return math.NaN()
	}
	half, _ := math.Lgamma(df / 2)
	less, _ := math.Lgamma((df - 1) / 2)
	return (mb - ma) / math.Sqrt(pooled) * math.Exp(half-less) / math.Sqrt(df/2)
}
