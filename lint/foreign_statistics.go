package lint

import (
	"assay/finding"
)

// ForeignStatistics fires when the latencies that a tool states rest on fewer
// requests than its rates.
var ForeignStatistics = Check{
	ID: "foreign-statistics", Severity: finding.Caution,
	Doc:     "The tool's own latencies rest on fewer requests than its own rates: the two describe different populations.",
	When:    "the tool's latencies are computed from fewer requests than its request rate",
	Applies: isImport,
	Run:     foreignStatistics,
}

func foreignStatistics(f *Facts) Answer {
	stated := false
	fewer := oddity{
		severity: finding.Caution,
		why:      "a latency of one part of the requests beside a rate of all of them is no operating point",
		fix:      "use what assay computes from the requests, and do not put the tool's own results side by side",
	}
	for _, t := range f.Foreign {
		s := t.Stated
		if s.Statistics <= 0 || s.Completed <= 0 {
			continue
		}
		stated = true
		if s.Statistics < s.Completed-.5 {
			fewer.add(s.Completed/s.Statistics, "%s: its latencies rest on %.0f requests, its request rate on %.0f", t.place(f), s.Statistics, s.Completed)
		}
	}
	if !stated {
		return missing("on how many requests the tool's own results rest")
	}
	return f.oddities(fewer)
}
