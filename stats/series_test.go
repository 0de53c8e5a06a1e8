package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// autoregressive is a series x_t = φ·x_{t−1} + e_t of unit variance.
func autoregressive(rng *rand.Rand, n int, phi float64) []float64 {
	xs := make([]float64, n)
	x := rng.NormFloat64()
	for i := range xs {
		xs[i] = x
		x = phi*x + math.Sqrt(1-phi*phi)*rng.NormFloat64()
	}
	return xs
}

func nearly(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

// Of an autoregressive series (1−φ)/(1+φ) of the values count.
func TestEffectiveSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	const n = 40000
	f := func(phi, want float64) {
		t.Helper()
		xs := autoregressive(rng, n, phi)
		if got := EffectiveGeyer(xs).Share(); !nearly(got, want, .15*want) {
			t.Errorf("Geyer: φ = %v has %.3f, want %.3f", phi, got, want)
		}
		batches, err := EffectiveBatchMeans(xs, 200)
		if got := batches.Share(); err != nil || !nearly(got, want, .35*want) {
			t.Errorf("batch means: φ = %v has %.3f, want %.3f", phi, got, want)
		}
	}
	f(.3, .538)
	f(.5, .333)
	f(.8, .111)
	f(.9, .053)
	// Bartlett's weights over 15 lags see most of φ = .5 and not of .9.
	if got := EffectiveNeweyWest(autoregressive(rng, n, .5)).Share(); !nearly(got, .36, .04) {
		t.Errorf("Newey–West: φ = .5 has %.3f", got)
	}
	if got := EffectiveNeweyWest(autoregressive(rng, n, .9)).Share(); got < .06 {
		t.Errorf("Newey–West: φ = .9 has %.3f: its window cannot have seen that", got)
	}
	for n, want := range map[int]int{100: 4, 1000: 6, 10000: 11} {
		if got := NeweyWestLags(n); got != want {
			t.Errorf("NeweyWestLags(%d) = %d, want %d", n, got, want)
		}
	}
	if e := EffectiveNeweyWest([]float64{5, 5, 5, 5}); e.Size != 4 {
		t.Errorf("a constant: %+v", e)
	}
	if _, err := EffectiveBatchMeans(make([]float64, 10), 6); err == nil {
		t.Error("batches of one value were taken")
	}
}

func TestLjungBox(t *testing.T) {
	// ρ₁ = −.75 of 1, −1, 1, −1: Q = 4·6·.5625/3 = 4.5, P(χ²₁ > 4.5) = .0339.
	got, err := LjungBox([]float64{1, -1, 1, -1}, 1)
	if err != nil || !nearly(got.Statistic, 4.5, 1e-12) || !nearly(got.P, .03389, 1e-5) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := LjungBox([]float64{1, 2}, 2); err == nil {
		t.Error("as many lags as values were taken")
	}
	rng := rand.New(rand.NewPCG(1, 9))
	alarms := 0
	for range 400 {
		if r, _ := LjungBox(autoregressive(rng, 200, 0), 10); r.P < .05 {
			alarms++
		}
	}
	if alarms < 8 || alarms > 34 { // 20 expected
		t.Errorf("%d alarms on 400 series without dependence", alarms)
	}
}

func TestWaldWolfowitz(t *testing.T) {
	// Two runs of five: mean 6, variance 20/9, Z = −2.683.
	got, err := WaldWolfowitz([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	if err != nil || !nearly(got.Statistic, -2.68328, 1e-5) || !nearly(got.P, .00729, 1e-5) {
		t.Errorf("a rise: %+v, %v", got, err)
	}
	if got, err = WaldWolfowitz([]float64{1, 9, 1, 9, 1, 9, 1, 9}); err != nil || got.Statistic < 2 {
		t.Errorf("an alternation: %+v, %v", got, err)
	}
	if _, err := WaldWolfowitz([]float64{1, 1, 1, 2}); err == nil {
		t.Error("a series with one value off its median was judged")
	}
}

func TestPettitt(t *testing.T) {
	got := Pettitt([]float64{10, 11, 10, 11, 10, 11, 20, 21, 20, 21, 20, 21})
	if got.K != 36 || got.At != 6 || !nearly(got.P, .0314, 5e-5) {
		t.Errorf("got %+v, want K 36 at 6, p .0314", got)
	}
	if got := Pettitt(nil); got.P != 1 {
		t.Errorf("nothing: %+v", got)
	}
}

func TestMSER(t *testing.T) {
	xs := []float64{50, 30, 20, 12, 10, 11, 10, 9, 10, 11, 10, 9, 10, 11, 10, 10}
	if got := MSER(xs); got.Drop != 4 || got.Rejected || !nearly(got.Statistic, .034144, 5e-7) {
		t.Errorf("got %+v, want 4 dropped, statistic .034144", got)
	}
	rise := make([]float64, 40)
	for i := range rise {
		rise[i] = float64(i)
	}
	if got := MSER(rise); !got.Rejected {
		t.Errorf("a rise without end: %+v", got)
	}
	if got := MSER([]float64{1, 2, 3}); !got.Rejected {
		t.Errorf("three values: %+v", got)
	}
	slow := make([]float64, 200)
	for i := range slow {
		slow[i] = 10 + float64(i%3)
		if i < 30 {
			slow[i] += 20
		}
	}
	if got := MSER5(slow); got.Drop != 30 || got.Rejected {
		t.Errorf("30 slow ones first: %+v", got)
	}
	// A spread that is small beside the level is not lost.
	for i := range slow {
		slow[i] += 1e9
	}
	if got := MSER5(slow); got.Drop != 30 {
		t.Errorf("on a high level: %+v", got)
	}
}
