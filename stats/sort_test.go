package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Sort leaves the same as slices.Sort: few values and many, of either sign, equal ones,
// the largest and the smallest, and what is not a number.
func TestSort(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	draws := map[string]func() float64{
		"latencies": func() float64 { return math.Exp(random.NormFloat64() - 4) },
		"normal":    random.NormFloat64,
		"equal":     func() float64 { return .25 },
		"few":       func() float64 { return float64(random.IntN(5) - 2) },
		"any bits":  func() float64 { return math.Float64frombits(random.Uint64()) },
		"extremes": func() float64 {
			return []float64{math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324, 0}[random.IntN(7)]
		},
	}
	for name, draw := range draws {
		for _, n := range []int{0, 1, fewToSort - 1, fewToSort, 50_000} {
			got := make([]float64, n)
			for i := range got {
				got[i] = draw()
			}
			want := slices.Sorted(slices.Values(got))
			Sort(got)
			if !slices.EqualFunc(got, want, func(a, b float64) bool { return a == b || a != a && b != b }) {
				t.Errorf("%d values, %s: not as slices.Sort leaves them", n, name)
			}
		}
	}
}

func BenchmarkSort(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 200_000)
	for i := range values {
		values[i] = math.Exp(random.NormFloat64() - 4)
	}
	xs := make([]float64, len(values))
	for name, sort := range map[string]func([]float64){"digits": Sort, "library": slices.Sort[[]float64]} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				copy(xs, values)
				sort(xs)
			}
		})
	}
}
