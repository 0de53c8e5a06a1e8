package gate

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/compare"
	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/spec"
	"assay/unit"
)

// notGuarded says what a policy does not look at, and what its guards could not look at. It
// stops nobody: who reads a pass shall know what it is no pass of.
func notGuarded(in Input) (list []string) {
	demands := in.Policy.Spec
	if bare := withoutTail(demands); len(bare) > 0 {
		list = append(list, fmt.Sprintf("tails: of %s no percentile above p50 is judged", strings.Join(bare, ", ")))
	}
	if len(demands.Metrics) > 0 {
		if !slices.ContainsFunc(demands.Metrics, isLatency) {
			list = append(list, "latency: no time is judged, neither a median nor a tail")
		}
		list = append(list, loadsLeftOut(demands, in.Baseline.Plan.Points)...)
	}
	for _, g := range guards {
		if change := g.changed(demands.Guards); change != nil && change.Off {
			list = append(list, fmt.Sprintf("%s: the policy switches its guard off (%s)", g.what, change.Reason))
		} else if change != nil && change.Margin > g.margin {
			list = append(list, fmt.Sprintf("%s: a change of up to %g, where the guard's own margin is %g (%s)", g.what, change.Margin, g.margin, change.Reason))
		}
		for _, point := range in.Baseline.Plan.Points {
			if why := g.voided(in.Baseline, in.Candidate, point.Name); why != "" {
				list = append(list, fmt.Sprintf("%s at %s: its value may not be used: %s", g.what, point.Name, why))
			}
		}
	}
	return list
}

// isLatency and isTail say what a policy's metric is about.
func isLatency(m spec.GatedMetric) bool {
	known, ok := metric.ByID(m.Metric)
	return ok && known.Unit == unit.Second
}

func isTail(m spec.GatedMetric) bool {
	return isLatency(m) && strings.HasPrefix(m.Statistic, "p") && m.Statistic != "p50"
}

// withoutTail are the times of which a policy judges no tail.
func withoutTail(demands spec.GateDemands) (names []string) {
	for _, m := range demands.Metrics {
		tail := slices.ContainsFunc(demands.Metrics, func(other spec.GatedMetric) bool { return other.Metric == m.Metric && isTail(other) })
		if known, _ := metric.ByID(m.Metric); isLatency(m) && !tail && !slices.Contains(names, known.Name) {
			names = append(names, known.Name)
		}
	}
	return names
}

// loadsLeftOut names the points at which a policy judges nothing, or no time though it judges
// times elsewhere, or no rate.
func loadsLeftOut(demands spec.GateDemands, points []plan.Point) (list []string) {
	kinds := []struct {
		what string
		of   func(spec.GatedMetric) bool
	}{
		{"metric", func(spec.GatedMetric) bool { return true }},
		{"time", isLatency},
		{"rate", func(m spec.GatedMetric) bool { return !isLatency(m) }},
	}
	told := map[string]bool{}
	for _, kind := range kinds {
		if !slices.ContainsFunc(demands.Metrics, kind.of) {
			continue
		}
		var loads []string
		for _, point := range points {
			judged := slices.ContainsFunc(demands.Metrics, func(m spec.GatedMetric) bool {
				return kind.of(m) && (len(m.Points) == 0 || slices.Contains(m.Points, point.Name))
			})
			if !judged && !told[point.Name] {
				loads, told[point.Name] = append(loads, point.Name), kind.what == "metric"
			}
		}
		if len(loads) > 0 {
			list = append(list, fmt.Sprintf("loads: no %s is judged at %s", kind.what, strings.Join(loads, ", ")))
		}
	}
	return list
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
