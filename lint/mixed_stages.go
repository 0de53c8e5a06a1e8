package lint

import (
	"fmt"

	"assay/finding"
	"assay/plan"
)

// MixedStages fires when one figure is made of several loads.
var MixedStages = Check{
	ID: "mixed-stages", Code: "L-18", Severity: finding.Caution, About: finding.Speed,
	Doc:     "A percentile over several loads is a percentile at none of them.",
	When:    "a point of several loads; a statement without its point where there are several",
	Applies: serves,
	Run:     mixedStages,
}

func mixedStages(f *Facts) Answer {
	var list []finding.Finding
	for _, p := range f.Plan.Points {
		if levels := loadsOf(p); levels > 1 {
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s goes through %d loads in its measured window, and its figures are over all of them", p.Name, levels),
				Why:      "a p99 over several loads depends on how long each lasted, and holds at none",
				Fix:      "measure each load as a point of its own (load.rate or load.concurrency) where a figure is to be stated",
			})
		}
	}
	for _, s := range f.Statements {
		if s.Point == "" && len(f.Plan.Points) > 1 && f.Plan.Search == nil {
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s %s is stated without its point, and the run has %d of them", s.Metric, s.Statistic, len(f.Plan.Points)),
				Why:      "a figure over several loads holds at none of them",
				Fix:      "name the point, such as " + f.Plan.Points[0].Name,
			})
		}
	}
	return found(list...)
}

// loadsOf counts the different loads of a point's stages; a ramp passes through
// many and counts as two.
func loadsOf(p plan.Point) int {
	type load struct {
		rate  float64
		users int
	}
	loads := map[load]bool{}
	for i, s := range p.Stages {
		loads[load{s.Rate, s.Concurrency}] = true
		if i == 0 && s.Ramp != "" && s.Ramp != "step" {
			loads[load{}] = true // it begins at nothing
		}
	}
	return len(loads)
}
