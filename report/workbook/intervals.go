package workbook

import (
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/report"
	"assay/unit"
)

// bookMetrics are what a row of the sheet Intervals shows of a point, where it is known.
// Distributions have the median and the chosen percentile.
var bookMetrics = []metric.Metric{
	metric.TTFT, metric.TPOT, metric.TPOTDone, metric.E2E, metric.JitterSD, metric.SessionTime,
	metric.RequestThroughput, metric.OutputThroughput, metric.ItemThroughput, metric.SoundThroughput,
	metric.SessionRate, metric.OfferedRate, metric.Goodput, metric.ErrorRate,
	metric.EnergyPerOutputToken, metric.CostPerMillionOutput,
}

// A bookStatistic is a statistic of a metric that has columns of its own.
type bookStatistic struct {
	metric    metric.Metric
	statistic string
}

func (s bookStatistic) name() string {
	if s.statistic == "value" {
		return s.metric.Name
	}
	return s.metric.Name + " " + s.statistic
}

// statisticsOf are those of a metric that the workbook shows first.
func (b *workbook) statisticsOf(m metric.Metric) []bookStatistic {
	if !m.Distributed() {
		return []bookStatistic{{m, "value"}}
	}
	if b.options.Percentile == "p50" {
		return []bookStatistic{{m, "p50"}}
	}
	return []bookStatistic{{m, "p50"}, {m, b.options.Percentile}}
}

// shownStatistics are those that some point has.
func (b *workbook) shownStatistics(r report.Report) (list []bookStatistic) {
	known := map[string]bool{}
	for _, row := range r.Estimates.Rows {
		if row.Point != metric.LaunchPoint {
			known[row.Metric+" "+row.Statistic] = true
		}
	}
	for _, m := range bookMetrics {
		if m.ID == metric.TPOTDone.ID && !r.StandsIn(m) {
			continue
		}
		for _, s := range b.statisticsOf(m) {
			if known[m.ID+" "+s.statistic] {
				list = append(list, s)
			}
		}
	}
	return list
}

// intervals is the sheet of every point in one row, with both ends of each interval.
func (b *workbook) intervals(r report.Report) {
	s := b.sheet("Intervals")
	if !r.Serves() {
		b.rankIntervals(s, r)
		return
	}
	columns := []bookColumn{{head: "point", width: max(24, pointWidth(r))}, {head: "scenario", width: 20}}
	sided := len(r.Plan.Sides()) > 1
	if sided {
		columns = append(columns, bookColumn{head: "side"})
	}
	columns = append(columns, bookColumn{head: "concurrency (1)"}, bookColumn{head: b.head("rate", unit.RequestPerSecond)}, bookColumn{head: "batch size (1)"},
		bookColumn{head: "launches (1)"}, bookColumn{head: "requests, ok (req)"}, bookColumn{head: "requests, others (req)"})
	shown := b.shownStatistics(r)
	for _, one := range shown {
		u := one.metric.Unit
		columns = append(columns, bookColumn{head: b.head(one.name(), u)}, bookColumn{head: b.head(one.name()+" low", u)}, bookColumn{head: b.head(one.name()+" high", u)})
	}
	s.table(columns)
	for _, point := range bookOrder(r.ServingPoints()) {
		for _, side := range r.Plan.Sides() {
			s.add(b.intervalsRow(r, point, side.Name, sided, shown)...)
		}
	}
	s.ended(1)
	s.pages(2)
}

// bookOrder are the points ordered by scenario, in the order in which scenarios
// first come.
func bookOrder(points []plan.Point) (list []plan.Point) {
	seen := map[string]bool{}
	for _, first := range points {
		if seen[first.Scenario] {
			continue
		}
		seen[first.Scenario] = true
		for _, p := range points {
			if p.Scenario == first.Scenario {
				list = append(list, p)
			}
		}
	}
	return list
}

func (b *workbook) intervalsRow(r report.Report, point plan.Point, side string, sided bool, shown []bookStatistic) []any {
	cells := []any{point.Name, cellText(point.Scenario)}
	if sided {
		cells = append(cells, side)
	}
	e := r.Estimates.Of(side)
	good, others := cellOutcomes(e, point.Index)
	var launches any
	if row, ok := cellFirst(e, point.Index); ok {
		launches = row.N
	}
	cells = append(cells, cellPositive(float64(point.Concurrency), unit.Byte), cellPositive(point.Rate, unit.RequestPerSecond), cellPositive(float64(point.BatchSize), unit.Byte), launches, good, others)
	for _, one := range shown {
		row, ok := e.Find(one.metric.ID, one.statistic, point.Index)
		switch {
		case !ok:
			cells = append(cells, nil, nil, nil)
		case row.Void != "": // the sheet of the point has it, with the reason
			cells = append(cells, "void", nil, nil)
		default:
			cells = append(cells, cellsOfEstimate(row)...)
		}
	}
	return cells
}

// cellsOfEstimate are a value and its interval, or why there is none.
func cellsOfEstimate(row metric.Row) []any {
	if text, is := cellUncertified(row); is {
		return []any{text, nil, nil}
	}
	return []any{cellQuantity{row.Value, row.Unit}, cellQuantity{row.Interval.Lo, row.Unit}, cellQuantity{row.Interval.Hi, row.Unit}}
}

// cellFirst is a row of a point that tells on how many launches it rests.
func cellFirst(e metric.Estimates, point int) (metric.Row, bool) {
	for _, row := range e.Rows {
		if row.Point == point {
			return row, true
		}
	}
	return metric.Row{}, false
}

// cellOutcomes counts the measured requests of a point; nil where nothing was counted.
func cellOutcomes(e metric.Estimates, point int) (good, others any) {
	for _, o := range e.Outcomes {
		if o.Point != point {
			continue
		}
		ok, all := o.Counts[record.OK], 0
		for _, n := range o.Counts {
			all += n
		}
		return ok, all - ok
	}
	return nil, nil
}

// cellPositive is a number that means nothing at zero.
func cellPositive(v float64, u unit.Unit) any {
	if v == 0 {
		return nil
	}
	return cellQuantity{v, u}
}

// cellText is a text that may be missing.
func cellText(s string) any {
	if s == "" {
		return nil
	}
	return s
}
