package breakdown

import (
	"assay/analysis/overlap"
)

// classOf is what each part of a step is spent on.
var classOf = map[string]Class{
	"host": ControlPlane, "data": Input, "h2d": Input, "forward": Compute, "backward": Compute, "optimizer": Compute,
	"exposed_communication": Communication, "other": Unexplained,
}

// nameOf is how people call the parts that have no plain name.
var nameOf = map[string]string{"h2d": "copy in", "exposed_communication": "exposed communication"}

// foldOf is the part that holds what was not recorded of a part by itself.
func foldOf(name string) string {
	if name == "exposed_communication" {
		return "backward"
	}
	return "other"
}

// Training splits the mean step of a point as package overlap does, to the last digit:
// every step on its slowest rank, steps without gradient exchange left out. It is false
// when no such step was recorded.
func Training(p overlap.Point) (Breakdown, bool) {
	out := Breakdown{Of: "step", Launches: p.Launches, Whole: make([]float64, len(p.Launches))}
	for _, one := range p.Parts {
		name := nameOf[one.Name]
		if name == "" {
			name = one.Name
		}
		out.Parts = append(out.Parts, Part{Name: name, Class: classOf[one.Name], Values: one.PerLaunch, Source: one.Metric, fold: foldOf(one.Name)})
		for i, v := range one.PerLaunch {
			out.Whole[i] += v
		}
	}
	for _, lack := range []struct{ part, what string }{
		{"data", "the wait for input (data_ns of the table steps)"},
		{"forward", "the phases of the computation (forward_ns of the table steps)"},
		{"exposed_communication", "the exchange of gradients (table buckets): computation and communication cannot be distinguished"},
	} {
		if _, ok := p.Part(lack.part); !ok && (lack.part != "exposed_communication" || p.Ranks > 1) {
			out.Missing = append(out.Missing, lack.what)
		}
	}
	return out, len(p.Parts) > 0
}
