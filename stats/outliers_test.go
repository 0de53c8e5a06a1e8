package stats

import (
	"math/rand/v2"
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

// Marks change no value, and both headlines are shown when they part.
func TestWithAndWithout(t *testing.T) {
	xs := []float64{10, 11, 9, 10, 10.5, 9.5, 10, 200}
	kept := slices.Clone(xs)
	mean := func(xs []float64) (Estimate, error) { return Mean(xs, .95) }
	median := func(xs []float64) (Estimate, error) { return Median(xs, .95) }
	h, err := WithAndWithout(xs, MADMarks(xs), mean)
	if err != nil || h.Severe != 1 || h.All.N != 8 || h.Without.N != 7 || h.Without.Value != 10 || h.All.Value != 33.75 {
		t.Errorf("%+v, %v; want 33.75 of 8 and 10 of 7", h, err)
	}
	if h.Show {
		t.Errorf("the interval %v holds both, and both were to be shown", h.All.Interval)
	}
	tight := append(slices.Repeat([]float64{10, 10.01, 9.99}, 10), 12)
	rand.New(rand.NewPCG(1, 9)).Shuffle(len(tight), func(i, j int) { tight[i], tight[j] = tight[j], tight[i] })
	if h, err = WithAndWithout(tight, MADMarks(tight), median); err != nil || h.Show || h.Severe != 1 {
		t.Errorf("a median that one value does not move: %+v, %v; want not both shown", h, err)
	}
	few := []float64{10, 10.1, 9.9, 50}
	if h, err = WithAndWithout(few, MADMarks(few), median); err != nil || !h.Show {
		t.Errorf("an interval without ends: %+v, %v; want both shown", h, err)
	}
	if !slices.Equal(xs, kept) {
		t.Error("values were changed")
	}
	if _, err := WithAndWithout(xs, nil, mean); err == nil {
		t.Error("values without marks were accepted")
	}
}
