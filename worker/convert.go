package worker

import (
	"cmp"
	"slices"

	"assay/record"
)

// deliver hands one line to the sink, with its times on the launch's clock.
func (c *Controller) deliver(a arrival, to Sink) {
	if to == nil {
		return
	}
	rank, at := int32(a.from.rank), c.offsets[a.from.rank]
	switch line := a.line; {
	case line.Step != nil:
		to.Step(line.Step.record(rank, at))
		for _, b := range line.Step.Buckets {
			b.Point, b.Step = line.Step.Point, line.Step.Step
			to.Bucket(b.record(rank, at))
		}
	case line.Bucket != nil:
		to.Bucket(line.Bucket.record(rank, at))
	case line.Coll != nil:
		to.Collective(line.Coll.record(rank, at))
	case line.Mem != nil:
		to.Memory(line.Mem.record(rank, at))
	case line.Trial != nil:
		to.Trial(line.Trial.record(rank, at))
	case line.Sys != nil:
		s := *line.Sys
		s.At -= at
		to.Sample(a.from.rank, s)
	case line.Check != nil:
		to.Check(a.from.rank, *line.Check)
	case line.File != nil:
		to.File(a.from.rank, *line.File)
	case line.T == NoteT:
		to.Note(a.from.rank, line.Text)
	}
}

func (s StepLine) record(rank int32, offset int64) record.Step {
	row := record.Step{
		Rank: rank, Step: s.Step, Point: int32(s.Point), Phase: s.Phase,
		Start: s.Begin - offset, End: s.End - offset,
		Data: s.took("data"), H2D: s.took("h2d"), Forward: s.took("forward"), Backward: s.took("backward"), Optimizer: s.took("optimizer"),
		GPUBusy: s.GPUBusy, Comm: s.Comm, Exposed: s.Exposed, Synced: s.Synced,
		Samples: s.Samples, Tokens: s.Tokens, Loss: s.Loss, Clock: s.Clock,
		GradientSum: s.GradSum, ParameterSum: s.ParSum,
		Host: s.took("host"), Pause: s.Pause, Save: s.Save,
	}
	if s.NotFin {
		row.Loss = nil
	}
	if row.Comm == nil && len(s.Buckets) > 0 {
		row.Comm = new(union(s.Buckets))
	}
	if span, ok := s.Ph["forward"]; ok {
		row.ForwardStart = new(span[0] - offset)
	}
	if span, ok := s.Ph["backward"]; ok {
		row.BackwardStart, row.BackwardEnd = new(span[0]-offset), new(span[1]-offset)
	}
	return row
}

// took is how long a phase was: summed where the worker did so, else its span.
func (s StepLine) took(phase string) *int64 {
	if d, ok := s.Took[phase]; ok {
		return &d
	}
	if span, ok := s.Ph[phase]; ok {
		return new(span[1] - span[0])
	}
	return nil
}

// union is the time in which at least one bucket was on its way.
func union(buckets []BucketLine) (total int64) {
	sorted := slices.SortedFunc(slices.Values(buckets), func(a, b BucketLine) int { return cmp.Compare(a.Ready, b.Ready) })
	until := sorted[0].Ready
	for _, b := range sorted {
		if b.End > until {
			total += b.End - max(until, b.Ready)
			until = b.End
		}
	}
	return total
}

func (b BucketLine) record(rank int32, offset int64) record.Bucket {
	return record.Bucket{
		Rank: rank, Step: b.Step, Point: int32(b.Point), Bucket: int32(b.I), Bytes: b.Bytes,
		Ready: b.Ready - offset, End: b.End - offset, Alone: b.Alone,
	}
}

func (l CollLine) record(rank int32, offset int64) record.Collective {
	row := record.Collective{
		Rank: rank, Seq: l.It, Point: int32(l.Point), Phase: l.Phase, Op: l.Op, Algorithm: l.Algorithm,
		Bytes: l.Bytes, DataType: l.DataType, Ranks: int32(l.N), InPlace: l.InPlace,
		Start: l.T0 - offset, End: l.T1 - offset, Wrong: l.Wrong,
		Chunks: int32(l.Chunks), Clock: l.Clock, Checked: l.Checked, Emulate: l.Emulated,
		Protocol: l.Protocol, Setting: l.Setting,
	}
	if l.Peer != nil {
		row.Peer = new(int32(*l.Peer))
	}
	return row
}

func (m MemLine) record(rank int32, offset int64) record.Memory {
	return record.Memory{
		Rank: rank, Point: int32(m.Point), At: m.At - offset, Device: m.Device, Outcome: m.Outcome,
		Parameters: m.Parameters, Gradients: m.Gradients, Optimizer: m.Optimizer, Activations: m.Activations,
		PeakAllocated: m.PeakAllocated, PeakActive: m.PeakActive, PeakReserved: m.PeakReserved,
		Retries: m.Retries, OutOfMemory: m.OutOfMemory, Resident: m.Resident, Total: m.Total,
	}
}

func (t TrialLine) record(rank int32, offset int64) record.Trial {
	return record.Trial{
		Rank: rank, Point: int32(t.Point), Phase: t.Phase, Probe: t.Probe, Variant: t.Variant, Seq: t.It,
		Start: t.T0 - offset, End: t.T1 - offset, Loops: t.Loops, Bytes: t.Bytes, FLOP: t.FLOP,
		Operations: t.Operations, Threads: int32(t.Threads), Size: t.Size, Scope: t.Scope, Clock: t.Clock, Wrong: t.Wrong,
	}
}
