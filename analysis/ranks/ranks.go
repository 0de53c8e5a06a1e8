// Package ranks says how the processes of a training run kept up with each other: a
// step ends when its slowest rank does.
package ranks

import (
	"cmp"
	"fmt"
	"slices"

	"assay/bundle"
	"assay/record"
	"assay/stats"
)

// A Tally is the measured training steps of one rank in one launch.
type Tally struct {
	Launch, Rank int
	Steps        int
	Median       float64 // of its step times, in seconds
	Slowest      int     // steps in which no rank took longer
	Busy, Comm   *Shared // of the step time; nil where nobody measured it
	Over         int     // steps shorter than the time in which their kernels ran
	OverStep     float64 // the step time of the worst of them, in seconds
	OverBusy     float64 // and its kernels' time
	Unclocked    int     // steps that do not name the clock that timed them
}

// A Shared is a part of a whole, both in seconds.
type Shared struct{ Part, Whole float64 }

// Share is the part over the whole.
func (s Shared) Share() float64 { return s.Part / s.Whole }

// Read sums up the measured steps of the completed launches, by launch and rank.
func Read(b *bundle.Bundle) ([]Tally, error) {
	var out []Tally
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		ranks := map[int32]*Tally{}
		times := map[int32][]float64{}
		slowest := map[int64]record.Step{}
		for s, err := range bundle.Rows[record.Step](b, info.Index, bundle.Steps) {
			if err != nil {
				return nil, fmt.Errorf("launch %d: %w", info.Index+1, err)
			}
			if s.Phase != record.Measure {
				continue
			}
			if ranks[s.Rank] == nil {
				ranks[s.Rank] = &Tally{Launch: info.Index, Rank: int(s.Rank)}
			}
			ranks[s.Rank].add(s)
			times[s.Rank] = append(times[s.Rank], float64(s.End-s.Start)/1e9)
			if worst, seen := slowest[s.Step]; !seen || s.End-s.Start > worst.End-worst.Start {
				slowest[s.Step] = s
			}
		}
		for _, s := range slowest {
			ranks[s.Rank].Slowest++
		}
		for rank, r := range ranks {
			r.Median = stats.Middle(times[rank])
			out = append(out, *r)
		}
	}
	slices.SortFunc(out, func(a, b Tally) int {
		return cmp.Or(cmp.Compare(a.Launch, b.Launch), cmp.Compare(a.Rank, b.Rank))
	})
	return out, nil
}

// Kernel times and step times come from different clocks; a hundredth is their
// jitter.
const busyTolerance = .01

func (r *Tally) add(s record.Step) {
	took := float64(s.End-s.Start) / 1e9
	r.Steps++
	if s.Clock == "" {
		r.Unclocked++
	}
	part := func(to **Shared, ns *int64) float64 {
		if ns == nil {
			return 0
		}
		if *to == nil {
			*to = &Shared{}
		}
		(*to).Part += float64(*ns) / 1e9
		(*to).Whole += took
		return float64(*ns) / 1e9
	}
	part(&r.Comm, s.Comm)
	if busy := part(&r.Busy, s.GPUBusy); busy > took*(1+busyTolerance) {
		r.Over++
		if busy-took > r.OverBusy-r.OverStep {
			r.OverStep, r.OverBusy = took, busy
		}
	}
}

// Slowest is the rank of one launch with the longest median step, and how many times
// that of the median rank it is; false for fewer than two ranks.
func Slowest(launch []Tally) (worst Tally, ratio float64, ok bool) {
	if len(launch) < 2 {
		return Tally{}, 0, false
	}
	var medians []float64
	for _, r := range launch {
		medians = append(medians, r.Median)
		if r.Median > worst.Median {
			worst = r
		}
	}
	middle := stats.Middle(medians)
	if len(launch) == 2 {
		middle = min(medians[0], medians[1]) // the median of two hides half of the gap
	}
	return worst, worst.Median / middle, true
}

// Held is the share of its steps in which no rank took longer.
func (r Tally) Held() float64 { return float64(r.Slowest) / float64(r.Steps) }
