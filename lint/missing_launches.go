package lint

import (
	"fmt"
	"slices"

	"assay/bundle"
	"assay/finding"
)

// MissingLaunches fires when the ledger of a completed run lacks launches of its
// plan.
var MissingLaunches = Check{
	ID: "missing-launches", Severity: finding.Void,
	Doc: "Launches that were planned are not in the ledger of a run that calls itself complete.",
	When: "planned launches that the ledger lacks: any in a completed run, those before the last one " +
		"made in others",
	Applies: func(f *Facts) bool { return f.Manifest.Source == nil && len(f.Plan.Launches) > 0 },
	Run:     missingLaunches,
}

func missingLaunches(f *Facts) Answer {
	if len(f.Manifest.Launches) == 0 {
		return missing("the ledger of launches")
	}
	var lost, behind []int // those that later ones follow, and all
	for _, l := range f.Plan.Launches {
		if !slices.ContainsFunc(f.Manifest.Launches, func(made bundle.LaunchInfo) bool { return made.Index == l.Index }) {
			behind = append(behind, l.Index)
			continue
		}
		lost = slices.Clone(behind)
	}
	if f.Manifest.Status == bundle.Completed {
		lost = behind // a run that was stopped lacks the last ones, and its status says so
	}
	if len(lost) == 0 {
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Void,
		Message:  fmt.Sprintf("the plan has %d launches, and the ledger lacks %v of them", len(f.Plan.Launches), lost),
		Why:      "a launch that failed is kept and says so; one that is not there was taken out",
		Fix:      "measure again, and keep every launch",
	})
}
