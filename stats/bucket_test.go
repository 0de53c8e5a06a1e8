package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The bucket of a value is what math.Log says, also at the ends of buckets and of the
// parts of the table, and the estimate is seldom unsure.
func TestBucketsAreThoseOfTheLogarithm(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, relativeError := range []float64{.3, .01, .005, .0005, 1e-6, 1e-12} {
		s := NewSketch(relativeError)
		f := func(v float64) {
			if v < smallestNormal || v > math.MaxFloat64 {
				return
			}
			if got, want := s.bucket.of(v), s.bucket.exact(v); got != want {
				t.Fatalf("relative error %v: bucket of %v = %d, want %d", relativeError, v, got, want)
			}
		}
		around := func(v float64) {
			f(v)
			up, down := v, v
			for range 3 {
				up, down = math.Nextafter(up, math.Inf(1)), math.Nextafter(down, 0)
				f(up)
				f(down)
			}
		}
		for range 100_000 {
			f(math.Exp(1400*random.Float64() - 700))
			f(math.Exp(4*random.Float64() - 7))
			around(math.Exp(math.Round(20_000*(random.Float64()-.5)) / s.bucket.perLog))
		}
		for power := -1022; power < 1024; power++ {
			around(math.Ldexp(1, power))
			around(math.Ldexp(1+float64(random.IntN(logSteps))/logSteps, power))
		}
	}
	worst := 0.0
	for range 1_000_000 {
		v := math.Exp(1400*random.Float64() - 700)
		worst = max(worst, math.Abs(quickLog(v)-math.Log(v)))
	}
	if worst > estimateError/4 {
		t.Errorf("the estimate of the logarithm is off by %v, want well below %v", worst, estimateError)
	}
}
