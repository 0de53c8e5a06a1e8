package lint

import "assay/finding"

// TokenCount fires when the server counts other tokens than the tokenizer that
// the spec names.
var TokenCount = Check{
	ID: "token-count", Severity: finding.Caution,
	Doc: "The named tokenizer and the server do not count the same.",
	Run: func(f *Facts) Answer {
		var list []finding.Finding
		for _, c := range f.Estimates.Counts {
			point, _ := f.Plan.PointByIndex(c.Point)
			list = append(list, c.Findings(f.Plan.Run.Spec.Workload, point.Name)...)
		}
		return found(list...)
	},
}
