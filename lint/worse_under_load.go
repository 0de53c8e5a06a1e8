package lint

import (
	"fmt"
	"slices"

	"assay/accuracy"
	"assay/accuracy/parity"
	"assay/finding"
	"assay/stats/items"
)

// WorseUnderLoad fires when a server answers worse the more it is asked.
var WorseUnderLoad = Check{
	ID: "worse-under-load", Severity: finding.Void,
	Doc: "The server gives worse answers under load: its speed there is not that of the same work.",
	When: "the answers to the same items at a higher load are worse than at the lowest one beyond chance, " +
		"corrected for the number of tasks and loads, and not shown to be within the margin of the evaluation",
	Applies: func(f *Facts) bool {
		return slices.ContainsFunc(f.Answers.Tasks, func(t accuracy.Task) bool { return len(t.Points) > 1 })
	},
	Run: worseUnderLoad,
}

func worseUnderLoad(f *Facts) Answer {
	var list []finding.Finding
	reports, err := parity.LoadsOf(f.Answers, f.Manifest, f.Plan, parity.Options{})
	if err != nil {
		return missing("answers that can be compared: " + err.Error())
	}
	for _, r := range reports {
		for _, row := range r.Rows {
			if row.Verdict != items.Worse {
				continue
			}
			list = append(list, finding.Finding{
				Severity: finding.Void, Scope: ofSpeed,
				Message: fmt.Sprintf("%s answers worse under load: %s: %s", r.Side, row.Name(), row.Why()),
				Why:     "requests that are batched together can change each other's answers, and a server may be fast because it is wrong",
				Fix:     "look at the items that changed (assay diff-answers), and ask for batch-invariant kernels where the engine has them",
			})
		}
	}
	return found(list...)
}
