package lint

import (
	"fmt"

	"assay/finding"
)

// ScalingKind fires when a study is called strong although its problem grew, or
// weak although it did not.
var ScalingKind = Check{
	ID: "scaling-kind", Code: "P-22", Severity: finding.Caution,
	Doc:     "Strong and weak scaling are confused: the global batch does not fit the label.",
	When:    "called strong with a global batch that grows, or weak with one that does not",
	Applies: statedWith(statesScaling),
	Run:     scalingKind,
}

func scalingKind(f *Facts) Answer {
	var list []finding.Finding
	lacked := ""
	for _, s := range f.Statements {
		if s.Scaling == nil {
			continue
		}
		if t := f.Plan.Train(); t != nil && t.Scaling != "" && t.Scaling != s.Scaling.Kind {
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s is called %s scaling, the run was planned as %s scaling", said(s), s.Scaling.Kind, t.Scaling),
				Fix:      "call it what train.scaling says",
			})
			continue
		}
		first, last, known := batches(s.Scaling.Points)
		if !known {
			lacked = "the global batch at each number of workers of " + said(s)
			continue
		}
		grew := last.GlobalBatch > first.GlobalBatch
		switch {
		case s.Scaling.Kind == "strong" && grew:
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message: fmt.Sprintf("%s is called strong scaling, but its global batch grew from %d on %d workers to %d on %d",
					said(s), first.GlobalBatch, first.Workers, last.GlobalBatch, last.Workers),
				Why: "with the batch the optimisation problem changed: this is weak scaling",
				Fix: "call it weak scaling, or hold the global batch",
			})
		case s.Scaling.Kind == "weak" && !grew:
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message: fmt.Sprintf("%s is called weak scaling, but its global batch stayed at %d from %d to %d workers",
					said(s), first.GlobalBatch, first.Workers, last.Workers),
				Fix: "call it strong scaling, or grow the batch with the workers",
			})
		}
	}
	return Answer{Findings: list, Missing: lacked}
}

// batches are the points with the fewest and the most workers; false when a batch
// is not stated or there are not two points.
func batches(points []ScalingPoint) (first, last ScalingPoint, known bool) {
	for i, p := range points {
		if p.GlobalBatch == 0 {
			return first, last, false
		}
		if i == 0 || p.Workers < first.Workers {
			first = p
		}
		if i == 0 || p.Workers > last.Workers {
			last = p
		}
	}
	return first, last, last.Workers > first.Workers
}
