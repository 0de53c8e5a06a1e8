package report

import (
	"fmt"
	"math"
	"slices"

	"assay/metric"
	"assay/plan"
	"assay/stats"
	"assay/unit"
)

// A pointColumn is one figure of the table over points.
type pointColumn struct {
	Column
	metric    metric.Metric
	statistic string
}

// ladder are the percentiles of a latency, and where there is room for them.
func ladder(name string, m metric.Metric, p50, p90, p95, p99, mean Room) (list []pointColumn) {
	for _, one := range []struct {
		statistic string
		in        Room
	}{{"p50", p50}, {"p90", p90}, {"p95", p95}, {"p99", p99}, {"mean", mean}} {
		c := Column{Name: one.statistic, Long: name + " " + one.statistic, Unit: m.Unit, in: one.in}
		if one.statistic == "p50" {
			c.Name = c.Long
		}
		c.spare = one.statistic == "p90" || one.statistic == "p95"
		list = append(list, pointColumn{c, m, one.statistic})
	}
	return list
}

// whole is a figure of the point as a whole, whose head names its unit.
func whole(name string, m metric.Metric, in Room, wide bool) pointColumn {
	return pointColumn{Column{Name: name, Long: m.Name, Unit: m.Unit, in: in, wide: wide, spare: m.ID == metric.RequestThroughput.ID}, m, "value"}
}

// pointColumns are the figures that tools of this kind put first.
var pointColumns = slices.Concat(
	[]pointColumn{whole("req/s", metric.RequestThroughput, anywhere, false), whole("out tok/s", metric.OutputThroughput, anywhere, true)},
	ladder("TTFT", metric.TTFT, anywhere, Terminal|Sheet, anywhere, anywhere, Sheet),
	ladder("TPOT", metric.TPOT, anywhere, Sheet, Sheet, Sheet, Sheet),
	ladder(metric.TPOTDone.Name, metric.TPOTDone, anywhere, Sheet, Sheet, Sheet, Sheet),
	ladder("E2E", metric.E2E, anywhere, Sheet, Sheet, Page|Sheet, Sheet),
	ladder("jitter", metric.JitterSD, Page|Sheet, Sheet, Sheet, Sheet, Sheet),
	[]pointColumn{whole("per M out tok", metric.CostPerMillionOutput, anywhere, false)},
)

// pointTable is one row for each point of requests.
func (r Report) pointTable() (h Headline) {
	columns := r.pointColumns()
	h.Columns = []Column{{Name: r.loadHead(), Long: r.loadHead(), Unit: unit.Ratio, in: anywhere}}
	for _, c := range columns {
		h.Columns = append(h.Columns, c.Column)
	}
	h.Columns = append(h.Columns, Column{Name: "errors", in: Terminal | Page}, Column{Long: "requests", Unit: unit.Request, in: Sheet}, Column{Long: "errors", Unit: unit.Request, in: Sheet})
	sides := r.Plan.Sides()
	for _, point := range r.ServingPoints() {
		if r.Search != nil && !r.Search.Ends(point.Index) {
			continue
		}
		for _, side := range sides {
			own, load := r.Estimates, r.loadFigure(point)
			if len(sides) > 1 {
				own, load = r.Estimates.Of(side.Name), word(r.loadName(point)+" "+side.Name)
			}
			if Measured(own, point.Index) {
				h.Rows = append(h.Rows, append([]Figure{load}, pointRow(own, columns, point.Index)...))
			}
		}
	}
	return h
}

// pointColumns leaves out the figures that requests of this kind do not have.
func (r Report) pointColumns() (list []pointColumn) {
	for _, c := range pointColumns {
		if c.metric.ID == metric.TPOTDone.ID && !r.StandsIn(c.metric) {
			continue
		}
		if slices.ContainsFunc(r.Estimates.Rows, func(row metric.Row) bool { return row.Metric == c.metric.ID }) {
			list = append(list, c)
		}
	}
	return list
}

func pointRow(e metric.Estimates, columns []pointColumn, point int) (cells []Figure) {
	for _, c := range columns {
		row, ok := e.Find(c.metric.ID, c.statistic, point)
		switch {
		case !ok:
			cells = append(cells, word(""))
		case c.statistic == "value":
			cells = append(cells, figure(&row.Estimate, row.Unit).headed().marked(row.Void))
		default:
			cells = append(cells, figure(&row.Estimate, row.Unit).marked(row.Void))
		}
	}
	bad, all := outcomesOf(e, point)
	return append(cells, word(fmt.Sprintf("%d/%d", bad, all)), counted(float64(all), fmt.Sprint(all)), counted(float64(bad), fmt.Sprint(bad)))
}

// loadFigure is the load of a point, a number where points differ in nothing else.
func (r Report) loadFigure(p plan.Point) Figure {
	name := r.loadName(p)
	switch r.loadHead() {
	case "users":
		return counted(float64(p.Concurrency), name)
	case "rate/s":
		return counted(p.Rate, name)
	}
	return word(name)
}

// certified reports whether the sample was large enough for the percentile.
func certified(row metric.Row) bool { return uncertified(row.Warnings) == "" }

// loadHead says what loadName counts.
func (r Report) loadHead() string {
	switch {
	case r.only(func(p plan.Point) bool { return p.Concurrency > 0 }):
		return "users"
	case r.only(func(p plan.Point) bool { return p.Rate > 0 }):
		return "rate/s"
	}
	return "point"
}

// only reports whether points differ in one load and nothing else.
func (r Report) only(loaded func(plan.Point) bool) bool {
	seen := map[string]bool{}
	points := r.ServingPoints()
	for _, p := range points {
		name := fmt.Sprint(p.Concurrency, p.Rate)
		if !loaded(p) || seen[name] || p.Scenario != points[0].Scenario || p.BatchSize != points[0].BatchSize || len(p.Stages) > 0 {
			return false
		}
		seen[name] = true
	}
	return true
}

func (r Report) loadName(p plan.Point) string {
	switch r.loadHead() {
	case "users":
		return fmt.Sprint(p.Concurrency)
	case "rate/s":
		return fmt.Sprintf("%g", p.Rate)
	}
	if p.Scenario != "" && p.Concurrency > 0 && p.BatchSize == 0 {
		return fmt.Sprintf("%s × %d", p.Scenario, p.Concurrency)
	}
	return p.Name
}

// PercentileAdvice says how long to measure for the p99 of TTFT that some point lacks;
// empty where all have it or nothing tells.
func (r Report) PercentileAdvice() string {
	need := stats.MinSamples(.99, r.Estimates.Confidence)
	seconds, missing := 0., false
	for _, point := range r.ServingPoints() {
		row, ok := r.Estimates.Find(metric.TTFT.ID, "p99", point.Index)
		if r.Plan.AsksOnce() || !ok || certified(row) || len(row.PerLaunch) == 0 || r.Source != nil {
			continue
		}
		least := slices.MinFunc(row.PerLaunch, func(a, b metric.LaunchValue) int { return a.N - b.N }).N
		missing = true
		seconds = max(seconds, point.Duration.Seconds()*float64(need)/float64(max(1, least)))
	}
	if !missing {
		return ""
	}
	text := fmt.Sprintf("p99 needs %d requests per launch", need)
	if seconds > 0 {
		text += ": use --duration " + longEnough(seconds)
	}
	return text
}

// longEnough leaves a twentieth to spare, since the next launch may be a little
// slower, and counts in minutes what takes long.
func longEnough(seconds float64) string {
	if seconds *= 1.05; seconds > 600 {
		return fmt.Sprintf("%.0fm", math.Ceil(seconds/60))
	}
	return fmt.Sprintf("%.0fs", math.Ceil(seconds))
}
