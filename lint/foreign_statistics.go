package lint

import (
	"fmt"

	"assay/finding"
)

// ForeignStatistics fires when the latencies that a tool states rest on fewer
// requests than its rates.
var ForeignStatistics = Check{
	ID: "foreign-statistics", Severity: finding.Caution,
	Doc:     "The tool's own latencies rest on fewer requests than its own rates: the two describe different populations.",
	Applies: isImport,
	Run:     foreignStatistics,
}

func foreignStatistics(f *Facts) Answer {
	told := false
	var faults []fault
	for _, t := range f.Foreign {
		s := t.Stated
		if s.Statistics <= 0 || s.Completed <= 0 {
			continue
		}
		told = true
		if s.Statistics < s.Completed-.5 {
			faults = append(faults, fault{s.Completed / s.Statistics, fmt.Sprintf("%s: its latencies rest on %.0f requests, its request rate on %.0f", t.place(f), s.Statistics, s.Completed)})
		}
	}
	switch {
	case !told:
		return missing("on how many requests the tool's own figures rest")
	case len(faults) == 0:
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Caution, Message: f.Manifest.Source.Tool + ": " + worst(faults),
		Why: "a latency of one part of the requests beside a rate of all of them is no operating point",
		Fix: "use what assay reckons from the requests, and the tool's own figures not side by side",
	})
}
