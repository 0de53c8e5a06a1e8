// Package saturation says which points of a bundle never settled: their queue
// grew for as long as anybody looked. The evidence is in the events of the
// bundle, put there by those who watched; this package turns it into findings.
package saturation

import (
	"encoding/json"
	"fmt"

	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

// Check is the id of the finding.
const Check = "over-saturation"

// Findings lists the saturated points of every launch. The probes of a search
// are left to its path: it goes there on purpose.
func Findings(b *bundle.Bundle, p plan.Plan) ([]finding.Finding, error) {
	if p.Search != nil {
		return nil, nil
	}
	var list []finding.Finding
	for _, info := range b.Launches() {
		for e, err := range bundle.Rows[record.Event](b, info.Index, bundle.Events) {
			if err != nil {
				return nil, fmt.Errorf("launch %d: %w", info.Index+1, err)
			}
			if e.Name != record.PointSaturated {
				continue
			}
			f, err := found(p, info.Index, e)
			if err != nil {
				return nil, err
			}
			list = append(list, f)
		}
	}
	return list, nil
}

// times are the metrics that say how long something took.
func times() (ids []string) {
	for _, m := range metric.All {
		if m.Unit == unit.Second {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func found(p plan.Plan, launch int, e record.Event) (finding.Finding, error) {
	var g stats.QueueGrowth
	if err := json.Unmarshal([]byte(e.Detail), &g); err != nil {
		return finding.Finding{}, fmt.Errorf("launch %d: event %s: %w", launch+1, e.Name, err)
	}
	point, _ := p.PointByIndex(int(e.Point))
	f := finding.Finding{
		Check: Check, Severity: finding.Void, Scope: finding.Scope{Points: []string{point.Name}, Metrics: times()},
		Message: fmt.Sprintf("%s, launch %d: the queue grew by %.3g requests a second of %.3g offered, from %g in flight to %g in %.3g s (p = %.2g)",
			point.Name, launch+1, g.Slope, g.Rate, g.First, g.Last, g.Seconds, g.P),
		Why:      "there is no steady state at this rate: its latencies say how long the point lasted, not how fast the system is",
		Fix:      "call the rate unstable, or look for the highest one that holds with load.search",
		Evidence: []string{e.Detail},
	}
	if p.Load() != nil && p.Load().StopWhenSaturated {
		f.Message += "; the point was ended there"
	}
	return f, nil
}
