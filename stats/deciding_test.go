package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// One-sided bounds at 2.5 % are the ends of the two-sided 95 % interval.
func TestShareBounds(t *testing.T) {
	for _, tt := range []struct {
		hits, trials, lo, hi float64
	}{{0, 100, 0, .03622}, {5, 100, .01643, .11283}, {41, 1000, .02958, .05521}, {100, 100, .96378, 1}} {
		lo, hi := ShareAtLeast(tt.hits, tt.trials, .025), ShareAtMost(tt.hits, tt.trials, .025)
		if math.Abs(lo-tt.lo) > 1e-5 || math.Abs(hi-tt.hi) > 1e-5 {
			t.Errorf("%v of %v: [%.5f, %.5f], want [%v, %v]", tt.hits, tt.trials, lo, hi, tt.lo, tt.hi)
		}
	}
}

// LoadGen's table: the smallest n for t queries over the limit.
func TestEarlyStoppingTable(t *testing.T) {
	overs := []int{0, 1, 2, 5, 10}
	for p, want := range map[float64][]int{
		.50: {7, 11, 14, 22, 35}, .90: {44, 64, 81, 127, 197}, .95: {90, 130, 165, 259, 398},
		.99: {459, 662, 838, 1307, 2010}, .999: {4603, 6636, 8403, 13105, 20140}, .9999: {46050, 66381, 84057, 131081, 201442},
	} {
		e := EarlyStopping{Percentile: p, Confidence: .99}
		for i, over := range overs {
			if got := e.Under(over) + over; got != want[i] {
				t.Errorf("p%v with %d over: %d queries, want %d", 100*p, over, got, want[i])
			}
			if e.Passes(want[i]-1, over) || !e.Passes(want[i], over) {
				t.Errorf("p%v with %d over does not turn at %d queries", 100*p, over, want[i])
			}
		}
	}
	for _, tt := range []struct {
		n    int
		p    float64
		want int
	}{{1000, .99, 2}, {10_000, .99, 77}, {1000, .9, 78}, {10_000, .999, 2}, {63, .9, 0}, {64, .9, 1}} {
		if got := (EarlyStopping{tt.p, .99}).Worst(tt.n); got != tt.want {
			t.Errorf("estimate of p%v from %d queries uses the %d worst, want %d", 100*tt.p, tt.n, got, tt.want)
		}
	}
}

// The same numbers by adding up the binomial distribution.
func TestEarlyStoppingByBruteForce(t *testing.T) {
	for _, p := range []float64{.5, .8, .9, .97} {
		for over := range 12 {
			h := 1
			for ; ; h++ {
				chance := 0.0
				for k := 0; k <= over; k++ {
					chance += binomial(h+over, k, 1-p)
				}
				if chance <= .01 {
					break
				}
			}
			if got := (EarlyStopping{p, .99}).Under(over); got != h {
				t.Errorf("p%v with %d over: %d under, by adding up %d", 100*p, over, got, h)
			}
		}
	}
}

// The estimate must be at or above the true percentile as often as it says.
func TestEarlyStoppingCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	e := EarlyStopping{Percentile: .9, Confidence: .99}
	truth, covered := -math.Log(.1), 0
	const trials = 2000
	for range trials {
		xs := make([]float64, 200)
		for i := range xs {
			xs[i] = rng.ExpFloat64()
		}
		if value, ok := e.Estimate(xs); ok && value >= truth {
			covered++
		}
	}
	if share := float64(covered) / trials; share < .985 {
		t.Errorf("%.4f of the estimates are at or above the truth, want 0.99", share)
	}
	if _, ok := e.Estimate(make([]float64, 63)); ok {
		t.Error("63 queries gave an estimate of p90, want 64")
	}
}

func TestMannKendall(t *testing.T) {
	// Worked values without dependence; the correction may only weaken them.
	for _, tt := range []struct {
		xs          []float64
		s           int
		variance, z float64
	}{
		{[]float64{1, 3, 2, 4, 5, 7, 6, 8, 10, 9}, 39, 125, 3.3988},
		{[]float64{1, 1, 2, 2, 3, 3, 3, 4}, 23, 59.667, 2.8481},
	} {
		got := MannKendall(tt.xs)
		if got.S != tt.s || math.Abs(kendallVariance(tt.xs)-tt.variance) > 1e-3 {
			t.Errorf("%v: S %d, variance %.3f, want %d and %v", tt.xs, got.S, kendallVariance(tt.xs), tt.s, tt.variance)
		}
		if bare := got.Z * math.Sqrt(hamedRao(tt.xs, got.Slope)); math.Abs(bare-tt.z) > 1e-3 {
			t.Errorf("%v: Z %.4f without the correction, want %v", tt.xs, bare, tt.z)
		}
	}
	if slope := TheilSen([]float64{1, 3, 2, 4, 5, 7, 6, 8, 10, 9}); slope != 1 {
		t.Errorf("slope %v, want 1", slope)
	}
	if p := MannKendall([]float64{2, 2, 2, 2, 2}).P; p != 1 {
		t.Errorf("a flat series has p %v, want 1", p)
	}
}

// Swings of a stationary series must not be taken for trends.
func TestMannKendallForgivesDependence(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	alarms, bare := 0, 0
	const trials = 400
	for range trials {
		xs := make([]float64, 60)
		for i := range xs {
			xs[i] = rng.NormFloat64()
			if i > 0 {
				xs[i] += .6 * xs[i-1]
			}
		}
		got := MannKendall(xs)
		if got.P < .05 {
			alarms++
		}
		if z := got.Z * math.Sqrt(hamedRao(xs, got.Slope)); math.Abs(z) > 1.96 {
			bare++
		}
	}
	if alarms > trials/8 || alarms*2 > bare {
		t.Errorf("%d of %d alarms with the correction, %d without: want few, and far fewer", alarms, trials, bare)
	}
}

func TestDesignEffect(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	series := func(phi float64) []float64 {
		xs := make([]float64, 20_000)
		for i := range xs {
			xs[i] = rng.NormFloat64()
			if i > 0 {
				xs[i] += phi * xs[i-1]
			}
		}
		return xs
	}
	for _, tt := range []struct{ phi, want float64 }{{0, 1}, {.3, 1 / .538}, {.5, 3}, {.8, 9}} {
		if got := DesignEffect(series(tt.phi)); math.Abs(got-tt.want) > .25*tt.want {
			t.Errorf("AR(1) of %v: %.2f, want %.2f within a quarter", tt.phi, got, tt.want)
		}
	}
	if got := DesignEffect(make([]float64, 100)); got != 1 {
		t.Errorf("a series that never changes: %v, want 1", got)
	}
}
