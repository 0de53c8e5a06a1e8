package stats

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Launches that agree have the exact interval of all their trials; those that differ
// never have a narrower one.
func TestShareOverLaunches(t *testing.T) {
	of := []int{400, 400, 400}
	for _, tt := range []struct {
		hits   []int
		method string
	}{
		{[]int{0, 0, 0}, ProportionMethod}, {[]int{400, 400, 400}, ProportionMethod}, {[]int{20, 20, 20}, ProportionMethod},
		{[]int{0, 0, 60}, SharesMethod}, {[]int{0, 1, 0}, SharesMethod},
	} {
		got, err := ShareOverLaunches(tt.hits, of, .95)
		pooled, err2 := Proportion(tt.hits[0]+tt.hits[1]+tt.hits[2], 1200, .95)
		if err != nil || err2 != nil || got.Method != tt.method || got.Value != pooled.Value || got.N != 3 || got.UnseenShare != UnseenShare(3, .95) {
			t.Errorf("%v: %+v, %v", tt.hits, got, err)
		}
		if got.Interval.Lo > pooled.Interval.Lo || got.Interval.Hi < pooled.Interval.Hi || (got.Interval == pooled.Interval) != (tt.method == ProportionMethod) {
			t.Errorf("%v: %v, that of independent trials is %v", tt.hits, got.Interval, pooled.Interval)
		}
	}
	if one, err := ShareOverLaunches([]int{3}, []int{100}, .95); err != nil || len(one.Warnings) != 1 {
		t.Errorf("one launch: %+v, %v; want a warning", one, err)
	}
	for _, bad := range [][2][]int{{{1}, {1, 2}}, {{3}, {2}}, {{-1}, {2}}, {{}, {}}} {
		if _, err := ShareOverLaunches(bad[0], bad[1], .95); err == nil {
			t.Errorf("%v hits of %v were accepted", bad[0], bad[1])
		}
	}
}

// Launches that fail in 2 % of requests on average, give or take 2 %: pooled counts
// cover 60 %, Student's t over launches 89.
func TestShareOverLaunchesCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 1))
	const trials = 600
	for _, k := range []int{3, 10} {
		held := 0
		for range trials {
			hits, of := make([]int, k), make([]int, k)
			for i := range hits {
				share := distuv.Beta{Alpha: .96, Beta: 47.04, Src: rng}.Rand()
				of[i] = 400
				for range of[i] {
					hits[i] += oneIf(rng.Float64() < share)
				}
			}
			est, err := ShareOverLaunches(hits, of, .95)
			if err != nil {
				t.Fatal(err)
			}
			held += oneIf(est.Interval.Contains(.02))
		}
		if got := float64(held) / trials; got < .925 {
			t.Errorf("%d launches: covers %.3f", k, got)
		}
	}
}
