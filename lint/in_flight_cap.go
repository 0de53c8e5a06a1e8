package lint

import (
	"fmt"

	"assay/finding"
	"assay/record"
)

// InFlightCap fires when an open loop ran into its own limit of requests in
// flight.
var InFlightCap = Check{
	ID: "in-flight-cap", Code: "L-03", Severity: finding.Void, About: finding.Speed,
	Doc:     "The limit of requests in flight turned an open loop into a closed one.",
	When:    "an open point reached maxInFlight or dropped a call",
	Applies: capped,
	Run:     inFlightCap,
}

// capped holds for plans with an open point. The levels of a search go beyond
// what holds on purpose, and count dropped calls as misses.
func capped(f *Facts) bool {
	if !serves(f) || f.Plan.Search != nil {
		return false
	}
	for _, p := range f.Plan.Points {
		if p.Open() {
			return true
		}
	}
	return false
}

func inFlightCap(f *Facts) Answer {
	var answer Answer
	if len(f.Tally.Points) == 0 {
		return missing("requests of a measured window")
	}
	for _, p := range f.places() {
		if !p.point.Open() {
			continue
		}
		// Of sessions the plan limits how many are under way, and the balance
		// counts requests.
		sessions := f.Plan.Workload().Session != nil
		dropped, touched := 0, 0
		for _, t := range p.launches {
			dropped += t.Outcomes[record.Dropped]
			if t.MostInFlight == nil {
				answer.Missing = "the most requests in flight: event " + record.PointBalance
				continue
			}
			// An import whose source had no limit, or does not tell it, has 0.
			if limit := int64(p.point.MaxInFlight); !sessions && limit > 0 && *t.MostInFlight >= limit {
				touched++
			}
		}
		if dropped == 0 && touched == 0 {
			continue
		}
		measured := p.sum(measuredOf)
		answer.Findings = append(answer.Findings, finding.Finding{
			Severity: finding.Void, Scope: p.scope(),
			Message: fmt.Sprintf("%s: the limit of %d in flight was reached in %d of %d launches, and %d of %d calls were dropped (%.3g %%)",
				p.name, p.point.MaxInFlight, max(touched, countDropping(p)), len(p.launches), dropped, measured, 100*float64(dropped)/float64(measured)),
			Why: "calls that find no room are not sent: the target got less than the plan offered, and least where it was slowest",
			Fix: "raise load.maxInFlight, or lower load.rate",
		})
	}
	return answer
}

func countDropping(p placeTally) (launches int) {
	for _, t := range p.launches {
		if t.Outcomes[record.Dropped] > 0 {
			launches++
		}
	}
	return launches
}
