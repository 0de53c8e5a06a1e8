package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// The values are those of scipy.stats.shapiro 1.17.1, which follows the same
// algorithm.
func TestShapiroWilk(t *testing.T) {
	for _, tt := range []struct {
		xs   []float64
		w, p float64
	}{
		{[]float64{1, 2, 4}, 0.9642857142857142, 0.6368868450289689},
		{[]float64{1.02, .99, 1.01, 1}, 0.9929120069984326, 0.9718770585603881},
		{[]float64{1, 1.01, .99, 1.02, 5}, 0.5583312391565913, 0.000161968739479382},
		{[]float64{148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236}, 0.7888146948631716, 0.006703814061898823},
		{[]float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}, 0.6336293707701119, 0.0002076579016950545},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, 0.9603751832429884, 0.5513717457916771},
	} {
		w, p, err := ShapiroWilk(tt.xs)
		// scipy keeps Royston's own, coarser normal quantiles of 1974.
		if err != nil || math.Abs(w-tt.w) > 1e-6 || math.Abs(p/tt.p-1) > 1e-4 {
			t.Errorf("ShapiroWilk(%v) = %v, %v, %v, want %v, %v", tt.xs, w, p, err, tt.w, tt.p)
		}
	}
	if _, _, err := ShapiroWilk([]float64{1, 2}); !errors.Is(err, ErrTooFewToTell) {
		t.Errorf("two values gave %v, want ErrTooFewToTell", err)
	}
	if w, p, err := ShapiroWilk([]float64{7, 7, 7, 7}); w != 1 || p != 1 || err != nil {
		t.Errorf("equal values gave %v, %v, %v, want 1, 1 and no error", w, p, err)
	}
}

// Normal samples fail the test as often as it says.
func TestShapiroWilkLevel(t *testing.T) {
	const trials = 4000
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{5, 10, 30} {
		failed := 0
		for range trials {
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = 100 + rng.NormFloat64()
			}
			if _, p, err := ShapiroWilk(xs); err != nil {
				t.Fatal(err)
			} else if p < .05 {
				failed++
			}
		}
		if share := float64(failed) / trials; share < .035 || share > .065 {
			t.Errorf("n = %d: %.3f of normal samples fail at 5 %%", n, share)
		}
	}
}
