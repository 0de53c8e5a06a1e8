package exchange

import (
	"cmp"
	"slices"

	"assay/record"
)

// A Step is one training step over its ranks.
type Step struct {
	Number int64
	Phase  record.Phase
	Synced bool          // false for one without exchange
	Rows   []record.Step // one for each rank, in their order
	Sides  []Side        // of the same ranks, on one clock; without buckets where nothing was stamped
}

// Slowest is how long the slowest rank took. Every rank's own clock measures it, so
// that nothing rests on how the clocks stand to each other.
func (s Step) Slowest() (ns int64) {
	for _, row := range s.Rows {
		ns = max(ns, row.End-row.Start)
	}
	return ns
}

// SlowestRow is the place among Rows of the rank that took longest, of equal ones the
// first.
func (s Step) SlowestRow() (slowest int) {
	for i, row := range s.Rows {
		if most := s.Rows[slowest]; row.End-row.Start > most.End-most.Start {
			slowest = i
		}
	}
	return slowest
}

// Figures are what rank i tells of its exchange: by its stamped buckets, or else by
// the device's own clock, which knows neither buckets nor the begin of the backward
// pass. False where it tells nothing.
func (s Step) Figures(i int) (Figures, bool) {
	if f, ok := Alone(s.Sides[i]); ok {
		return f, true
	}
	row := s.Rows[i]
	if row.Exposed == nil || row.Comm == nil {
		return Figures{}, false
	}
	return Figures{Exposed: *row.Exposed, Comm: *row.Comm, Sum: *row.Comm}, true
}

// Counted says that the step is one that figures rest on.
func (s Step) Counted() bool { return s.Phase == record.Measure && s.Synced }

// Trained says that the step moved the model: the gradients of one without exchange
// are thrown away, and those for the profiler come after the measurement.
func (s Step) Trained() bool {
	return s.Synced && (s.Phase == record.Warmup || s.Phase == record.Measure)
}

// Steps puts the rows of a point together, step by step in the order they began;
// clock is that of each rank. Of a step that was made twice, because its world was
// started again, the later stands. Buckets exchanged without computation are left
// out.
func Steps(rows []record.Step, buckets []record.Bucket, clock func(rank int32) Clock) []Step {
	type key struct {
		rank int32
		step int64
	}
	latest := map[key]record.Step{}
	for _, row := range rows {
		k := key{row.Rank, row.Step}
		if have, ok := latest[k]; !ok || have.Start <= row.Start {
			latest[k] = row
		}
	}
	stamped := map[key][]record.Bucket{}
	for _, b := range buckets {
		k := key{b.Rank, b.Step}
		if row, ok := latest[k]; ok && !b.Alone && row.Start <= b.Ready {
			stamped[k] = append(stamped[k], b)
		}
	}
	byNumber := map[int64]*Step{}
	for k, row := range latest {
		s := byNumber[k.step]
		if s == nil {
			s = &Step{Number: k.step, Phase: row.Phase, Synced: row.Synced}
			byNumber[k.step] = s
		}
		s.Rows = append(s.Rows, row)
	}
	var list []Step
	for _, s := range byNumber {
		slices.SortFunc(s.Rows, func(a, b record.Step) int { return cmp.Compare(a.Rank, b.Rank) })
		for _, row := range s.Rows {
			s.Sides = append(s.Sides, sideOf(row, stamped[key{row.Rank, row.Step}], clock(row.Rank)))
		}
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Step) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

func sideOf(row record.Step, buckets []record.Bucket, clock Clock) Side {
	stamp := func(at *int64) int64 {
		if at == nil {
			return clock.Right(row.Start)
		}
		return clock.Right(*at)
	}
	s := Side{Forward: stamp(row.ForwardStart), Begin: stamp(row.BackwardStart), End: stamp(row.BackwardEnd)}
	if row.BackwardEnd == nil {
		return s // without its end nothing can be called exposed
	}
	slices.SortFunc(buckets, func(a, b record.Bucket) int { return cmp.Compare(a.Bucket, b.Bucket) })
	for _, b := range buckets {
		s.Buckets = append(s.Buckets, Bucket{clock.Right(b.Ready), clock.Right(b.End)})
	}
	return s
}
