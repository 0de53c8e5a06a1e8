package lint

import (
	"fmt"

	"assay/finding"
)

// OutsideWindow fires when requests count as measured that were not sent in the
// measured window.
var OutsideWindow = Check{
	ID: "outside-window", Severity: finding.Void, About: finding.Speed,
	Doc: "Requests of the warm-up or of the end are counted among the measured ones.",
	When: "more than 1 % of the measured requests were sent more than 10 ms before their window or, in " +
		"a closed loop, due after it",
	Applies: func(f *Facts) bool { return serves(f) && f.Manifest.Source == nil },
	Run:     outsideWindow,
}

// outsideShare is the share of measured requests that may lie outside of the window.
const outsideShare = .01

func outsideWindow(f *Facts) Answer {
	if len(f.Tally.Points) == 0 {
		return missing("requests of a measured window")
	}
	var list []finding.Finding
	for _, p := range f.places() {
		outside, measured := p.sum(func(t PointTally) int { return t.Outside }), p.sum(measuredOf)
		if float64(outside) <= outsideShare*float64(measured) {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Void, Scope: p.scope(),
			Message: fmt.Sprintf("%s: %d of %d measured requests were not sent in the measured window", p.name, outside, measured),
			Why:     "a warm-up that counts, or a tail without load, is another workload than the declared one",
			Fix:     "measure again; the phase of a request is its recorder's to say",
		})
	}
	return found(list...)
}
