package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/stats"
)

// A long curve keeps a few hundred places and hardly moves a share; a short one
// moves none.
func TestCurve(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	xs := make([]float64, 100_000)
	sketch := stats.NewSketch(sketchError)
	for i := range xs {
		xs[i] = math.Exp(rng.NormFloat64() - 3)
		sketch.Add(xs[i])
	}
	slices.Sort(xs)
	long, counted, short := curveOf(xs), curveOfSketch(sketch), curveOf(xs[:1000])
	if n := len(long.Value); n > 800 || long.N != 100_000 || long.Whole {
		t.Errorf("a long curve has %d places of %d values, want at most 800", n, long.N)
	}
	for _, q := range []float64{.001, .25, .5, .9, .99, .999, .9999} {
		x := xs[int(q*float64(len(xs)))-1]
		slack := min(1./evenRanks, (1-q)/20) // the tail is finer
		for name, c := range map[string]*Curve{"values": long, "counts": counted} {
			if got := c.At(x); math.Abs(got-q) > slack+2*sketchError {
				t.Errorf("curve of %s at its %v quantile: %v, want within %v", name, q, got, slack)
			}
		}
	}
	for i, x := range xs[:1000] {
		if got, want := short.At(x), float64(i+1)/1000; got != want {
			t.Fatalf("short curve at value %d: %v, want %v", i, got, want)
		}
	}
	if below, above := long.At(0), long.At(xs[len(xs)-1]); below != 0 || above != 1 {
		t.Errorf("below all values %v, at the greatest %v; want 0 and 1", below, above)
	}
	if tied := curveOf([]float64{1, 1, 2, 2}); tied.At(1) != .5 || tied.At(1.5) != .5 || tied.At(2) != 1 {
		t.Errorf("ties: %+v, want half at 1 and all at 2", tied)
	}
}
