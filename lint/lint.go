// Package lint looks for the pitfalls that make a benchmark's numbers mean less
// than they seem to. One pitfall, one file; each check reads what a bundle says
// and returns findings with the figures in them.
//
// It changes nothing and forbids nothing: a finding's severity says what may be
// claimed while it stands. To add a check, write one file NAME.go with one Check
// and list it in All.
package lint

import (
	"slices"

	"assay/finding"
	"assay/metric"
	"assay/plan"
)

// Facts are what checks may look at.
type Facts struct {
	Plan      plan.Plan
	Estimates metric.Estimates
	Client    metric.Client
	Saturated []finding.Finding // points whose queue grew, see package saturation
}

// A Check looks for one pitfall.
type Check struct {
	ID  string
	Doc string
	Run func(f Facts) []finding.Finding
}

// All lists every check.
var All = []Check{ClientUnmeasured, ClientError, ClientDrift, ClientLimit, TokenCount, OverSaturation}

// Run makes every check. Findings carry the id of their check and come worst
// first.
func Run(f Facts) []finding.Finding {
	found := []finding.Finding{}
	for _, c := range All {
		for _, one := range c.Run(f) {
			one.Check = c.ID
			found = append(found, one)
		}
	}
	slices.SortStableFunc(found, func(a, b finding.Finding) int {
		return slices.Index(finding.All, a.Severity) - slices.Index(finding.All, b.Severity)
	})
	return found
}
