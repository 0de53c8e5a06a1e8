package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Many quantiles of one sample agree with one at a time.
func TestOfRankIsQuantile(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 3, 10, 99, 1000} {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = rng.Float64()
		}
		sorted := slices.Sorted(slices.Values(xs))
		for _, q := range []float64{.001, .07, .5, .9, .99, .999} {
			est, err := Quantile(xs, q, .95)
			if err != nil || OfRank(sorted, q) != est.Value {
				t.Errorf("n = %d, q = %v: %v, want %v (%v)", n, q, OfRank(sorted, q), est.Value, err)
			}
		}
	}
}
