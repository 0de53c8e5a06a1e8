package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// With log ratios 0.1, 0.2 and 0.3 the mean is 0.2, the standard error
// 0.1/√3, and t(0.975, 2) = 4.3027.
func TestPaired(t *testing.T) {
	a := []float64{1, 2, 4}
	b := []float64{math.Exp(.1), 2 * math.Exp(.2), 4 * math.Exp(.3)}
	est, err := PairedRatio(a, b, 0.95)
	half := 4.302653 * 0.1 / math.Sqrt(3)
	if err != nil || est.N != 3 || est.Method != PairedRatioMethod ||
		math.Abs(est.Value-math.Exp(.2)) > 1e-9 || math.Abs(est.Interval.Lo-math.Exp(.2-half)) > 1e-6 || math.Abs(est.Interval.Hi-math.Exp(.2+half)) > 1e-6 {
		t.Errorf("ratio = %+v, %v", est, err)
	}
	est, err = PairedDifference([]float64{1, 2, 3}, []float64{2, 4, 6}, 0.95)
	if err != nil || est.Value != 2 || math.Abs(est.Interval.Hi-(2+4.302653/math.Sqrt(3))) > 1e-5 {
		t.Errorf("difference = %+v, %v", est, err)
	}
	one, err := PairedRatio([]float64{2}, []float64{4}, 0.95)
	if err != nil || one.Value != 2 || one.Interval != Unbounded || len(one.Warnings) == 0 {
		t.Errorf("one block = %+v, %v; want 2 without an interval, and a warning", one, err)
	}
	if _, err := PairedRatio([]float64{1, 0}, []float64{1, 1}, 0.95); !errors.Is(err, ErrNotPositive) {
		t.Errorf("a ratio to zero: %v", err)
	}
	if _, err := PairedRatio([]float64{1}, nil, 0.95); err == nil {
		t.Error("values without a partner were paired")
	}
	if _, err := PairedDifference([]float64{1}, nil, 0.95); err == nil {
		t.Error("values without a partner were paired")
	}
}

// Blocks that vary by 30 % among themselves and by 2 % inside must not widen the
// interval, and it must cover the true ratio as often as it says.
func TestPairedRatioCoverage(t *testing.T) {
	const trials, truth = 4000, 0.95
	rng := rand.New(rand.NewPCG(5, 6))
	covered, width := 0, 0.0
	for range trials {
		a, b := make([]float64, 6), make([]float64, 6)
		for i := range a {
			block := math.Exp(0.3 * rng.NormFloat64())
			a[i] = block * math.Exp(0.02*rng.NormFloat64())
			b[i] = truth * block * math.Exp(0.02*rng.NormFloat64())
		}
		est, err := PairedRatio(a, b, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if est.Interval.Contains(truth) {
			covered++
		}
		width += (est.Interval.Hi - est.Interval.Lo) / trials
	}
	if got := float64(covered) / trials; math.Abs(got-0.95) > 0.012 {
		t.Errorf("coverage = %.3f, want 0.95", got)
	}
	if width > 0.08 {
		t.Errorf("mean width %.3f: the blocks' own differences are in it", width)
	}
}
