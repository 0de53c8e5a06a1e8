package lint

import (
	"fmt"

	"assay/finding"
)

// PooledRequests fires when requests are counted as if each were an experiment.
var PooledRequests = Check{
	ID: "pooled-requests", Code: "P-19", Severity: finding.Void, About: finding.Speed,
	Doc: "Requests or steps inside a launch are counted as replicates.",
	When: "a stated n above the number of launches, or an interval less than half as wide as the one " +
		"over launches",
	Applies: statedWith(func(_ *Facts, s Statement) bool { return s.Interval != nil || s.N > 0 }),
	Run:     pooledRequests,
}

// An honest interval by another method may be somewhat narrower than Student's;
// one of less than half its width did not come from the launches.
const tooNarrow = 2

func pooledRequests(f *Facts) Answer {
	var list []finding.Finding
	lacked := ""
	for _, s := range f.Statements {
		if _, ours := metricOf(s); !ours || s.Interval == nil && s.N == 0 {
			continue
		}
		row, ok := f.rowOf(s)
		if !ok {
			lacked = noRow(s)
			continue
		}
		k := len(row.PerLaunch)
		wider := 0.0
		if s.Interval != nil && s.Interval.Bounded() && row.Interval.Bounded() && s.Interval.Hi > s.Interval.Lo {
			wider = (row.Interval.Hi - row.Interval.Lo) / (s.Interval.Hi - s.Interval.Lo)
		}
		if s.N <= k && wider <= tooNarrow {
			continue
		}
		text := fmt.Sprintf("the interval of %s", said(s))
		if s.N > k {
			text += fmt.Sprintf(" rests on n = %d, while there are %d launches", s.N, k)
		}
		if wider > 0 {
			text += fmt.Sprintf(": [%s, %s] is stated, over %d launches it is [%s, %s], %.1f× as wide", figure(s, s.Interval.Lo), figure(s, s.Interval.Hi),
				k, figure(s, row.Interval.Lo), figure(s, row.Interval.Hi), wider)
		}
		list = append(list, finding.Finding{
			Severity: finding.Void,
			Message:  text,
			Why:      "requests of one launch share its luck: counted one by one they promise far more than they know",
			Fix:      "state the interval over launches",
		})
	}
	return Answer{Findings: list, Missing: lacked}
}
