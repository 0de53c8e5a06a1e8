package workload

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The mean and the deviation are the declared ones, for the log-normal too.
func TestSpread(t *testing.T) {
	const n, mean = 100_000, 1000
	tests := []struct {
		spread   Spread
		mean, sd float64
		lo, hi   int32
	}{
		{Spread{}, mean, 0, mean, mean},
		{Spread{Fixed, 0}, mean, 0, mean, mean},
		{Spread{Uniform, 0.5}, mean, 500 / math.Sqrt(3), 500, 1500},
		{Spread{Normal, 0.2}, mean, 200, 1, math.MaxInt32},
		{Spread{LogNormal, 0.5}, mean, 500, 1, math.MaxInt32},
		{Spread{LogNormal, 1}, mean, 1000, 1, math.MaxInt32},
	}
	for _, tt := range tests {
		rng := rand.New(rand.NewPCG(4, 2))
		var sum, squares float64
		for range n {
			x := tt.spread.Draw(rng, mean)
			if x < tt.lo || x > tt.hi {
				t.Fatalf("%+v drew %d", tt.spread, x)
			}
			sum += float64(x)
			squares += float64(x) * float64(x)
		}
		gotMean := sum / n
		gotSD := math.Sqrt(max(0, squares/n-gotMean*gotMean))
		if math.Abs(gotMean-tt.mean) > 6*tt.sd/math.Sqrt(n)+0.01 {
			t.Errorf("%+v: mean %.2f, want %.2f", tt.spread, gotMean, tt.mean)
		}
		if math.Abs(gotSD-tt.sd) > 0.03*tt.sd+1e-9 {
			t.Errorf("%+v: deviation %.2f, want %.2f", tt.spread, gotSD, tt.sd)
		}
	}
}

func TestSpreadRefusals(t *testing.T) {
	for _, bad := range []Spread{{"zipf", 1}, {Normal, -1}, {LogNormal, math.NaN()}, {LogNormal, math.Inf(1)}, {Uniform, 1.5}} {
		if _, err := New(1, Options{Lengths: mix, Spread: bad}); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}
