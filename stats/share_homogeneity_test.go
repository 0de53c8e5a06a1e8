package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestSharesDiffer(t *testing.T) {
	for _, tt := range []struct {
		hits, trials []int
		method       string
		p            float64
	}{
		// R: chisq.test(rbind(c(10, 20, 30), c(90, 80, 70)))$p.value
		{[]int{10, 20, 30}, []int{100, 100, 100}, SharesChiSquare, .001930454},
		// R: 2 * 5 * phyper(19, 20, 1980, 400, lower.tail = FALSE)
		{[]int{0, 0, 20, 0, 0}, []int{400, 400, 400, 400, 400}, SharesExact, 7.116499e-14},
		// R: 2 * 2 * phyper(2, 4, 196, 100, lower.tail = FALSE)
		{[]int{1, 3}, []int{100, 100}, SharesExact, 1},
		// Misses that are few are looked at as hits are.
		{[]int{400, 400, 380, 400, 400}, []int{400, 400, 400, 400, 400}, SharesExact, 7.116499e-14},
	} {
		if p, method := SharesDiffer(tt.hits, tt.trials); method != tt.method || math.Abs(p/tt.p-1) > 1e-5 {
			t.Errorf("%v of %v: p %v, %q; want %v, %q", tt.hits, tt.trials, p, method, tt.p, tt.method)
		}
	}
	for name, few := range map[string][2][]int{
		"one launch": {{10}, {100}}, "no launch": {nil, nil}, "no error": {{0, 0}, {100, 100}}, "no request": {{0, 0}, {0, 0}},
	} {
		if p, method := SharesDiffer(few[0], few[1]); method != "" || p != 1 {
			t.Errorf("%s: p %v, %q; want no test", name, p, method)
		}
	}
}

// Launches of one share are called different in 1 % of runs at most, however few of their
// requests fail; one of five or ten that fails for a reason of its own nearly always.
func TestSharesDifferRates(t *testing.T) {
	for _, tt := range []struct {
		launches, requests int
		share, odd         float64
		least, most        float64
	}{
		{10, 500, .02, .02, 0, .015}, {10, 500, .02, .2, .999, 1},
		{3, 400, .01, .01, 0, .015}, {5, 400, .005, .005, 0, .015}, {10, 400, .001, .001, 0, .015}, {10, 400, .997, .997, 0, .015},
		{3, 400, 0, .05, .99, 1}, {5, 400, 0, .05, .99, 1}, {10, 400, 0, .05, .99, 1}, {5, 400, 1, .95, .99, 1},
	} {
		random := rand.New(rand.NewPCG(5, 6))
		called := 0
		const trials = 1000
		for range trials {
			hits, of := make([]int, tt.launches), make([]int, tt.launches)
			for i := range hits {
				of[i] = tt.requests
				share := tt.share
				if i == 1 {
					share = tt.odd
				}
				hits[i] = int(distuv.Binomial{N: float64(of[i]), P: share, Src: random}.Rand())
			}
			if p, _ := SharesDiffer(hits, of); p <= SharesLevel {
				called++
			}
		}
		if share := float64(called) / trials; share < tt.least || share > tt.most {
			t.Errorf("%d launches with %v, one with %v: %v called different, want %v to %v", tt.launches, tt.share, tt.odd, share, tt.least, tt.most)
		}
	}
}

// The estimate of a share says that its launches differ, and no other does.
func TestShareWarning(t *testing.T) {
	for _, tt := range []struct {
		hits []int
		want int
	}{{[]int{40, 42, 39}, 0}, {[]int{10, 60, 20}, 1}, {[]int{0, 20, 0, 0, 0}, 1}} {
		if est, err := ShareOverLaunches(tt.hits, slices.Repeat([]int{400}, len(tt.hits)), .95); err != nil || len(est.Warnings) != tt.want {
			t.Errorf("%v: %q, %v", tt.hits, est.Warnings, err)
		}
	}
}
