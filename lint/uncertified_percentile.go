package lint

import (
	"fmt"
	"slices"

	"assay/finding"
)

// UncertifiedPercentile fires when a percentile is stated that the sample cannot
// bound.
var UncertifiedPercentile = Check{
	ID: "uncertified-percentile", Severity: finding.Void, About: finding.Speed,
	Doc:     "A percentile is stated that the launches are too small to bound.",
	When:    "a stated p95, p99 or p99.9 that the bundle cannot bound",
	Applies: statedWith(statesTail),
	Run:     uncertifiedPercentile,
}

// statesTail says that a statement is about the tail of something that assay
// measures.
func statesTail(f *Facts, s Statement) bool {
	return statesOurs(f, s) && slices.Contains(tails, s.Statistic)
}

func uncertifiedPercentile(f *Facts) Answer {
	var answer Answer
	for _, s := range f.Statements {
		if !statesTail(f, s) {
			continue
		}
		row, ok := f.rowOf(s)
		switch {
		case !ok:
			answer.Missing = noRow(s)
		case !row.Interval.Bounded():
			answer.Findings = append(answer.Findings, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("%s = %s is stated, and the bundle cannot bound it: %s", said(s), figure(s, s.Value), firstOf(row.Warnings)),
				Why:      "a tail of so few requests is one or two of them, and another run would have others",
				Fix:      "send more requests in each launch, or state a percentile that the sample can bound",
			})
		}
	}
	return answer
}
