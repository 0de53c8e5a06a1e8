package items

import (
	"math"
	"math/rand/v2"
	"testing"
)

// segments makes the statistics of two systems: a length and a count of matches.
func segments(rng *rand.Rand, n int, gain float64) (a, b [][]float64) {
	for range n {
		length := 5 + rng.IntN(30)
		ease := rng.Float64()
		draw := func(chance float64) []float64 {
			hits := 0.0
			for range length {
				if rng.Float64() < chance {
					hits++
				}
			}
			return []float64{float64(length), hits}
		}
		a, b = append(a, draw(.3+.5*ease)), append(b, draw(.3+.5*ease+gain))
	}
	return a, b
}

var precision = Corpus{Score: func(sums []float64) float64 { return sums[1] / sums[0] }, Trials: 2000, Seed: 1}

func TestCorpusSeesADifference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for _, tt := range []struct {
		gain float64
		sees bool
	}{{0, false}, {.05, true}, {-.05, true}} {
		a, b := segments(rng, 400, tt.gain)
		ar, err := precision.Randomization(a, b)
		if err != nil {
			t.Fatal(err)
		}
		bs, err := precision.Bootstrap(a, b, .95)
		if err != nil {
			t.Fatal(err)
		}
		if (ar.P <= .05) != tt.sees || bs.Difference.Interval.Contains(0) == tt.sees {
			t.Errorf("gain %v: randomization %v, bootstrap %v [%v, %v]", tt.gain, ar.P, bs.Test.P, bs.Difference.Interval.Lo, bs.Difference.Interval.Hi)
		}
		bounds := bs.Bounds(.05)
		if bounds.Lo < bs.Difference.Interval.Lo || bounds.Hi > bs.Difference.Interval.Hi {
			t.Errorf("the 90 %% bounds %v reach beyond the 95 %% interval %v", bounds, bs.Difference.Interval)
		}
	}
}

// Where the score is a plain mean, randomization is the sign-flip test.
func TestRandomizationOfMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	a, b := correlated(rng, 200, false)
	var as, bs [][]float64
	for i := range a {
		as, bs = append(as, []float64{a[i]}), append(bs, []float64{b[i] + .02})
	}
	mean := Corpus{Score: func(sums []float64) float64 { return sums[0] / 200 }}
	got, err := mean.Randomization(as, bs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range b {
		b[i] += .02
	}
	d, err := Compare(pairsOf(a, b))
	if err != nil || math.Abs(got.P-d.Differs()) > .02 || math.Abs(got.Statistic-d.Value) > 1e-12 {
		t.Errorf("%+v beside P %v of t, %v", got, d.Differs(), err)
	}
}

// A system against itself is called different as often as the level says, by both tests.
func TestCorpusFalseAlarms(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	quick := precision
	quick.Trials = 200
	const evaluations = 200
	randomized := 0
	for i := range evaluations {
		quick.Seed = int64(i)
		a, b := segments(rng, 100, 0)
		ar, err := quick.Randomization(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if ar.P <= .05 {
			randomized++
		}
	}
	if randomized > evaluations/10 {
		t.Errorf("%d of %d false alarms, want about 5 %%", randomized, evaluations)
	}
}

func TestCorpusRefuses(t *testing.T) {
	a, b := segments(rand.New(rand.NewPCG(1, 1)), 30, 0)
	if _, err := precision.Bootstrap(a, b[:20], .95); err == nil {
		t.Error("other segments: want an error")
	}
	if _, err := precision.Randomization(a[:5], b[:5]); err == nil {
		t.Error("five segments: want an error")
	}
	if _, err := precision.Bootstrap(a, b, 2); err == nil {
		t.Error("confidence 2: want an error")
	}
	a[3] = a[3][:1]
	if _, err := precision.Randomization(a, b); err == nil {
		t.Error("a statistic is missing: want an error")
	}
}
