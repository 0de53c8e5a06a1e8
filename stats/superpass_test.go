package stats

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestSuperPass(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	series := func(n int, level func(pass int) float64) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = level(i) * (1 + .01*rng.NormFloat64())
		}
		return xs
	}
	flat := func(int) float64 { return 5 }
	f := func(name string, want string, xs ...[]float64) SuperPasses {
		t.Helper()
		s, err := SuperPass(len(xs[0]), xs...)
		if err != nil || !strings.Contains(strings.Join(s.Reasons, "; "), want) {
			t.Errorf("%s: %+v, %v; want %q", name, s, err, want)
		}
		return s
	}
	if s := f("part of a pass", "not asked once", nil); s.Status != PartialDataset {
		t.Errorf("part of a pass: %+v", s)
	}
	if s := f("few", "4 passes over the data set: want at least 5", series(4, flat)); s.Status != InsufficientPasses {
		t.Errorf("few: %+v", s)
	}
	cold := func(pass int) float64 {
		if pass == 0 {
			return 20
		}
		return 5
	}
	s := f("cold first pass", "passes 2 to 10 are a plateau", series(10, cold), series(10, flat))
	if !s.Steady() || len(s.Plateaus) != 1 || !s.Plateaus[0].Levels[0].Interval.Contains(5) {
		t.Errorf("cold first pass: %+v", s)
	}
	// A level that changes in one series is a later plateau.
	s = f("step", "the level of series 2 has changed by +", series(30, flat), series(30, func(pass int) float64 { return 5 + float64(pass/15) }))
	if s.Steady() || !s.Anomaly || len(s.Plateaus) != 2 || s.Plateaus[1].From != 15 {
		t.Errorf("step: %+v", s)
	}
	if s = f("drift", "", series(30, func(pass int) float64 { return 5 + .1*float64(pass) })); s.Steady() {
		t.Errorf("drift: %+v", s)
	}
	spike := series(12, flat)
	spike[6] *= 1.15
	if s = f("one slow pass", "passes 2 to 12", spike); !s.Steady() {
		t.Errorf("one slow pass: %+v", s)
	}
	if s = f("wild", "no 3 passes", series(9, func(pass int) float64 { return float64(1 + 4*(pass%2)) })); len(s.Plateaus) > 0 || s.Steady() {
		t.Errorf("wild: %+v", s)
	}
	if _, err := SuperPass(3, []float64{1, 2}); err == nil {
		t.Error("a series shorter than the passes was taken")
	}
}
