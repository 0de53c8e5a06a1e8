package lint

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
	"assay/stats"
)

// NoVariance fires when a value has no interval, or one that too few launches
// stand behind.
var NoVariance = Check{
	ID: "no-variance", Code: "P-08", Severity: finding.Void, About: finding.Speed,
	Doc: "A value has no interval, or too few launches for one.",
	When: "fewer than 3 launches of a side (a note with --quick), a statement without an interval, or one with an interval by " +
		"ranks of fewer than 6 values",
	Run: noVariance,
}

const (
	// At two launches Student's interval is nine standard deviations wide.
	fewestForT = 3
	// The range of five values holds the median with 93.75 %, that of six with
	// 96.9 %: with fewer no rank interval reaches 95 %.
	fewestForRanks = 6
)

func noVariance(f *Facts) Answer {
	if len(f.Manifest.Launches) == 0 {
		return missing("the ledger of launches")
	}
	bySide := map[string]int{}
	for _, side := range f.Plan.Sides() {
		bySide[side.Name] = 0
	}
	for _, l := range f.completed() {
		bySide[l.Side]++
	}
	if len(bySide) == 0 { // a plan without a target, of which nothing completed
		bySide[""] = 0
	}
	var list []finding.Finding
	for side, k := range bySide {
		of := ""
		if side != "" {
			of = " of " + side
		}
		if k < fewestForT {
			severity := finding.Void
			if f.Plan.Trials().Quick { // whoever asked for a quick look knows; claims refuse and grade it by themselves
				severity = finding.Note
			}
			list = append(list, finding.Finding{
				Severity: severity,
				Message:  fmt.Sprintf("completed launches%s: %d, and an interval needs at least %d", of, k, fewestForT),
				Why:      "the spread between launches is the uncertainty of the number",
				Fix:      "make more launches (trials.minReplicates)",
			})
		}
	}
	slices.SortFunc(list, func(a, b finding.Finding) int { return strings.Compare(a.Message, b.Message) })
	for _, s := range f.Statements {
		if s.Interval == nil && !s.Deterministic && s.Scaling == nil && s.Delta == nil && s.Quality == nil {
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("%s = %s is stated without an interval%s", said(s), figure(s, s.Value), f.intervalOf(s)),
				Fix:      "state the interval over launches",
			})
		}
		if s.Interval != nil && byRanks(s) && s.N > 0 && s.N < fewestForRanks {
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("the interval of %s is by ranks (%s) of %d values: with fewer than %d none reaches 95 %%", said(s), s.Method, s.N, fewestForRanks),
				Fix:      "make more launches, or use Student's interval",
			})
		}
	}
	return found(list...)
}

// byRanks says that an interval comes, by the words of who states it, from the
// order of the launches' values.
func byRanks(s Statement) bool {
	method := strings.ToLower(s.Method)
	return slices.ContainsFunc([]string{"order", "rank", "median", "wilcoxon", "mann", "hodges"}, func(word string) bool {
		return strings.Contains(method, word)
	})
}

func (f *Facts) intervalOf(s Statement) string {
	row, ok := f.rowOf(s)
	if !ok || row.Interval == stats.Unbounded {
		return ""
	}
	return fmt.Sprintf("; over %d launches it is [%s, %s]", len(row.PerLaunch), figure(s, row.Interval.Lo), figure(s, row.Interval.Hi))
}
