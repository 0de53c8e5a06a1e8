package stats

import (
	"math"
	"testing"
)

func TestProportion(t *testing.T) {
	f := func(hits, trials int, lo, hi float64) {
		t.Helper()
		got, err := Proportion(hits, trials, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Interval.Lo-lo) > 5e-6 || math.Abs(got.Interval.Hi-hi) > 5e-6 {
			t.Errorf("Proportion(%d, %d) = %v, want [%v, %v]", hits, trials, got.Interval, lo, hi)
		}
	}
	f(0, 100, 0, .03622)
	f(5, 100, .01643, .11283)
	f(41, 1000, .02958, .05521)
	f(100, 100, 1-.03622, 1)
	for _, bad := range [][2]int{{0, 0}, {-1, 5}, {6, 5}} {
		if _, err := Proportion(bad[0], bad[1], 0.95); err == nil {
			t.Errorf("%d of %d was estimated", bad[0], bad[1])
		}
	}
	if got := Hull(Interval{1, 3}, Interval{2, 5}); got != (Interval{1, 5}) {
		t.Errorf("Hull = %v, want [1, 5]", got)
	}
}
