package pair

import (
	"fmt"
	"slices"

	"assay/analysis/compare"
	"assay/finding"
)

// Against says why nothing may be concluded from a result of a pair: what forbids it on
// either side, and what was found in the pair.
func Against(baseline, candidate compare.Side, found []finding.Finding) func(finding.Result) []string {
	return func(r finding.Result) (why []string) {
		for _, side := range []compare.Side{baseline, candidate} {
			for _, reason := range side.Voids(r) {
				why = append(why, fmt.Sprintf("%s: %s", side.Label, reason))
			}
		}
		for _, f := range found {
			if f.Severity == finding.Void && f.Scope.Touches(r) {
				why = append(why, f.Check+": "+f.Message)
			}
		}
		slices.Sort(why)
		return slices.Compact(why)
	}
}
