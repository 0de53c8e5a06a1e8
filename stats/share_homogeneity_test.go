package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSharesDiffer(t *testing.T) {
	// R: chisq.test(rbind(c(10, 20, 30), c(90, 80, 70)))$p.value
	if p, ok := SharesDiffer([]int{10, 20, 30}, []int{100, 100, 100}); !ok || math.Abs(p-.001930454) > 1e-8 {
		t.Errorf("p %v, %v; want 0.001930454", p, ok)
	}
	for name, few := range map[string][2][]int{
		"one launch": {{10}, {100}}, "no launch": {nil, nil}, "no error": {{0, 0}, {100, 100}}, "few errors": {{2, 6}, {100, 100}}, "no request": {{0, 0}, {0, 0}},
	} {
		if p, ok := SharesDiffer(few[0], few[1]); ok || p != 1 {
			t.Errorf("%s: p %v, %v; want no test", name, p, ok)
		}
	}
}

// At 1 % launches of one share are called different in 1 % of runs, and a run of ten of
// which one fails a fifth of its requests nearly always.
func TestSharesDifferRates(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	draw := func(share float64) (hits int) {
		for range 500 {
			if random.Float64() < share {
				hits++
			}
		}
		return hits
	}
	for _, tt := range []struct {
		odd         float64
		least, most float64
	}{{.02, 0, .015}, {.2, .999, 1}} {
		called := 0
		const trials = 1000
		for range trials {
			hits, of := make([]int, 10), make([]int, 10)
			for i := range hits {
				hits[i], of[i] = draw(.02), 500
			}
			hits[4] = draw(tt.odd)
			if p, ok := SharesDiffer(hits, of); ok && p < .01 {
				called++
			}
		}
		if share := float64(called) / trials; share < tt.least || share > tt.most {
			t.Errorf("one launch with %v: %v called different, want %v to %v", tt.odd, share, tt.least, tt.most)
		}
	}
}

// The estimate of a share says that its launches differ, and no other does.
func TestShareWarning(t *testing.T) {
	for _, tt := range []struct {
		hits []int
		want int
	}{{[]int{40, 42, 39}, 0}, {[]int{10, 60, 20}, 1}} {
		if est, err := ShareOverLaunches(tt.hits, []int{400, 400, 400}, .95); err != nil || len(est.Warnings) != tt.want {
			t.Errorf("%v: %q, %v", tt.hits, est.Warnings, err)
		}
	}
}
