package lint

import (
	"fmt"

	"assay/finding"
)

// GapsLeftOut fires when ITL and jitter rest on a part of the streams.
var GapsLeftOut = Check{
	ID: "gaps-left-out", Severity: finding.Caution, About: finding.Speed,
	Doc: "ITL and jitter leave out gaps whose length is not known, and those hold too much of the streams' time.",
	When: "in some launch the gaps beside events that shared a read, and that the server may have sent apart, hold more " +
		"than 1 % of the time from the first to the last event of the streams (note), or more than 5 % (caution)",
	Applies: serves,
	Run:     gapsLeftOut,
}

// The share of the streams' time that may be left out. Beyond a hundredth a p99 of the
// gaps that are left may not be that of all.
const (
	leftOutNote    = .01
	leftOutCaution = .05
)

func gapsLeftOut(f *Facts) Answer {
	most, launch := 0.0, 0
	for _, h := range f.Client.Launches {
		if h.GapsLeftOut != nil && *h.GapsLeftOut > most {
			most, launch = *h.GapsLeftOut, h.Launch
		}
	}
	if most <= leftOutNote {
		return Answer{}
	}
	severity := finding.Note
	if most > leftOutCaution {
		severity = finding.Caution
	}
	return found(finding.Finding{
		Severity: severity,
		Message:  fmt.Sprintf("%.1f %% of the streams' time is in gaps that ITL and jitter leave out (launch %d, the most)", 100*most, launch+1),
		Why:      "one read took several events that may have been sent apart: the client was late, or the server paused and then sent several at once, and such a pause is not in ITL",
		Fix:      "look at the longest gap, which counts every pause, and at TPOT; give the client processors of its own",
	})
}
