package stats

import (
	"fmt"
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

// madLimit is the distance from the median, in standard deviations as the median
// absolute deviation estimates them, beyond which a value is marked severe;
// hyperfine's. Beyond half of it a value is mild.
const madLimit = 10

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
// standard deviations is mild, beyond 10 severe. Where more than half of the
// values are equal the deviation is zero, and every other value is severe.
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
	for i, d := range distances {
		switch {
		case d > madLimit*deviation:
			marks[i] = Severe
		case d > madLimit/2*deviation:
			marks[i] = Mild
		}
	}
	return marks
}

// Headlines is an estimate with all values and one without those that are marked.
// The first is the result. The second says how much hangs on the marked ones.
type Headlines struct {
	All     Estimate `json:"all"`
	Without Estimate `json:"without"`
	Mild    int      `json:"mild"`
	Severe  int      `json:"severe"`

	// Show says that the two differ by more than the half-width of the first, or
	// that it has none, and that both must be shown.
	Show bool `json:"show"`
}

// WithAndWithout makes the estimate twice, the second time without the values that
// are marked severe. It deletes nothing: leaving values out of a result needs a
// reason that someone wrote down.
func WithAndWithout(xs []float64, marks []Mark, estimate func([]float64) (Estimate, error)) (Headlines, error) {
	var h Headlines
	if len(marks) != len(xs) {
		return h, fmt.Errorf("%d marks for %d values: want one for each", len(marks), len(xs))
	}
	var rest []float64
	for i, x := range xs {
		switch marks[i] {
		case Severe:
			h.Severe++
			continue
		case Mild:
			h.Mild++
		}
		rest = append(rest, x)
	}
	var err error
	if h.All, err = estimate(xs); err != nil {
		return h, err
	}
	if h.Without, err = estimate(rest); err != nil {
		return h, fmt.Errorf("without the %d values marked severe: %w", h.Severe, err)
	}
	half := (h.All.Interval.Hi - h.All.Interval.Lo) / 2
	h.Show = h.Severe > 0 && (!h.All.Interval.Bounded() || math.Abs(h.All.Value-h.Without.Value) > half)
	return h, nil
}
