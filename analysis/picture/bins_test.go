package picture

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Whatever is spread over time arrives in the bins, none of it twice.
func TestFlowKeepsAmounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		from := 10 * rng.Float64()
		to := from + 100*rng.Float64()
		b := forRequests(from, to, rng.IntN(5000))
		f, want := newFlow(b), 0.0
		for range 200 {
			begin := from + (to-from)*rng.Float64()
			end := begin + (to-begin)*rng.Float64()*float64(rng.IntN(2)) // half of them at once
			amount := rng.Float64()
			want += amount
			f.add(begin, end, amount)
		}
		got := 0.0
		for _, rate := range f.perSecond() {
			if rate < 0 {
				t.Fatalf("a bin of %+v has rate %v", b, rate)
			}
			got += rate * b.step
		}
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("bins %+v hold %v, want %v", b, got, want)
		}
		if b.n > mostBins || b.of(from) < 0 || b.of(to) < 0 {
			t.Errorf("%v to %v s: %d bins from %v by %v, want at most %d that hold both ends", from, to, b.n, b.from, b.step, mostBins)
		}
	}
}

// Something under way for two bins and a half is one thing under way.
func TestFlowLevels(t *testing.T) {
	f := newFlow(bins{0, 1, 5})
	f.add(.5, 3, 2.5)
	for i, want := range []float64{.5, 1, 1, 0, 0} {
		if got := f.perSecond()[i]; math.Abs(got-want) > 1e-12 {
			t.Errorf("bin %d: %v, want %v", i, got, want)
		}
	}
	f.add(-10, 20, 30) // reaches over both ends
	if got := f.perSecond(); math.Abs(got[0]-1.5) > 1e-12 || math.Abs(got[4]-1) > 1e-12 {
		t.Errorf("with one more under way all the time: %v", got)
	}
}

func TestRounded(t *testing.T) {
	for v, want := range map[float64]float64{0: 0, 1.23456789: 1.23457, -0.000123456789: -0.000123457, 123456789: 123457000, 23811812345: 23811800000, 5e-324: 5e-324, math.MaxFloat64: 1.79769e308} {
		if got := rounded(v); got != want {
			t.Errorf("rounded(%v) = %v, want %v", v, got, want)
		}
	}
}
