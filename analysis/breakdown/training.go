package breakdown

import (
	"fmt"

	"assay/bundle"
	"assay/record"
)

// A stepSum adds up one step over its ranks: the slowest rank decides.
type stepSum struct {
	length                       int64
	data, compute, communication *int64
}

// Training splits the mean step of a point. A step is as long as its slowest rank
// took; that rank's phases are its parts. It is false when no measured step was
// recorded.
//
// A collective that runs beside the backward pass takes no time of its own: of the
// communication only what does not fit into the rest of the step counts.
func Training(b *bundle.Bundle, point int) (Breakdown, bool, error) {
	out := Breakdown{Of: "step"}
	parts := []Part{
		{Name: "input", Class: Input, Source: "data_ns + h2d_ns"},
		{Name: "computation", Class: Compute, Source: "forward_ns + backward_ns + optimizer_ns"},
		{Name: "exposed communication", Class: Communication, Source: "comm_ns, as far as it is not hidden"},
		{Name: "unexplained", Class: Unexplained, Source: "the rest of the step"},
	}
	lacks := map[string]bool{}
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		steps := map[int64]*stepSum{}
		var order []int64
		for r, err := range bundle.Rows[record.Step](b, info.Index, bundle.Steps) {
			if err != nil {
				return out, false, fmt.Errorf("launch %d: %w", info.Index+1, err)
			}
			if int(r.Point) != point || r.Phase != record.Measure {
				continue
			}
			s := steps[r.Step]
			if s == nil {
				s = &stepSum{length: -1}
				steps[r.Step] = s
				order = append(order, r.Step)
			}
			if length := r.End - r.Start; length > s.length {
				*s = stepSum{length, total(r.Data, r.H2D), total(r.Forward, r.Backward, r.Optimizer), r.Comm}
			}
		}
		if len(order) == 0 {
			continue
		}
		var whole float64
		var sums [4]float64
		for _, step := range order {
			split := steps[step].split(lacks)
			whole += seconds(steps[step].length)
			for i, v := range split {
				sums[i] += v
			}
		}
		n := float64(len(order))
		out.Launches, out.Whole = append(out.Launches, info.Index), append(out.Whole, whole/n)
		for i := range parts {
			parts[i].Values = append(parts[i].Values, sums[i]/n)
		}
	}
	out.Parts = parts
	for _, what := range []string{"data_ns", "forward_ns", "comm_ns"} {
		if lacks[what] {
			out.Missing = append(out.Missing, what+" of the table steps")
		}
	}
	return out, len(out.Launches) > 0, nil
}

// split yields input, computation, exposed communication and the rest.
func (s *stepSum) split(lacks map[string]bool) [4]float64 {
	get := func(v *int64, name string) float64 {
		if v == nil {
			lacks[name] = true
			return 0
		}
		return seconds(*v)
	}
	length := seconds(s.length)
	input := get(s.data, "data_ns")
	computation := get(s.compute, "forward_ns")
	communication := get(s.communication, "comm_ns")
	exposed := min(communication, max(0, length-input-computation))
	return [4]float64{input, computation, exposed, length - input - computation - exposed}
}

// total adds what was measured; nil when nothing was.
func total(values ...*int64) *int64 {
	var sum int64
	known := false
	for _, v := range values {
		if v != nil {
			sum, known = sum+*v, true
		}
	}
	if !known {
		return nil
	}
	return &sum
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
