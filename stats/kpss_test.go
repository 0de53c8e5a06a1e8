package stats

import (
	"math/rand/v2"
	"testing"
)

func TestKPSS(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	rejected := func(slope, walk bool) (share float64) {
		for range 200 {
			xs := autoregressive(rng, 200, .3)
			for i := range xs {
				if walk && i > 0 {
					xs[i] += xs[i-1]
				}
				if slope {
					xs[i] += .05 * float64(i)
				}
			}
			r, err := KPSS(xs, slope, -1)
			if err != nil {
				t.Fatal(err)
			}
			if r.P < .05 {
				share += 1. / 200
			}
		}
		return share
	}
	for _, slope := range []bool{false, true} {
		if got := rejected(slope, false); got > .12 {
			t.Errorf("slope %v: %.3f of stationary series rejected", slope, got)
		}
		if got := rejected(slope, true); got < .6 {
			t.Errorf("slope %v: %.3f of random walks rejected", slope, got)
		}
	}
	if _, err := KPSS(make([]float64, 49), false, -1); err == nil {
		t.Error("49 values were judged")
	}
	if r, err := KPSS(make([]float64, 60), false, -1); err != nil || r.P != .10 {
		t.Errorf("a constant: %+v, %v", r, err)
	}
}
