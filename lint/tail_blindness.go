package lint

import (
	"fmt"
	"slices"

	"assay/finding"
)

// TailBlindness fires when a latency is stated by its centre alone.
var TailBlindness = Check{
	ID: "tail-blindness", Code: "P-04", Severity: finding.Void, About: finding.Speed,
	Doc:     "A mean or median latency is stated without a tail that has an interval.",
	When:    "a mean or p50 of a latency is stated without a p95 or p99 whose interval has both ends",
	Applies: statedWith(statesLatency),
	Run:     tailBlindness,
}

// tails are the statistics that tell what the unlucky ones wait.
var tails = []string{"p95", "p99", "p99.9"}

func tailBlindness(f *Facts) Answer {
	var list []finding.Finding
	for _, s := range f.Statements {
		if !statesLatency(f, s) {
			continue
		}
		switch {
		case isCentre(s.Statistic) && !f.statesTail(s):
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("%s = %s is stated without a tail; %s", said(s), figure(s, s.Value), f.tailOf(s)),
				Why:      "a mean hides what the slowest requests wait",
				Fix:      "state p95 or p99 with its interval beside it",
			})
		case slices.Contains(tails, s.Statistic) && s.Interval != nil && !s.Interval.Bounded():
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("the interval of %s has no end: %s", said(s), f.tailOf(s)),
				Fix:      "send more requests in each launch, or state a percentile that the sample can bound",
			})
		}
	}
	return found(list...)
}

// statesTail says whether a tail of the same metric at the same place is stated
// with an interval that has ends.
func (f *Facts) statesTail(centre Statement) bool {
	return slices.ContainsFunc(f.Statements, func(s Statement) bool {
		return s.Metric == centre.Metric && s.Point == centre.Point && s.Side == centre.Side &&
			slices.Contains(tails, s.Statistic) && s.Interval != nil
	})
}

// tailOf says what the bundle knows of the p99 of a statement's metric.
func (f *Facts) tailOf(s Statement) string {
	s.Statistic = "p99"
	row, ok := f.rowOf(s)
	switch {
	case !ok || row.Statistic != "p99":
		return "the bundle has no p99 of it"
	case !row.Interval.Bounded():
		return fmt.Sprintf("p99 = %s, which the sample cannot bound (%s)", figure(s, row.Value), firstOf(row.Warnings))
	}
	return fmt.Sprintf("p99 = %s [%s, %s]", figure(s, row.Value), figure(s, row.Interval.Lo), figure(s, row.Interval.Hi))
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return "no reason is recorded"
	}
	return list[0]
}
