package lint

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/finding"
	"assay/metric"
	"assay/stats"
)

// LaunchTrend fires when a figure moves in one direction from launch to launch: the
// interval over launches takes them for draws from one level.
var LaunchTrend = Check{
	ID: "launch-trend", Severity: finding.Void, About: finding.Speed,
	Doc: "A figure rises or falls from launch to launch, so that its interval is about no level.",
	When: "p50 or the value of TTFT, TPOT, E2E, throughput or step time moves in one direction over five " +
		"launches or more, in the order of time (Mann–Kendall, exact, two-sided 2 % of five launches and 1 % of more, of all figures of a " +
		"side together), by 1 % at least and by more than the client errs (caution); void from p = 0.5 % " +
		"and a movement of 5 % on, which five launches cannot show. It forbids the metrics that move, where they move. It has no meaning for fewer than five",
	Applies: func(f *Facts) bool {
		return slices.ContainsFunc(f.sides(), func(side string) bool { return f.launchesOf(side) >= fewestInOrder })
	},
	Run: launchTrend,
}

const (
	// launchTrendLevel is how often launches that do not drift may be said to. Five that
	// stand in order have 1.7 %; of fewer none reach it.
	launchTrendLevel   = .02
	launchTrendOfMore  = .01 // six in order have 0.3 %
	fewestInOrder      = 5
	launchTrendForbids = .005
	// trendMoves is a movement from the first launch to the last that people act upon: it
	// makes the mean of the launches a figure that depends on how many there were.
	trendMoves = .05
)

func launchTrend(f *Facts) Answer {
	enough := false
	var list []finding.Finding
	for _, side := range f.sides() {
		rows := f.trendRows(side)
		var series [][]float64
		for _, row := range rows {
			series = append(series, f.inTime(row))
		}
		if len(rows) == 0 {
			continue
		}
		enough = true
		moving := map[finding.Severity]*finding.Finding{}
		for i, trend := range stats.Trends(series...) {
			moves := trend.Slope * float64(len(series[i])-1)
			if trend.P > trendLevelOf(len(series[i])) || math.Abs(moves) < leastDrift || math.Abs(moves)*rows[i].Value <= f.launchError(rows[i]) {
				continue
			}
			severity := finding.Caution
			if trend.P <= launchTrendForbids && math.Abs(moves) >= trendMoves {
				severity = finding.Void
			}
			// The tail of a level that moves, moves with it: no statistic is spared.
			scope := finding.Scope{Metrics: []string{rows[i].Metric}, Side: side}
			if point, ok := f.Plan.PointByIndex(rows[i].Point); ok {
				scope.Points = []string{point.Name}
			}
			one := moving[severity]
			if one == nil {
				one = &finding.Finding{
					Severity: severity, Scope: scope,
					Why: "the interval takes launches for draws from one level; of one that moves, the next launch lies outside",
					Fix: "find what moves (caches, temperatures, a log or a disk that fills, other tenants), or warm up until it has settled, and run again",
				}
				moving[severity] = one
			}
			one.Scope = one.Scope.With(scope)
			one.Evidence = append(one.Evidence, fmt.Sprintf("%s %s at %s by %s a launch, %s over %d launches (p = %.2g)",
				rows[i].Name, rows[i].Statistic, rowName(f, rows[i]), percent(trend.Slope), percent(moves), len(series[i]), trend.P))
		}
		for _, severity := range finding.All {
			if one := moving[severity]; one != nil {
				one.Message = "launches drift: " + summary(one.Evidence)
				list = append(list, *one)
			}
		}
	}
	if !enough {
		return missing("a latency, a rate or a step time that every launch has")
	}
	return found(list...)
}

// trendLevelOf is the level for so many launches.
func trendLevelOf(launches int) float64 {
	if launches > fewestInOrder {
		return launchTrendOfMore
	}
	return launchTrendLevel
}

// trendRows are the figures of a side that all of its launches have, where there are
// enough of them.
func (f *Facts) trendRows(side string) (rows []metric.Row) {
	k := f.launchesOf(side)
	for _, row := range f.Estimates.Rows {
		of := slices.ContainsFunc(driftMetrics, func(m metric.Metric) bool { return m.ID == row.Metric })
		if of && row.Side == side && central(row) && len(row.PerLaunch) == k && k >= fewestInOrder {
			rows = append(rows, row)
		}
	}
	return rows
}

// central says that a row is of the middle of a launch, or of the launch as a whole.
func central(row metric.Row) bool {
	return (row.Statistic == "p50" || row.Statistic == "value") && row.Value > 0
}

// inTime are the values of the launches as parts of the estimate, in the order in which
// they were made.
func (f *Facts) inTime(row metric.Row) []float64 {
	launches := slices.Clone(row.PerLaunch)
	begun := map[int]int64{}
	for _, l := range f.Manifest.Launches {
		begun[l.Index] = l.Started.UnixNano()
	}
	slices.SortStableFunc(launches, func(a, b metric.LaunchValue) int {
		return cmp.Or(cmp.Compare(begun[a.Launch], begun[b.Launch]), cmp.Compare(a.Launch, b.Launch))
	})
	list := make([]float64, len(launches))
	for i, v := range launches {
		list[i] = v.Value / row.Value
	}
	return list
}

// launchError is how far the client alone moves a figure in any launch; zero for rates.
func (f *Facts) launchError(row metric.Row) (worst float64) {
	i := slices.IndexFunc(driftMetrics, func(m metric.Metric) bool { return m.ID == row.Metric })
	if row.Unit != metric.TTFT.Unit {
		return 0
	}
	for _, v := range row.PerLaunch {
		worst = max(worst, f.clientError(row.Point, v.Launch, driftMetrics[i]))
	}
	return worst
}
