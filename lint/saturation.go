package lint

import "assay/finding"

// OverSaturation fires when the queue of an open point grew without bound.
var OverSaturation = Check{
	ID: "over-saturation", Code: "L-11", Severity: finding.Void, About: finding.Speed,
	Doc:  "A point has no steady state: more arrived than left.",
	When: "the queue of an open point grows without bound by over_saturation.v1. It forbids the times of that point; rates and goodput say how much left, and stand",
	Run:  func(f *Facts) Answer { return found(f.Saturated...) },
}
