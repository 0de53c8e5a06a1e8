package lint

import (
	"fmt"
	"slices"

	"assay/finding"
	"assay/metric"
)

// Drain fires when the measured window goes on after the load has ended.
var Drain = Check{
	ID: "drain-in-window", Code: "L-10", Severity: finding.Void, About: finding.Speed,
	Doc: "Throughput is divided by a time in which nothing was sent any more.",
	When: "the window goes on for more than 1 % of its length after the last request was sent, with " +
		"nothing in flight at its end. It forbids throughput, and what is priced by it, at that point",
	Applies: func(f *Facts) bool {
		return serves(f) && f.Plan.Workload().Session == nil && slices.ContainsFunc(f.Plan.Points, steadyPoint(f))
	},
	Run: drain,
}

const (
	// drainShare is the part of a window that changes no figure worth reporting.
	drainShare = .01
	// drainGaps is how many mean gaps an open loop may be silent at its end: one
	// in twenty thousand Poisson gaps is longer.
	drainGaps = 10
	// drainTurns is how many of its longest answers a closed loop may be silent:
	// users without a connection wait before they try again.
	drainTurns = 2
)

func drain(f *Facts) Answer {
	if len(f.Tally.Points) == 0 {
		return missing("requests of a measured window")
	}
	var answer Answer
	for _, p := range f.places() {
		if !steadyPoint(f)(p.point) {
			continue
		}
		worst, at := 0.0, PointTally{}
		for _, t := range p.launches {
			if t.End == 0 {
				answer.Missing = "the end of the measured window: event window.end"
				continue
			}
			// Nothing in flight at the end, and nothing sent after it: the load was
			// over before.
			idle := float64(t.End-t.LastSent) / 1e9
			if t.Left == 0 && idle > p.pause() && idle > worst {
				worst, at = idle, t
			}
		}
		window := float64(at.End-at.Begin) / 1e9
		if worst <= drainShare*window {
			continue
		}
		scope := p.scope()
		scope.Metrics = overTime
		answer.Findings = append(answer.Findings, finding.Finding{
			Severity: finding.Void, Scope: scope,
			Message: fmt.Sprintf("%s, launch %d: the window of %s goes on for %s after the last request was sent, and throughput is divided by all of it (−%.0f %%)",
				p.name, at.Launch+1, duration(window), duration(worst), 100*worst/window),
			Why: "while the last answers drain the target does less than it can",
			Fix: "end the window with the last request sent, or keep up the load until the window has ended",
		})
	}
	return answer
}

// overTime are the metrics that divide by the length of the window, and what is priced by
// them.
var overTime = []string{
	metric.OutputThroughput.ID, metric.RequestThroughput.ID, metric.RequestsEnded.ID, metric.InputThroughput.ID, metric.TotalThroughput.ID, metric.Goodput.ID, metric.TokenGoodput.ID,
	metric.CostPerMillionOutput.ID, metric.CostPerRequest.ID, metric.CostPerOutputToken.ID, metric.EnergyPerOutputToken.ID, metric.EnergyPerRequest.ID,
}

// pause is how long a point that is still at work may send nothing.
func (p placeTally) pause() float64 {
	if p.point.Open() {
		return drainGaps / p.point.Rate
	}
	longest := 0.0
	for _, t := range p.launches {
		longest = max(longest, t.Response.Quantile(1))
	}
	return drainTurns*longest + p.point.ThinkTime.Seconds()
}
