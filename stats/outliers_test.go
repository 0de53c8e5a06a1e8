package stats

import (
	"slices"
	"testing"
)

func TestMarks(t *testing.T) {
	// With 6 and 3.5 the quartiles are 2.75 and 5.25 and the fences 9 and 12.75; a
	// value further out moves the upper quartile and its fence a little.
	xs := []float64{1, 2, 3, 4, 5, 6}
	tukey := func(extra float64) Mark {
		marks := TukeyMarks(append(slices.Clone(xs), extra, 3.5))
		return marks[6]
	}
	for _, tt := range []struct {
		extra float64
		want  Mark
	}{{6, Usual}, {8, Usual}, {11, Mild}, {30, Severe}, {-30, Severe}} {
		if got := tukey(tt.extra); got != tt.want {
			t.Errorf("Tukey of %v beside %v: %v, want %v", tt.extra, xs, got, tt.want)
		}
	}
	// Median 10, deviations 0 … 2, median deviation 1: limits at 7.4 and 14.8.
	for _, tt := range []struct {
		x    float64
		want Mark
	}{{16, Usual}, {18, Mild}, {25, Severe}, {-6, Severe}} {
		got := MADMarks([]float64{8, 9, 9, 10, 10, 11, 11, 12, tt.x, 10})
		if got[8] != tt.want || slices.Max(got[:8]) != Usual {
			t.Errorf("MAD of %v: %v, want %v for it alone", tt.x, got, tt.want)
		}
	}
	if got := MADMarks([]float64{5, 5, 5, 5, 6}); got[4] != Severe || got[0] != Usual {
		t.Errorf("among equal values: %v, want the odd one severe", got)
	}
}
