package stats

import (
	"math/rand/v2"
	"testing"
)

// 25 trials of which the first five are left out: cold 46.517, mean of all 3.118,
// warm mean 1.353, median 1.152, best 0.951.
func TestNaiveBias(t *testing.T) {
	xs := []float64{46.517, 1.4, 1.1, 1.0, .873}
	for i := range 20 {
		switch {
		case i == 7:
			xs = append(xs, .951)
		case i < 10:
			xs = append(xs, 1.1505)
		case i < 12:
			xs = append(xs, 1.1535)
		default:
			xs = append(xs, 1.68085)
		}
	}
	b, ok := NaiveBias(xs, 5)
	if !ok || !nearly(b.MeanAll, 3.118, 1e-3) || !nearly(b.WarmMean, 1.353, 1e-3) || b.WarmBest != .951 || b.Cold != 46.517 {
		t.Fatalf("got %+v, %v", b, ok)
	}
	if !nearly(b.WarmMedian, 1.152, 1e-9) || !nearly(b.Inflation, 1.707, 1e-3) || !nearly(b.BestOfN, .1745, 1e-3) {
		t.Errorf("got %+v, want an inflation of 170.7 %% and 17.5 %% by best-of-N", b)
	}
	if _, ok := NaiveBias(xs, 25); ok {
		t.Error("nothing warm was compared")
	}
}

// Counting must agree with medians taken one by one.
func TestSmallestWarmup(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	moved := 0
	for range 200 {
		n := 20 + rng.IntN(60)
		begin := rng.IntN(n * 2 / 3)
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = 1 + .05*rng.NormFloat64()
			if i < begin {
				xs[i] += rng.Float64()
			}
		}
		want := begin
		middle := lowerMedian(xs[begin:])
		for want > 0 {
			if m := lowerMedian(xs[want-1:]); m < .98*middle || m > 1.02*middle {
				break
			}
			want--
		}
		got := SmallestWarmup(xs, begin, n, .02)
		if got != want {
			t.Errorf("begin %d of %d: %d, want %d", begin, n, got, want)
		}
		if got < begin {
			moved++
		}
	}
	if moved < 50 {
		t.Errorf("only %d series need less than their whole warm-up", moved)
	}
	if got := SmallestWarmup([]float64{9, 9, 1, 1, 1}, 0, 5, .02); got != 0 {
		t.Errorf("nothing to leave out: %d", got)
	}
	if got := SmallestWarmup([]float64{9, 9, 9, 9, 9, 1, 1, 1, 1}, 5, 9, .02); got != 1 {
		t.Errorf("five of nine cold: %d, want 1", got)
	}
}
