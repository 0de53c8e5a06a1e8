package metric

import (
	"math"

	"assay/unit"
)

// How evenly one stream flows: one value for each request, so that a stall in one
// of many streams cannot hide among the gaps of the others.
var (
	LongestGap = Metric{
		ID: "longest_gap.v1", Name: "longest gap", Unit: unit.Second, Better: Lower, Applies: textOut, Detail: true,
		Doc: "The longest time between two successive output events of a stream: its worst stall. A stream of one output event has none.",
		Each: single(func(t *Timeline) (float64, bool) {
			f := t.flow()
			return f.longest, f.gaps > 0
		}),
	}
	JitterSD = Metric{
		ID: "jitter_sd.v1", Name: "jitter (deviation)", Unit: unit.Second, Better: Lower, Applies: textOut, Detail: true,
		Doc: "Standard deviation (n − 1) of the gaps between the output events of one stream. A stream of fewer than three has none.",
		Each: single(func(t *Timeline) (float64, bool) {
			f := t.flow()
			return math.Sqrt(f.squares / float64(f.gaps-1)), f.gaps > 1
		}),
	}
	JitterStep = Metric{
		ID: "jitter_step.v1", Name: "jitter (step)", Unit: unit.Second, Better: Lower, Applies: textOut, Detail: true,
		Doc: "Mean absolute difference between successive gaps of one stream. A stream of fewer than three output events has none.",
		Each: single(func(t *Timeline) (float64, bool) {
			f := t.flow()
			return f.steps / float64(f.gaps-1), f.gaps > 1
		}),
	}
)

// A flow sums up the gaps between the output events of a stream, in seconds.
type flow struct {
	gaps          int
	longest       float64
	mean, squares float64 // sum of squares about the mean, by Welford's recurrence
	steps         float64 // sum of differences between successive gaps
}

func (t *Timeline) flow() (f flow) {
	last, before := int64(-1), 0.0
	for i := range t.Events {
		c := &t.Events[i]
		if !c.Kind.Output() {
			continue
		}
		if last >= 0 {
			gap := seconds(c.At - last)
			if f.gaps > 0 {
				f.steps += math.Abs(gap - before)
			}
			f.gaps++
			away := gap - f.mean
			f.mean += away / float64(f.gaps)
			f.squares += away * (gap - f.mean)
			f.longest = max(f.longest, gap)
			before = gap
		}
		last = c.At
	}
	return f
}
