package lint

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/stats"
	"assay/unit"
)

// LaunchModes fires when launches are of two kinds, with nothing between them.
var LaunchModes = Check{
	ID: "launch-modes", Severity: finding.Caution, About: finding.Speed,
	Doc: "Launches are of two kinds: each keeps one of two modes, and the result is of neither.",
	When: "p50 or the value of TTFT, TPOT, E2E, throughput or step time falls into two groups of two launches or more, of six to forty, whose gap is 5 % at least and so " +
		"wide beside the spread within them as launches of one level have it in 0.4 % of runs (by simulation, shared among these figures)",
	Applies: func(f *Facts) bool {
		return slices.ContainsFunc(f.sides(), func(side string) bool { return f.launchesOf(side) >= stats.FewestOfKinds })
	},
	Run: launchModes,
}

const launchModesLevel = .004

func launchModes(f *Facts) Answer {
	var list []finding.Finding
	for _, side := range f.sides() {
		rows := f.trendRows(side)
		var said []string
		var scope finding.Scope
		for _, row := range rows {
			values := make([]float64, len(row.PerLaunch))
			for i, v := range row.PerLaunch {
				values[i] = v.Value
			}
			kinds, ok := stats.FindKinds(values, outlierMoves)
			if !ok || kinds.P > launchModesLevel/float64(len(rows)) {
				continue
			}
			one := finding.Scope{Metrics: []string{row.Metric}, Side: side}
			if point, ok := f.Plan.PointByIndex(row.Point); ok {
				one.Points = []string{point.Name}
			}
			if len(said) > 0 {
				one = scope.With(one)
			}
			scope, said = one, append(said, f.kindsText(row, kinds))
		}
		if len(said) > 0 {
			list = append(list, finding.Finding{
				Severity: finding.Caution, Scope: scope, Evidence: said,
				Message: "launches are of two kinds: " + summary(said),
				Why:     "a system that starts in one of two modes has a mean that no launch shows, and the next run may have them in other shares",
				Fix:     "look in logs, placement and samples for what those launches share, and state both levels with how often each came",
			})
		}
	}
	return found(list...)
}

// kindsText names the launches of the smaller group.
func (f *Facts) kindsText(row metric.Row, kinds stats.TwoKinds) string {
	var upper, lower []metric.LaunchValue
	for i, v := range row.PerLaunch {
		if slices.Contains(kinds.Upper, i) {
			upper = append(upper, v)
		} else {
			lower = append(lower, v)
		}
	}
	few, many := upper, lower
	if len(lower) < len(upper) {
		few, many = lower, upper
	}
	var names []string
	for _, v := range few {
		names = append(names, fmt.Sprint(v.Launch+1))
	}
	return fmt.Sprintf("%s %s at %s is %s in launches %s and %s in the other %d, with a gap of %s (p = %.1g)", row.Name, row.Statistic, rowName(f, row),
		between(few, row.Unit), strings.Join(names, ", "), between(many, row.Unit), len(many), percent(kinds.Gap), kinds.P)
}

// between is from the least to the largest value.
func between(values []metric.LaunchValue, u unit.Unit) string {
	low, high := values[0].Value, values[0].Value
	for _, v := range values {
		low, high = min(low, v.Value), max(high, v.Value)
	}
	return unit.Format(low, u) + " to " + unit.Format(high, u)
}
