package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The null distribution with ties is what counting every order gives.
func TestSharedTrendTies(t *testing.T) {
	for _, xs := range [][]float64{{1, 1, 2, 3, 4}, {1, 2, 2, 3, 3, 3}, {5, 5, 5}, {1, 2, 3, 4, 5, 6}, {2, 1, 1, 2, 2}} {
		var extreme, all float64
		own := SharedTrend(xs)
		orders(len(xs), func(order []int) {
			all++
			if s := kendall(xs, order); math.Abs(float64(s)) >= math.Abs(float64(own.S)) {
				extreme++
			}
		})
		if math.Abs(own.P-extreme/all) > 1e-12 {
			t.Errorf("%v: p %v, want %v of %v orders", xs, own.P, extreme/all, all)
		}
	}
}

// Figures that move as one count as one; those that do not are corrected for.
func TestTrends(t *testing.T) {
	up, other := []float64{1, 2, 3, 4, 5}, []float64{3, 1, 5, 2, 4}
	if got := Trends(up, up, up)[0].P; math.Abs(got-2./120) > 1e-12 {
		t.Errorf("three figures that move as one: p %v, want that of one", got)
	}
	if got := Trends(up, other)[0].P; math.Abs(got-4./120) > 1e-12 {
		t.Errorf("two figures of their own: p %v, want twice that of one", got)
	}
	if got := Trends(up, []float64{7, 7, 7, 7, 7})[0].P; math.Abs(got-2./120) > 1e-12 {
		t.Errorf("beside a constant: p %v, want that of one", got)
	}
	ten := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if got := Trends(ten, ten)[1].P; math.Abs(got/(4/3628800.)-1) > 1e-9 {
		t.Errorf("two of ten: p %v, want Bonferroni's", got)
	}
}

// How often launches are called drifting at 2 %: those that do not, at most so often;
// those that rise by 3 % each with a spread of 1 %, in 60 % of runs of five and in all
// of ten; those that rise by 1 %, in nine of ten runs of ten.
func TestTrendRates(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, tt := range []struct {
		launches, figures int
		step              float64
		least, most       float64
	}{
		{5, 1, 0, .01, .02}, {7, 1, 0, .01, .02}, {10, 1, 0, .01, .02}, {5, 5, 0, 0, .02}, {7, 5, 0, .005, .02}, {10, 5, 0, 0, .02},
		{5, 1, .03, .55, 1}, {5, 5, .03, .30, 1}, {6, 1, .03, .85, 1}, {10, 1, .03, .995, 1}, {10, 1, .01, .87, 1}, {10, 5, .01, .87, 1},
	} {
		const trials = 400
		called := 0
		for range trials {
			figures := make([][]float64, tt.figures)
			for f := range figures {
				figures[f] = make([]float64, tt.launches)
				for k := range tt.launches {
					figures[f][k] = 1 + tt.step*float64(k) + .01*random.NormFloat64()
				}
			}
			for _, trend := range Trends(figures...) {
				if trend.P <= .02 {
					called++
					break
				}
			}
		}
		const chance = .014 // two standard errors of the largest share that is wanted
		share := float64(called) / trials
		t.Logf("%2d launches, %d figures, %+.0f %% a launch: %.1f %%", tt.launches, tt.figures, 100*tt.step, 100*share)
		if share < tt.least-chance || share > tt.most+chance {
			t.Errorf("%d launches, %d figures, %v a launch: %v called a trend, want %v to %v", tt.launches, tt.figures, tt.step, share, tt.least, tt.most)
		}
	}
}
