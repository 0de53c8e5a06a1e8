package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSharedTrend(t *testing.T) {
	tests := []struct {
		name   string
		groups [][]float64
		s      int
		p      float64
	}{
		{"three and three that rise", [][]float64{{1, 2, 3}, {11, 12, 13}}, 6, 2.0 / 36},
		{"four and four that fall", [][]float64{{4, 3, 2, 1}, {9, 8, 7, 6}}, -12, 2.0 / 576},
		{"five and five that rise", [][]float64{{1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}}, 20, 2.0 / 14400},
		{"one up and one down", [][]float64{{1, 2, 3}, {3, 2, 1}}, 0, 1},
		{"one value each", [][]float64{{1}, {2}}, 0, 1},
		{"one group", [][]float64{{1, 2, 3, 4, 5}}, 10, 2.0 / 120},
	}
	for _, tt := range tests {
		if got := SharedTrend(tt.groups...); got.S != tt.s || math.Abs(got.P-tt.p) > 1e-12 {
			t.Errorf("%s: S %d, p %v; want %d, %v", tt.name, got.S, got.P, tt.s, tt.p)
		}
	}
	if got := SharedTrend([]float64{1, 1.1, 1.2}, []float64{5, 5.1, 5.2}).Slope; math.Abs(got-.1) > 1e-12 {
		t.Errorf("slope %v, want 0.1", got)
	}
}

// Values that do not move are called moving as often as the level says, at most.
func TestSharedTrendLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alarms := 0
	const trials = 4000
	for range trials {
		a, b := make([]float64, 5), make([]float64, 5)
		for i := range 5 {
			a[i], b[i] = random.NormFloat64(), 3+random.NormFloat64()
		}
		if SharedTrend(a, b).P <= .01 {
			alarms++
		}
	}
	if share := float64(alarms) / trials; share > .015 {
		t.Errorf("%v of the trials are called a trend at 1 %%", share)
	}
}
