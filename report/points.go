package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/metric"
	"assay/plan"
	"assay/stats"
	"assay/unit"
)

// A pointColumn is one figure of the table over points.
type pointColumn struct {
	head      string
	metric    metric.Metric
	statistic string
	interval  bool // worth its width on a terminal too
}

// pointColumns are the figures that tools of this kind put first.
var pointColumns = []pointColumn{
	{"req/s", metric.RequestThroughput, "value", false},
	{"out tok/s", metric.OutputThroughput, "value", true},
	{"TTFT p50", metric.TTFT, "p50", false},
	{"p90", metric.TTFT, "p90", false},
	{"p99", metric.TTFT, "p99", false},
	{"TPOT p50", metric.TPOT, "p50", false},
	{"E2E p50", metric.E2E, "p50", false},
	{"per M out tok", metric.CostPerMillionOutput, "value", false},
}

// PointTable is one row for each point of requests. Intervals stand behind every
// figure where asked for, else behind the throughput alone.
func (r Report) PointTable(intervals bool) Block {
	b := Block{Head: []string{r.loadHead()}}
	columns := r.pointColumns()
	for _, c := range columns {
		b.Head = append(b.Head, c.head)
	}
	b.Head = append(b.Head, "errors")
	sides := r.Plan.Run.Spec.Sides()
	for _, point := range r.ServingPoints() {
		if r.Search != nil && !r.Search.Ends(point.Index) {
			continue
		}
		for _, side := range sides {
			own, name := r.Estimates, r.loadName(point)
			if len(sides) > 1 {
				own, name = r.Estimates.Of(side.Name), name+" "+side.Name
			}
			if Measured(own, point.Index) {
				b.Rows = append(b.Rows, pointRow(own, columns, point, name, intervals))
			}
		}
	}
	return b
}

// pointColumns leaves out the figures that requests of this kind do not have.
func (r Report) pointColumns() (list []pointColumn) {
	for _, c := range pointColumns {
		if c.metric.ID == metric.TPOT.ID && r.StandsIn(metric.TPOTDone) {
			c.metric = metric.TPOTDone
		}
		if slices.ContainsFunc(r.Estimates.Rows, func(row metric.Row) bool { return row.Metric == c.metric.ID }) {
			list = append(list, c)
		}
	}
	return list
}

func pointRow(e metric.Estimates, columns []pointColumn, point plan.Point, name string, intervals bool) []string {
	row := []string{name}
	for _, c := range columns {
		row = append(row, pointCell(e, c, point.Index, intervals || c.interval))
	}
	return append(row, errorsOf(e, point.Index))
}

// pointCell is a figure, or a dash for one that the sample cannot bound.
func pointCell(e metric.Estimates, c pointColumn, point int, interval bool) string {
	row, ok := e.Find(c.metric.ID, c.statistic, point)
	if !ok || !Certified(row) {
		return "–"
	}
	text := unit.Format(row.Value, row.Unit)
	if interval && row.Interval.Bounded() {
		text = Value(row)
	}
	if c.statistic == "value" { // the head names the unit
		text = strings.Replace(text, " "+string(row.Unit), "", 1)
	}
	return text
}

// Certified reports whether the sample was large enough for the percentile.
func Certified(row metric.Row) bool { return uncertified(row.Warnings) == "" }

// errorsOf is the requests that failed, of all.
func errorsOf(e metric.Estimates, point int) string {
	bad, all := outcomesOf(e, point)
	return fmt.Sprintf("%d/%d", bad, all)
}

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
		if !ok || Certified(row) || len(row.PerLaunch) == 0 || r.Source != nil {
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
