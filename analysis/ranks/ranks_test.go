package ranks

import (
	"math"
	"testing"
)

// Of two ranks the slower is held against the faster, of more against the median.
func TestSlowest(t *testing.T) {
	ranked := func(medians ...float64) (list []Tally) {
		for i, m := range medians {
			list = append(list, Tally{Rank: i, Steps: 4, Slowest: 2 * i, Median: m})
		}
		return list
	}
	for _, tt := range []struct {
		launch []Tally
		rank   int
		ratio  float64
	}{{ranked(1, 1.2), 1, 1.2}, {ranked(1.2, 1), 0, 1.2}, {ranked(1, 1.1, 1.32), 2, 1.2}, {ranked(1, 1, 2, 1), 2, 2}} {
		worst, ratio, ok := Slowest(tt.launch)
		if !ok || worst.Rank != tt.rank || math.Abs(ratio-tt.ratio) > 1e-12 {
			t.Errorf("%v: rank %d by %v (%v), want rank %d by %v", tt.launch, worst.Rank, ratio, ok, tt.rank, tt.ratio)
		}
	}
	if _, _, ok := Slowest(ranked(1)); ok {
		t.Error("one rank has none to wait for")
	}
	if got := (Tally{Steps: 4, Slowest: 3}).Held(); got != .75 {
		t.Errorf("held up %v of its steps, want 0.75", got)
	}
}
