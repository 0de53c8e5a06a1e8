package stats_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/stats"
	"assay/stats/labelled"
)

// The detector must be right on at least 95 % of series of known shape. make
// bench-calibration shows the whole table, for another seed.
func TestSteadyStateIsRight(t *testing.T) {
	list := labelled.Set(180, 77)
	right, late := 0, 0
	for i, s := range list {
		got := stats.SteadyState(s.Values, stats.SteadyOptions{})
		if got.Shape == s.Shape {
			right++
		} else {
			t.Logf("%d: %s (%s, %s, %.1f noises) is called %s: %q", i, s.Shape, s.Kind, s.Noise, s.Size, got.Shape, got.Reasons)
		}
		if len(got.Reasons) == 0 || got.Begin < 0 || got.End < got.Begin || got.End > len(s.Values) || got.Steady() != (got.End == len(s.Values)) {
			t.Errorf("%d: %+v", i, got)
		}
		if s.Shape == stats.WarmUp && math.Abs(float64(got.Warm-s.Warm)) > .1*float64(len(s.Values)) {
			late++
		}
	}
	if share := float64(right) / float64(len(list)); share < .95 {
		t.Errorf("right on %.3f of %d series, want .95", share, len(list))
	}
	if late > 3 {
		t.Errorf("the end of %d of 30 warm-ups is more than a tenth of the series off", late)
	}
}

// noisy is n values around level(i), with normal noise of the given deviation.
func noisy(n int, deviation float64, level func(i int) float64) []float64 {
	rng := rand.New(rand.NewPCG(11, uint64(n)))
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = level(i) + deviation*rng.NormFloat64()
	}
	return xs
}

func TestSteadyState(t *testing.T) {
	f := func(name string, xs []float64, want stats.Shape, reason string) stats.Steadiness {
		t.Helper()
		got := stats.SteadyState(xs, stats.SteadyOptions{})
		if got.Shape != want || !strings.Contains(strings.Join(got.Reasons, "; "), reason) {
			t.Errorf("%s: %+v, want %s with %q", name, got, want, reason)
		}
		return got
	}
	flat := func(int) float64 { return 10 }
	f("nothing", nil, stats.TooShort, "0 values")
	f("a few", noisy(19, 1, flat), stats.TooShort, "19 values: want at least 20")
	f("constant", make([]float64, 300), stats.Flat, "one level")
	f("constant above zero", noisy(300, 0, flat), stats.Flat, "one level")
	if s := f("noise", noisy(1000, 1, flat), stats.Flat, "MSER-5"); s.Begin != 0 || s.End != 1000 || math.Abs(s.Level-10) > .1 {
		t.Errorf("noise: %+v", s)
	}
	// The first wave: ten of a hundred calls take fifty times as long.
	wave := noisy(100, .1, func(i int) float64 {
		if i < 10 {
			return 50
		}
		return 1
	})
	if s := f("first wave", wave, stats.WarmUp, "the first 10 of 100 values"); s.Begin != 10 || math.Abs(s.Level-1) > .1 {
		t.Errorf("first wave: %+v", s)
	}
	spike := noisy(1000, 1, flat)
	for i := 500; i < 510; i++ {
		spike[i] += 60
	}
	f("one slow moment", spike, stats.Flat, "are spikes")
	if s := f("jump", noisy(1000, 1, func(i int) float64 { return 10 + 2*float64(i/600) }), stats.Step, "+20"); s.Begin != 0 || math.Abs(float64(s.End-600)) > 17 {
		t.Errorf("jump: %+v", s)
	}
	if s := f("swing", noisy(1200, 1, func(i int) float64 { return 10 + 2*math.Sin(2*math.Pi*float64(i)/200) }), stats.Cyclic, "period"); math.Abs(s.Period-200) > 20 || s.Begin != s.End {
		t.Errorf("swing: %+v", s)
	}
	if s := f("slope", noisy(1000, 1, func(i int) float64 { return 10 + float64(i)/250 }), stats.Drift, "not settled"); math.Abs(s.Change-.33) > .08 {
		t.Errorf("slope: %+v", s)
	}
	f("a slope that does not matter", noisy(20000, .1, func(i int) float64 { return 10 + float64(i)/200000 }), stats.Flat, "one level")
	if s := stats.SteadyState(noisy(20000, .1, func(i int) float64 { return 10 + float64(i)/200000 }), stats.SteadyOptions{Tolerance: .001}); s.Shape != stats.Drift {
		t.Errorf("the same with a smaller tolerance: %+v", s)
	}
}
