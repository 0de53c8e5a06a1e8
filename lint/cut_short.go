package lint

import (
	"fmt"

	"assay/finding"
)

// CutShort fires when a launch measured less than its plan says.
var CutShort = Check{
	ID: "cut-short", Severity: finding.Void, About: finding.Speed,
	Doc:  "A completed launch measured fewer requests, and for a shorter time, than its plan says.",
	When: "a launch reached neither 99 % of its planned window nor 99 % of its planned requests",
	Applies: func(f *Facts) bool {
		return serves(f) && f.Plan.Search == nil && f.Plan.Workload().Session == nil && f.Manifest.Source == nil
	},
	Run: cutShort,
}

// enoughOf is the part of a planned window or number of requests that must have
// been measured: what ends a window reads its clock a moment after it was due.
const enoughOf = .99

func cutShort(f *Facts) Answer {
	if len(f.Tally.Points) == 0 {
		return missing("requests of a measured window")
	}
	var answer Answer
	for _, t := range f.Tally.Points {
		point, _ := f.Plan.PointByIndex(t.Point)
		if t.End <= t.Begin {
			answer.Missing = fmt.Sprintf("the end of the measured window of launch %d", t.Launch+1)
			continue
		}
		measured := float64(t.End-t.Begin) / 1e9
		planned := point.Duration.Seconds()
		long := planned == 0 || measured >= enoughOf*planned
		many := point.Requests == 0 || float64(t.Measured) >= enoughOf*float64(point.Requests)
		// A window ends with the first of the two that is reached, where both are given.
		if long && planned > 0 || many && point.Requests > 0 || long && many || len(f.Saturated) > 0 {
			continue
		}
		answer.Findings = append(answer.Findings, finding.Finding{
			Severity: finding.Void,
			Message: fmt.Sprintf("%s, launch %d: %d requests in %s were measured, planned are %s", placeName(point.Name, t.Side), t.Launch+1,
				t.Measured, duration(measured), plannedLoad(planned, point.Requests)),
			Why: "whoever may end a launch early can wait for a good moment",
			Fix: "measure again, and let every launch run to its end",
		})
	}
	return answer
}

func plannedLoad(seconds float64, requests int) string {
	switch {
	case seconds == 0:
		return fmt.Sprintf("%d requests", requests)
	case requests == 0:
		return duration(seconds)
	}
	return fmt.Sprintf("%d requests or %s", requests, duration(seconds))
}
