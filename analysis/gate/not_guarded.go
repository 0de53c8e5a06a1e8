package gate

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/compare"
	"assay/finding"
	"assay/metric"
	"assay/spec"
	"assay/unit"
)

// notGuarded says what a policy does not look at, and what its guards could not look at. It
// stops nobody: who reads a pass shall know what it is no pass of.
func notGuarded(in Input) (list []string) {
	demands := in.Policy.Spec
	if limited := latenciesOf(demands, false); len(limited) > 0 && len(latenciesOf(demands, true)) == 0 {
		list = append(list, fmt.Sprintf("tails: of %s no percentile above p50 is judged", strings.Join(limited, ", ")))
	}
	if len(latenciesOf(demands, false)) == 0 && len(demands.Metrics) > 0 {
		list = append(list, "latency: no time is judged, neither a median nor a tail")
	}
	var loads []string
	for _, point := range in.Baseline.Plan.Points {
		if !slices.ContainsFunc(demands.Metrics, func(m spec.GatedMetric) bool { return len(m.Points) == 0 || slices.Contains(m.Points, point.Name) }) {
			loads = append(loads, point.Name)
		}
	}
	if len(loads) > 0 && len(demands.Metrics) > 0 {
		list = append(list, "loads: no metric is judged at "+strings.Join(loads, ", "))
	}
	for _, g := range guards {
		if change := g.changed(demands.Guards); change != nil && change.Off {
			list = append(list, fmt.Sprintf("%s: the policy switches its guard off (%s)", g.what, change.Reason))
		}
		for _, point := range in.Baseline.Plan.Points {
			if why := g.voided(in.Baseline, in.Candidate, point.Name); why != "" {
				list = append(list, fmt.Sprintf("%s at %s: its value may not be used: %s", g.what, point.Name, why))
			}
		}
	}
	return list
}

// latenciesOf are the times that a policy judges, or those of which it judges a tail.
func latenciesOf(demands spec.GateDemands, tail bool) (names []string) {
	for _, m := range demands.Metrics {
		known, ok := metric.ByID(m.Metric)
		isTail := strings.HasPrefix(m.Statistic, "p") && m.Statistic != "p50"
		if ok && known.Unit == unit.Second && (isTail || !tail) && !slices.Contains(names, known.Name) {
			names = append(names, known.Name)
		}
	}
	return names
}

// voided is why what a guard watches may not be used at a point; empty where it may.
func (g guard) voided(a, b compare.Side, point string) string {
	for _, side := range []compare.Side{a, b} {
		for _, id := range g.of {
			if why := side.Voids(finding.Result{Subject: finding.Speed, Metric: id, Statistic: "value", Point: point}); len(why) > 0 {
				return side.Label + ": " + why[0]
			}
		}
	}
	return ""
}
