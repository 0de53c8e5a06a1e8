package stats

import (
	"cmp"
	"math"
	"slices"
)

// A Mark says how far out a value lies.
type Mark int

// The marks of a value.
const (
	Usual Mark = iota
	Mild
	Severe
)

// The fences of Tukey (Exploratory Data Analysis, 1977), in interquartile ranges.
const mildFence, severeFence = 1.5, 3

// madMild and madLimit are the distances from the median, in standard deviations as the
// median absolute deviation estimates them, beyond which a value is marked mild and
// severe; the second is hyperfine's. The deviation of three to five values is a gap or
// two, and small by chance: they are severe where one normal sample of a hundred is, and of
// five one of five hundred, because the trend over them has most of the 2 % of clean runs
// that may be warned of.
const madMild, madLimit = 5, 10

var madLimitOfFew = map[int]float64{3: 120, 4: 19, 5: 40}

// madToDeviation makes a median absolute deviation of normal values their standard
// deviation.
const madToDeviation = 1.4826

// TukeyMarks marks the values of xs beyond Tukey's fences: 1.5 interquartile ranges
// outside the quartiles is mild, 3 severe. Nothing is taken away: of latencies,
// which are skewed, several per cent lie outside and belong there.
func TukeyMarks(xs []float64) []Mark {
	marks := make([]Mark, len(xs))
	if len(xs) < 4 {
		return marks
	}
	sorted := slices.Sorted(slices.Values(xs))
	low, high := percentileOf(sorted, .25), percentileOf(sorted, .75)
	span := high - low
	for i, x := range xs {
		switch beyond := max(low-x, x-high); {
		case beyond > severeFence*span:
			marks[i] = Severe
		case beyond > mildFence*span:
			marks[i] = Mild
		}
	}
	return marks
}

// MADMarks marks the values of xs by their distance from the median in units of the
// median absolute deviation, which outliers themselves do not move: beyond 5
// standard deviations is mild, beyond 10 severe, and more for three to five values.
// Where more than half of the values are equal the deviation is zero, and every other
// value is severe.
func MADMarks(xs []float64) []Mark {
	marks := make([]Mark, len(xs))
	if len(xs) < 3 {
		return marks
	}
	centre := middle(slices.Sorted(slices.Values(xs)))
	distances := make([]float64, len(xs))
	for i, x := range xs {
		distances[i] = math.Abs(x - centre)
	}
	deviation := madToDeviation * middle(slices.Sorted(slices.Values(distances)))
	limit := cmp.Or(madLimitOfFew[len(xs)], madLimit)
	for i, d := range distances {
		switch {
		case d > limit*deviation:
			marks[i] = Severe
		case d > madMild*deviation:
			marks[i] = Mild
		}
	}
	return marks
}
