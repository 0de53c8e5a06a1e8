package stats

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func meanOf(xs []float64) float64 { return stat.Mean(xs, nil) }

func logNormal(n int, rng *rand.Rand) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = math.Exp(.5 * rng.NormFloat64())
	}
	return xs
}

// The seed decides the interval, and nothing else does.
func TestBootstrapRepeats(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	xs := logNormal(60, rng)
	of := func(seed int64) Interval {
		est, err := BCa(xs, meanOf, .95, Bootstrap{Seed: seed, Resamples: 2000})
		if err != nil {
			t.Fatal(err)
		}
		return est.Interval
	}
	first := of(SeedOf("sha256:00ff"))
	for _, processors := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(processors)
		if got := of(SeedOf("sha256:00ff")); got != first {
			t.Errorf("on %d processors %v, want %v", processors, got, first)
		}
		runtime.GOMAXPROCS(before)
	}
	if of(SeedOf("sha256:01ff")) == first {
		t.Error("another digest gave the same interval")
	}
}

func TestBootstrapRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	maximum := func(xs []float64) float64 { return slices.Max(xs) }
	p99 := func(xs []float64) float64 {
		sorted := slices.Sorted(slices.Values(xs))
		return sorted[rankOf(len(sorted), .99)-1]
	}
	fast := Bootstrap{Resamples: 2000}
	for name, try := range map[string]func() error{
		"19 values":       func() error { _, err := BCa(logNormal(19, rng), meanOf, .95, fast); return err },
		"no values":       func() error { _, err := BCa(nil, meanOf, .95, fast); return err },
		"100 resamples":   func() error { _, err := BCa(logNormal(50, rng), meanOf, .95, Bootstrap{Resamples: 100}); return err },
		"a maximum":       func() error { _, err := BCa(logNormal(200, rng), maximum, .95, fast); return err },
		"p99 of 300":      func() error { _, err := BCa(logNormal(300, rng), p99, .95, fast); return err },
		"confidence of 1": func() error { _, err := BCa(logNormal(50, rng), meanOf, 1, fast); return err },
	} {
		if try() == nil {
			t.Errorf("%s: a bootstrap was made", name)
		}
	}
	walk := make([]float64, 200)
	for i := 1; i < len(walk); i++ {
		walk[i] = .8*walk[i-1] + rng.NormFloat64()
	}
	est, err := BCa(walk, meanOf, .95, fast)
	if err != nil || est.Interval != Unbounded || len(est.Warnings) != 1 || !strings.Contains(est.Warnings[0], "depend") {
		t.Errorf("dependent values: %+v, %v; want no interval and a warning", est, err)
	}
}

func TestDependent(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	seen := func(phi float64, n int) float64 {
		hits := 0
		const trials = 2000
		for range trials {
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = rng.NormFloat64()
				if i > 0 {
					xs[i] += phi * xs[i-1]
				}
			}
			if Dependent(xs) {
				hits++
			}
		}
		return float64(hits) / trials
	}
	for _, tt := range []struct {
		phi         float64
		n           int
		least, most float64
	}{{0, 20, 0, .004}, {0, 200, 0, .004}, {.5, 100, .85, 1}, {.5, 200, .99, 1}, {.8, 60, .95, 1}} {
		if got := seen(tt.phi, tt.n); got < tt.least || got > tt.most {
			t.Errorf("AR(1) of %v, %d values: seen in %.4f, want between %v and %v", tt.phi, tt.n, got, tt.least, tt.most)
		}
	}
	if Dependent(sequence(100)) {
		t.Error("a sorted sample was taken for a series")
	}
	if falling := sequence(100); true {
		slices.Reverse(falling)
		if Dependent(falling) {
			t.Error("a sample sorted the other way was taken for a series")
		}
	}
	if Dependent(make([]float64, 100)) {
		t.Error("a constant was taken for dependent")
	}
}
