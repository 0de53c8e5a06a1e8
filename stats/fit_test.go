package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// lineRows is a design of a constant and a slope.
func lineRows(xs []float64) [][]float64 {
	rows := make([][]float64, len(xs))
	for i, x := range xs {
		rows[i] = []float64{1, x}
	}
	return rows
}

// Bad points move least squares and hardly move Huber and Theil–Sen.
func TestRobustLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	xs, ys := sequence(40), make([]float64, 40)
	for i, x := range xs {
		ys[i] = 3 + 2*x + rng.NormFloat64()
	}
	for _, bad := range []int{5, 17, 30, 38} {
		ys[bad] += 400
	}
	fit, err := Huber(lineRows(xs), ys, .95)
	if err != nil {
		t.Fatal(err)
	}
	if slope := fit.Parameters[1]; math.Abs(slope.Value-2) > .1 || !slope.Interval.Contains(2) || fit.Freedom != 38 {
		t.Errorf("Huber %+v, want a slope of 2", fit)
	}
	line, err := TheilSenLine(xs, ys, .95)
	if err != nil || math.Abs(line.Slope.Value-2) > .1 || !line.Slope.Interval.Contains(2) || math.Abs(line.Intercept-3) > 3 {
		t.Errorf("Theil–Sen %+v, %v; want 3 + 2x", line, err)
	}
}

// A curve that does not fit has no intervals.
func TestMisfitIsRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	xs, ys := sequence(60), make([]float64, 60)
	for i, x := range xs {
		ys[i] = x*x/10 + rng.NormFloat64()
	}
	fit, err := Huber(lineRows(xs), ys, .95)
	if err != nil || len(fit.Warnings) != 1 || fit.Parameters[1].Interval != Unbounded {
		t.Errorf("Huber's line through a parabola: %+v, %v; want no interval", fit, err)
	}
	line, err := TheilSenLine(xs, ys, .95)
	if err != nil || len(line.Slope.Warnings) != 1 || line.Slope.Interval != Unbounded {
		t.Errorf("Theil–Sen through a parabola: %+v, %v; want no interval", line, err)
	}
	straight := func(x float64, p []float64) float64 { return p[0] + p[1]*x }
	far := math.Inf(1)
	curve, err := CurveFit(straight, xs, ys, []float64{-far, -far}, []float64{far, far}, []float64{0, 0}, .95)
	if err != nil || curve.Parameters[0].Interval != Unbounded {
		t.Errorf("a straight curve through a parabola: %+v, %v; want no interval", curve.Fit, err)
	}
	if _, err := curve.Bootstrap(Bootstrap{Resamples: 2000}); err == nil {
		t.Error("a misfit was bootstrapped")
	}
}

func TestNonNegative(t *testing.T) {
	// Without the bound the second part would be −1: then the first alone is best.
	params, left, err := NonNegative([][]float64{{1, 0}, {1, 1}, {0, 1}}, []float64{2, 1, -1})
	if err != nil || math.Abs(params[0]-1.5) > 1e-12 || params[1] != 0 || math.Abs(left-math.Sqrt(1.5)) > 1e-12 {
		t.Errorf("%v with %v left, %v; want 1.5, 0 and √1.5", params, left, err)
	}
	// What was mixed comes apart again.
	rng := rand.New(rand.NewPCG(33, 1))
	for range 50 {
		want := []float64{max(0, rng.NormFloat64()), max(0, rng.NormFloat64()), max(0, rng.NormFloat64()), 1}
		rows, ys := make([][]float64, 12), make([]float64, 12)
		for i := range rows {
			for _, w := range want {
				v := rng.NormFloat64()
				rows[i] = append(rows[i], v)
				ys[i] += w * v
			}
		}
		got, left, err := NonNegative(rows, ys)
		if err != nil || left > 1e-9 {
			t.Fatalf("%v with %v left, %v; want %v", got, left, err, want)
		}
		for j := range want {
			if math.Abs(got[j]-want[j]) > 1e-9 {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	}
	if _, _, err := NonNegative([][]float64{{1}, {2, 3}}, []float64{1, 2}); err == nil {
		t.Error("a ragged design was accepted")
	}
}

// scalability is the Universal Scalability Law: rate at one, contention, crosstalk.
func scalability(n float64, p []float64) float64 {
	return p[0] * n / (1 + p[1]*(n-1) + p[2]*n*(n-1))
}

var (
	scalabilityLo    = []float64{1e-6, 0, 0}
	scalabilityHi    = []float64{1e6, 1, 1}
	scalabilityStart = []float64{500, .1, .01}
)

func TestCurveFit(t *testing.T) {
	truth := []float64{1000, .05, .0008}
	xs, ys := sequence(32), make([]float64, 32)
	for i, x := range xs {
		ys[i] = scalability(x, truth)
	}
	exact, err := CurveFit(scalability, xs, ys, scalabilityLo, scalabilityHi, scalabilityStart, .95)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range truth {
		if got := exact.Parameters[j].Value; math.Abs(got/want-1) > 1e-7 {
			t.Errorf("parameter %d is %v without noise, want %v", j, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(34, 1))
	for i := range ys {
		ys[i] += 100 * rng.NormFloat64()
	}
	noisy, err := CurveFit(scalability, xs, ys, scalabilityLo, scalabilityHi, scalabilityStart, .95)
	if err != nil || noisy.Freedom != 29 || math.Abs(noisy.Spread-100) > 40 {
		t.Fatalf("%+v, %v; want 29 degrees of freedom and a spread of 100", noisy.Fit, err)
	}
	again := func() Fit {
		fit, err := noisy.Bootstrap(Bootstrap{Seed: 3, Resamples: 2000})
		if err != nil {
			t.Fatal(err)
		}
		return fit
	}
	drawn := again()
	for j, want := range truth {
		for _, e := range []Estimate{noisy.Parameters[j], drawn.Parameters[j]} {
			if !e.Interval.Contains(want) || !e.Interval.Contains(e.Value) || e.Interval.Hi-e.Interval.Lo > 2*want {
				t.Errorf("parameter %d by %s: %v in %v, want %v inside", j, e.Method, e.Value, e.Interval, want)
			}
		}
	}
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	if other := again(); !slices.Equal(intervalsOf(other), intervalsOf(drawn)) {
		t.Errorf("on one processor %v, want %v", intervalsOf(other), intervalsOf(drawn))
	}
}

func intervalsOf(f Fit) (list []Interval) {
	for _, p := range f.Parameters {
		list = append(list, p.Interval)
	}
	return list
}

// A parameter that wants to leave its bounds stays there and says so.
func TestCurveFitBounds(t *testing.T) {
	xs, ys := sequence(20), make([]float64, 20)
	for i, x := range xs {
		ys[i] = scalability(x, []float64{1000, .1, 0}) + 20*math.Sin(float64(i*i)) // no crosstalk
		if i > 10 {
			ys[i] += 60
		}
	}
	fit, err := CurveFit(scalability, xs, ys, scalabilityLo, scalabilityHi, scalabilityStart, .95)
	if err != nil {
		t.Fatal(err)
	}
	if !fit.AtBound[2] || fit.Parameters[2].Value != 0 || fit.Parameters[2].Interval != Unbounded || fit.Freedom != 18 {
		t.Errorf("%+v, want crosstalk held at zero without an interval", fit.Fit)
	}
	for name, try := range map[string][4][]float64{
		"a start outside":      {xs, scalabilityLo, scalabilityHi, {500, 2, .01}},
		"bounds too few":       {xs, {0}, scalabilityHi, scalabilityStart},
		"points too few":       {xs[:3], scalabilityLo, scalabilityHi, scalabilityStart},
		"bounds without width": {xs, {1, 0, 0}, {1, 1, 1}, {1, .1, .1}},
	} {
		if _, err := CurveFit(scalability, try[0], ys[:len(try[0])], try[1], try[2], try[3], .95); err == nil {
			t.Errorf("%s: a curve was fitted", name)
		}
	}
	flat := func(x float64, p []float64) float64 { return p[0] + p[1] }
	if _, err := CurveFit(flat, xs, ys, []float64{-1e4, -1e4}, []float64{1e4, 1e4}, []float64{1, 1}, .95); !errors.Is(err, ErrSingular) {
		t.Errorf("two parameters that do the same: %v, want a refusal", err)
	}
}
