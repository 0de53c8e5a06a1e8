package lint

import "assay/finding"

// OverSaturation fires when the queue of an open point grew without bound.
var OverSaturation = Check{
	ID:  "over-saturation",
	Doc: "A point has no steady state: more arrived than left.",
	Run: func(f Facts) []finding.Finding { return f.Saturated },
}
