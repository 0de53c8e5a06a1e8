package lint

import (
	"fmt"

	"assay/finding"
)

// ParallelTiming fires when times of several clocks are mixed without a word on
// how they were brought together.
var ParallelTiming = Check{
	ID: "parallel-timing", Code: "H-10", Severity: finding.Caution,
	Doc:     "Several clocks or ranks were timed without saying how they were aligned.",
	When:    "a second clock without a bound on its offset, or steps without a clock",
	Applies: func(f *Facts) bool { return len(f.Manifest.Clocks) > 1 || len(f.Ranks) > 1 || f.spreads() },
	Run:     parallelTiming,
}

// spreads says that a launch ran on several nodes.
func (f *Facts) spreads() bool {
	for _, l := range f.Manifest.Launches {
		if len(l.Nodes) > 1 {
			return true
		}
	}
	return false
}

func parallelTiming(f *Facts) Answer {
	if len(f.Manifest.Clocks) == 0 {
		return missing("the clocks of the run")
	}
	var list []finding.Finding
	for _, c := range f.Manifest.Clocks[1:] {
		if c.BoundNS <= 0 || c.Method == "" {
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("clock %s is used beside %s without a bound of their offset", c.ID, f.Manifest.Clocks[0].ID),
				Why:      "a difference across clocks is no better than their alignment",
				Fix:      "measure the offset and state its bound, or compare durations of one clock only",
			})
		}
	}
	unclocked, steps := 0, 0
	for _, r := range f.Ranks {
		unclocked, steps = unclocked+r.Unclocked, steps+r.Steps
	}
	if unclocked > 0 {
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("%d of %d steps do not say which clock timed them", unclocked, steps),
			Fix:      "let the worker name its clock (clock of the table steps)",
		})
	}
	if f.spreads() && len(f.Manifest.Clocks) < 2 && len(f.Ranks) > 0 {
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  "launches ran on several nodes and the manifest knows one clock",
			Fix:      "record a clock with its offset and bound for every node",
		})
	}
	return found(list...)
}
