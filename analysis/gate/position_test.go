package gate

import (
	"math"
	"testing"

	"assay/metric"
	"assay/stats"
)

// TestPosition looks at all ten positions of an interval among no change and the
// margin on both sides, of a relative and of an absolute margin, in both directions
// of better, and at ends that lie on a mark.
func TestPosition(t *testing.T) {
	const margin = .1
	m := math.Log1p(margin)
	tests := []struct {
		lo, hi float64 // of how much worse, in margins
		want   string
	}{
		{1.5, 2, "the interval is worse by more than the margin throughout"},
		{1, 2, "the interval is worse by more than the margin throughout"},
		{.2, .8, "the interval is worse throughout, by less than the margin"},
		{.52, 1.19, "the interval is worse throughout, by less or by more than the margin"},
		{-2, -1.5, "the interval is better by more than the margin throughout"},
		{-2, -1, "the interval is better by more than the margin throughout"},
		{-.8, -.2, "the interval is better throughout, by less than the margin"},
		{-1.5, -.5, "the interval is better throughout, by less or by more than the margin"},
		{-.5, .5, "the interval holds no change, and nothing beyond the margin"},
		{0, .5, "the interval holds no change, and nothing beyond the margin"},
		{-.5, 0, "the interval holds no change, and nothing beyond the margin"},
		{-1.5, .5, "the interval holds no change and an improvement beyond the margin, but no loss beyond it"},
		{-.5, 1.5, "the interval holds both no change and a loss beyond the margin"},
		{0, 1, "the interval holds both no change and a loss beyond the margin"},
		{-1.5, 1.5, "the interval holds everything from an improvement to a loss beyond the margin"},
	}
	for _, tt := range tests {
		middle := (tt.lo + tt.hi) / 2
		for _, better := range []metric.Direction{metric.Lower, metric.Higher} {
			lo, hi, value := tt.lo, tt.hi, middle
			if better == metric.Higher {
				lo, hi, value = -tt.hi, -tt.lo, -middle
			}
			estimate := func(of func(float64) float64) *stats.Estimate {
				return &stats.Estimate{Value: of(value), Interval: stats.Interval{Lo: of(lo), Hi: of(hi)}}
			}
			ratio := func(margins float64) float64 { return math.Exp(margins * m) }
			relative := Question{Margin: margin, Better: better}.loss(Decision{Difference: estimate(ratio), Ratio: estimate(ratio)})
			absolute := Question{Absolute: 3, Better: better}.loss(Decision{Difference: estimate(func(margins float64) float64 { return 3 * margins })})
			for kind, l := range map[string]loss{"relative": relative, "absolute": absolute} {
				// Logarithms of exponentials are off by a rounding.
				l.interval.Lo, l.interval.Hi = snap(l.interval.Lo, l.limit), snap(l.interval.Hi, l.limit)
				if got := l.position(); got != tt.want {
					t.Errorf("%v to %v margins, %s, %s better: %q, want %q", tt.lo, tt.hi, kind, better, got, tt.want)
				}
			}
		}
	}
}

func snap(v, limit float64) float64 {
	for _, mark := range []float64{-limit, 0, limit} {
		if math.Abs(v-mark) < 1e-12 {
			return mark
		}
	}
	return v
}

// TestReasonMatchesInterval is the verdict that once said "holds no change" of
// 1.085 [1.051, 1.120] at a margin of ten per cent.
func TestReasonMatchesInterval(t *testing.T) {
	estimate := &stats.Estimate{Value: 1.085, Interval: stats.Interval{Lo: 1.051, Hi: 1.120}}
	l := Question{Margin: .1, Better: metric.Lower}.loss(Decision{Difference: estimate, Ratio: estimate})
	if got, want := l.position(), "the interval is worse throughout, by less or by more than the margin"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
