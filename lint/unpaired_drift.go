package lint

import (
	"fmt"
	"math"
	"slices"

	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/stats"
)

// UnpairedDrift fires when the launches of two bundles were not made in turn: what
// drifts on the machine then looks like a difference between the systems.
var UnpairedDrift = Check{
	ID: "unpaired-drift", Severity: finding.Void, Pair: true,
	Doc: "Two runs were made one after the other, so that a drift of the machine is part of their difference; void where the launches show one.",
	When: "one run of a pair was made before the other (caution). Void where TTFT, TPOT, E2E, " +
		"throughput or step time also moves in one direction over the launches of both " +
		"(Mann–Kendall's S summed over both sides, exact, 1 % shared among the metrics) by at least 1 " +
		"% and by a quarter of their difference. Three launches a side cannot show that (p ≥ 0.056), " +
		"four can (p ≥ 0.0035). The caution says where the launches of both, in one row of time, move in " +
		"one direction (1 % shared), which a difference does too",
	Run: unpairedDrift,
}

const (
	// trendLevel is the chance of calling steady launches drifting, shared among all
	// the figures that are looked at.
	trendLevel = .01
	// leastDrift is the movement over the launches of a side from which on a trend
	// matters: it is below the margins that people gate on.
	leastDrift = .01
	// driftPart is the part of the difference that a trend must reach to explain it.
	driftPart = .25
	// fewestForTrend is the fewest launches of each side that can show a trend at
	// trendLevel: three and three reach p = 0.056 at best, four and four 0.0035.
	fewestForTrend = 4
)

func unpairedDrift(f *Facts) Answer {
	base, candidate := f.Against.completed(), f.completed()
	if len(base) == 0 || len(candidate) == 0 {
		return missing("completed launches of both runs")
	}
	order := inOrder(map[string][]bundle.LaunchInfo{"the baseline": base, "the candidate": candidate}, []string{"the baseline", "the candidate"})
	if len(order) == 0 {
		return found()
	}
	one := order[0]
	one.Fix = "measure both in turn: assay compare BASE CAND --again, or spec.candidates in one run"
	moved, row := f.drifting(), f.inOneRow()
	switch {
	case len(moved) > 0:
		one.Severity = finding.Void
		one.Message += ", and the launches of both drift: " + summary(moved)
		one.Evidence = moved
	case len(row) > 0:
		one.Message += ", and in one row of time they move in one direction, as a drift does: " + summary(row)
		one.Evidence = row
	case len(base) < fewestForTrend || len(candidate) < fewestForTrend:
		one.Message += fmt.Sprintf("; with %d and %d launches a drift cannot be seen (from %d a side on it can)", len(base), len(candidate), fewestForTrend)
	default:
		one.Message += fmt.Sprintf("; their %d and %d launches show no trend, which excludes large ones only", len(base), len(candidate))
	}
	return found(one)
}

// driftMetrics are the figures whose launches are looked at for a trend.
var driftMetrics = []metric.Metric{metric.TTFT, metric.TPOT, metric.E2E, metric.OutputThroughput, metric.RequestThroughput, metric.StepTime}

// A pairOfRows is one figure on both sides.
type pairOfRows struct{ base, candidate metric.Row }

// drifting lists the figures that move in one direction over the launches of both
// sides, by enough to explain a good part of their difference.
func (f *Facts) drifting() []string {
	pairs := f.driftPairs()
	var list []string
	for _, p := range pairs {
		a, b := f.Against.inTime(p.base), f.inTime(p.candidate)
		trend := stats.SharedTrend(a, b)
		moves := math.Abs(trend.Slope) * float64(max(len(a), len(b))-1)
		apart := math.Abs(p.candidate.Value/p.base.Value - 1)
		if trend.P > trendLevel/float64(len(pairs)) || moves < max(leastDrift, driftPart*apart) {
			continue
		}
		list = append(list, fmt.Sprintf("%s %s at %s by %s a launch (p = %.2g), while the sides differ by %s",
			p.base.Name, p.base.Statistic, rowName(f, p.base), percent(trend.Slope), trend.P, percent(p.candidate.Value/p.base.Value-1)))
	}
	return list
}

// inOneRow lists the figures that move in one direction over the launches of both sides
// in one row of time, and in the same direction within both. A difference between the
// sides makes such a row too: what moved cannot be told from what differs.
func (f *Facts) inOneRow() []string {
	pairs := f.driftPairs()
	var list []string
	for _, p := range pairs {
		first, second, step := f.Against.inTime(p.base), f.inTime(p.candidate), p.candidate.Value/p.base.Value
		if f.completed()[0].Started.Before(f.Against.completed()[0].Started) {
			first, second, step = second, first, 1/step
		}
		if stats.TheilSen(first)*(step-1) <= 0 || stats.TheilSen(second)*(step-1) <= 0 {
			continue
		}
		row := first
		for _, x := range second {
			row = append(row, x*step)
		}
		trend := stats.SharedTrend(row)
		if moves := math.Abs(trend.Slope) * float64(len(row)-1); trend.P <= launchTrendOfMore/float64(len(pairs)) && moves >= leastDrift {
			list = append(list, fmt.Sprintf("%s %s at %s by %s a launch (p = %.2g)", p.base.Name, p.base.Statistic, rowName(f, p.base), percent(trend.Slope), trend.P))
		}
	}
	return list
}

// driftPairs are the figures that both sides have over enough launches.
func (f *Facts) driftPairs() []pairOfRows {
	var list []pairOfRows
	for _, row := range f.Against.Estimates.Rows {
		looked := slices.ContainsFunc(driftMetrics, func(m metric.Metric) bool { return m.ID == row.Metric })
		if !looked || !central(row) || len(row.PerLaunch) < fewestForTrend {
			continue
		}
		at := placeTally{side: row.Side}
		at.point.Index = row.Point
		if own, ok := find(f, row.Metric, row.Statistic, at); ok && own.Value > 0 && len(own.PerLaunch) >= fewestForTrend {
			list = append(list, pairOfRows{row, own})
		}
	}
	return list
}
