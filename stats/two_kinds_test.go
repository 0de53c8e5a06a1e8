package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Values of one level fall apart as seldom as P says, whatever their number; two of six that are
// a fifth slower are found, and are named.
func TestFindKinds(t *testing.T) {
	const trials = 400
	rng := rand.New(rand.NewPCG(3, 3))
	draw := func(n, slow int, by, spread float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = math.Exp(spread * rng.NormFloat64())
			if i < slow {
				values[i] *= 1 + by
			}
		}
		return values
	}
	for _, n := range []int{6, 9, 15} {
		at := 0
		for range trials {
			if k, ok := FindKinds(draw(n, 0, 0, .02), 0); ok && k.P <= .05 {
				at++
			}
		}
		if at < trials*2/100 || at > trials*9/100 {
			t.Errorf("%d values of one level: %d of %d have P ≤ 5 %%", n, at, trials)
		}
	}
	found := 0
	for range trials / 4 {
		k, ok := FindKinds(draw(6, 2, .2, .005), .05)
		slices.Sort(k.Upper)
		if ok && k.P <= .002 && slices.Equal(k.Upper, []int{0, 1}) {
			found++
		}
	}
	if found < trials/4*95/100 {
		t.Errorf("two slow launches of six are found in %d of %d", found, trials/4)
	}
	for name, values := range map[string][]float64{
		"too few":            {1, 1, 1, 2, 2},
		"one alone":          {1, 1.001, .999, 1.002, .998, 2},
		"a gap of no import": {1, 1.0001, .9999, 1.02, 1.0201, 1.0199},
		"a zero":             {0, 0, 1, 1, 1, 1},
	} {
		if k, ok := FindKinds(values, .05); ok && k.P <= .01 {
			t.Errorf("%s: %+v", name, k)
		}
	}
}
