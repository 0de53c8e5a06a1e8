package lint

import (
	"fmt"
	"slices"

	"assay/bundle"
	"assay/record"
)

// A RankTally is the measured training steps of one rank in one launch.
type RankTally struct {
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

// tallyRanks reads the steps of the completed launches.
func tallyRanks(b *bundle.Bundle) ([]RankTally, error) {
	var out []RankTally
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		ranks := map[int32]*RankTally{}
		times := map[int32][]float64{}
		slowest := map[int64]record.Step{}
		for s, err := range bundle.Rows[record.Step](b, info.Index, bundle.Steps) {
			if err != nil {
				return nil, fmt.Errorf("launch %d: %w", info.Index, err)
			}
			if s.Phase != record.Measure {
				continue
			}
			if ranks[s.Rank] == nil {
				ranks[s.Rank] = &RankTally{Launch: info.Index, Rank: int(s.Rank)}
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
			r.Median = medianOf(times[rank])
			out = append(out, *r)
		}
	}
	slices.SortFunc(out, func(a, b RankTally) int { return (a.Launch-b.Launch)*1<<20 + a.Rank - b.Rank })
	return out, nil
}

func (r *RankTally) add(s record.Step) {
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

func medianOf(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	xs = slices.Sorted(slices.Values(xs))
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}
