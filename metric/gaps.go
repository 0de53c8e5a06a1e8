package metric

import (
	"math"

	"assay/unit"
)

// How evenly one stream flows: one value for each request, so that a stall in one
// of many streams cannot hide among the gaps of the others.
var (
	LongestGap = Metric{
		ID: "longest_gap.v1", Name: "longest gap", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "The longest time between two successive output events of a stream: its worst stall. Unlike itl_chunk.v2 it counts the gaps of events that shared a read too, so that no pause can hide behind what comes with its end. A stream of one output event has none.",
		Of:  Each(single((*Timeline).longestGap)),
	}
	JitterSD = Metric{
		ID: "jitter_sd.v2", Name: "jitter (deviation)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut},
		Doc: "Standard deviation (n − 1) of the gaps of one stream, as itl_chunk.v2 counts them. A stream of fewer than three output events has none.",
		Of: Each(single(func(t *Timeline) (float64, bool) {
			f := t.flow()
			return f.deviation(), f.gaps > 1
		})),
	}
	JitterStep = Metric{
		ID: "jitter_step.v2", Name: "jitter (step)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Mean absolute difference between successive gaps of one stream, as itl_chunk.v2 counts them. A stream of fewer than three output events has none.",
		Of: Each(single(func(t *Timeline) (float64, bool) {
			f := t.flow()
			return seconds(f.steps) / float64(f.gaps-1), f.gaps > 1
		})),
	}
)

func (t *Timeline) longestGap() (float64, bool) {
	t.mustHold()
	last, longest := int64(-1), int64(-1)
	for i := range t.Events {
		if c := &t.Events[i]; c.Kind.Output() {
			if last >= 0 {
				longest = max(longest, c.At-last)
			}
			last = c.At
		}
	}
	return seconds(longest), longest >= 0
}

// gapSums sum up the gaps between the output events of a stream, in nanoseconds.
type gapSums struct {
	gaps  int
	steps int64 // sum of the differences between successive gaps

	// Sums of the distances from the first gap and of their squares: the first gap
	// is near the others, so that little is lost when they are subtracted.
	sum     int64
	squares float64
}

// sumGaps goes through gaps in their order.
func sumGaps(gaps []int64) (f gapSums) {
	if len(gaps) == 0 {
		return f
	}
	f.gaps = len(gaps)
	first, before := gaps[0], gaps[0]
	for _, gap := range gaps {
		f.steps += max(gap-before, before-gap)
		f.sum += gap - first
		f.squares += float64(gap-first) * float64(gap-first)
		before = gap
	}
	return f
}

// deviation is the standard deviation of the gaps, in seconds.
func (f gapSums) deviation() float64 {
	n, sum := float64(f.gaps), float64(f.sum)
	return math.Sqrt(max(0, f.squares-sum*sum/n)/(n-1)) / 1e9
}
