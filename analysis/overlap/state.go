package overlap

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"assay/plan"
	"assay/record"
)

// clocksOf says how well the clock of each rank of a launch is known.
func clocksOf(m measured) (list []Clock) {
	seen := map[int32]bool{}
	for _, row := range slices.Backward(m.ranked.World) {
		if seen[row.Rank] {
			continue
		}
		seen[row.Rank] = true
		clock := m.ranked.Clock(row.Rank)
		if !clock.Known {
			continue
		}
		c := Clock{Launch: m.launch, Rank: int(row.Rank), Offset: seconds(*row.Offset), Bound: seconds(clock.Bound)}
		if clock.After {
			c.Drift = new(1e6 * clock.Drift)
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Clock) int { return cmp.Compare(a.Rank, b.Rank) })
	return list
}

// memoryOf is what each rank held: of several readings the highest of each part.
func memoryOf(list []measured) (out []Memory) {
	of := map[int32]*Memory{}
	for _, m := range list {
		for _, row := range m.ranked.Memory {
			one := of[row.Rank]
			if one == nil {
				one = &Memory{Rank: int(row.Rank), Outcome: row.Outcome}
				of[row.Rank] = one
			}
			if row.Outcome != "ok" {
				one.Outcome = row.Outcome
			}
			for _, part := range []struct {
				to   **int64
				from *int64
			}{
				{&one.Parameters, row.Parameters}, {&one.Gradients, row.Gradients}, {&one.Optimizer, row.Optimizer},
				{&one.Activations, row.Activations}, {&one.PeakAllocated, row.PeakAllocated}, {&one.PeakReserved, row.PeakReserved},
				{&one.Resident, row.Resident}, {&one.Total, row.Total},
			} {
				if part.from != nil && (*part.to == nil || **part.to < *part.from) {
					*part.to = new(*part.from)
				}
			}
		}
	}
	for _, one := range of {
		if one.PeakAllocated != nil && one.PeakReserved != nil {
			one.Fragmented = new(max(0, *one.PeakReserved-*one.PeakAllocated))
		}
		out = append(out, *one)
	}
	slices.SortFunc(out, func(a, b Memory) int { return cmp.Compare(a.Rank, b.Rank) })
	return out
}

// onCPU says that no rank has an accelerator; false where none says what it computes
// on.
func onCPU(list []measured) bool {
	seen := false
	for _, m := range list {
		for _, row := range m.ranked.Memory {
			if row.Device != "cpu" {
				return false
			}
			seen = true
		}
	}
	return seen
}

// flopOf is what utilisation rests on, and nil where no step has tokens.
func flopOf(list []measured) *FLOP {
	m := list[0]
	basis, ok := m.point.TrainingFLOP()
	steps := m.ranked.Plan.Steps
	if !ok || steps == nil {
		return nil
	}
	total, embedding := plan.Count(steps.Shape)
	out := &FLOP{
		Convention: basis.Convention, PerToken: basis.PerToken, Hardware: basis.Hardware,
		Parameters: total, Embedding: embedding, Peak: basis.Peak, PeakSource: basis.PeakSource,
		Precision: steps.Precision, Sequence: steps.Shape.SequenceLength, Devices: basis.Devices,
	}
	for _, c := range m.checks {
		if c.Name == "flop_count" && c.Value != nil {
			out.Counted = c.Value
		}
	}
	out.Measured = m.links.fastest(steps.Precision)
	return out
}

// checked is what ranks said about their results, and what comparing their
// checksums says.
func checked(m measured) (list []Check) {
	for _, c := range m.checks {
		list = append(list, Check{m.launch, c.Name, c.Value, c.Expected, c.Error, c.Noise, c.Passed, c.Text})
	}
	steps := m.ranked.Plan.Steps
	if steps == nil || steps.Parallelism != "ddp" {
		return list // shards differ from rank to rank
	}
	for _, sum := range []struct {
		name string
		of   func(record.Step) *float64
	}{
		{"gradient_checksum", func(s record.Step) *float64 { return s.GradientSum }},
		{"parameter_checksum", func(s record.Step) *float64 { return s.ParameterSum }},
	} {
		if c, ok := checksum(m, sum.of); ok {
			c.Launch, c.Name = m.launch, sum.name
			list = append(list, c)
		}
	}
	return list
}

// sameSum is by how much of itself a checksum may differ between ranks. All of them
// hold the same bytes after an exchange, so that only the order in which a device
// adds can tell them apart, in double precision.
const sameSum = 1e-9

// checksum compares one sum between the ranks of every step with exchange; false
// where nobody has one.
func checksum(m measured, of func(record.Step) *float64) (c Check, ok bool) {
	worst, compared := 0.0, 0
	for _, s := range m.steps {
		if !s.Synced || len(s.Rows) < 2 || of(s.Rows[0]) == nil {
			continue
		}
		first := *of(s.Rows[0])
		compared++
		for _, row := range s.Rows[1:] {
			own := of(row)
			off := math.Inf(1)
			if own != nil {
				off = abs(*own-first) / max(abs(first), math.SmallestNonzeroFloat64)
			}
			if own != nil && *own == first {
				off = 0
			}
			if off > sameSum && c.Text == "" {
				c.Text = fmt.Sprintf("step %d: rank %d differs from rank %d", s.Number, row.Rank, s.Rows[0].Rank)
			}
			worst = max(worst, off)
		}
	}
	c.Passed = worst <= sameSum
	if c.Passed {
		c.Text = fmt.Sprintf("equal on all ranks in %d steps", compared)
	}
	if !math.IsInf(worst, 0) {
		c.Error = new(worst)
	}
	return c, compared > 0
}

func parseCheck(detail string) (record.Check, error) {
	var c record.Check
	if err := json.Unmarshal([]byte(detail), &c); err != nil {
		return c, fmt.Errorf("event %s %q: %w", record.RankCheck, detail, err)
	}
	return c, nil
}
