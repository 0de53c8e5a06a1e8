package lint

import "assay/finding"

// TokenCount fires when the server counts other tokens than the tokenizer that
// the spec names.
var TokenCount = Check{
	ID: "token-count", Code: "L-06", Severity: finding.Caution,
	Doc: "The named tokenizer and the server do not count the same.",
	When: "the author named a tokenizer and the server counts differently: a note for a constant " +
		"surplus, as a chat template adds, or for less than 1 % in all; a caution beyond that",
	Run: func(f *Facts) Answer {
		var list []finding.Finding
		for _, c := range f.Estimates.Counts {
			point, _ := f.Plan.PointByIndex(c.Point)
			list = append(list, c.Findings(f.Plan.Workload(), point.Name)...)
		}
		return found(list...)
	},
}
