package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestModes(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	mixture := func(n int, places ...float64) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = places[i%len(places)] + rng.NormFloat64()
		}
		return xs
	}
	for _, tt := range []struct {
		places []float64
		n      int
	}{{[]float64{10}, 500}, {[]float64{10, 20}, 500}, {[]float64{10, 20, 35}, 900}, {[]float64{10, 20}, 60}} {
		got := Modes(mixture(tt.n, tt.places...))
		if len(got) != len(tt.places) {
			t.Errorf("%d values around %v: modes %+v", tt.n, tt.places, got)
			continue
		}
		for i, m := range got {
			if math.Abs(m.At-tt.places[i]) > 1 || math.Abs(m.Share-1/float64(len(got))) > .05 {
				t.Errorf("mode %+v, want near %v with a share of 1/%d", m, tt.places[i], len(got))
			}
		}
	}
	// One mode is found in one bump nearly always.
	several := 0
	for range 200 {
		if len(Modes(mixture(200, 0))) > 1 {
			several++
		}
	}
	if several > 20 {
		t.Errorf("%d of 200 normal samples have several modes, want few", several)
	}
	if got := Modes(mixture(29, 0, 50)); got != nil {
		t.Errorf("29 values: %v, want none", got)
	}
	if got := Modes(make([]float64, 40)); len(got) != 1 || got[0].At != 0 {
		t.Errorf("a constant: %v, want one mode", got)
	}
}
