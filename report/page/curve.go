package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/analysis/saturation"
	"assay/metric"
	"assay/plan"
	"assay/report"
	"assay/unit"
)

// A series of points that belong on one curve: those of one shape of requests,
// of one side, in the order of their load.
type curve struct {
	name   string
	side   string
	points []plan.Point
}

// curvesOf parts the measured points into curves.
func (x exhibit) curvesOf() []curve {
	var list []curve
	points := x.measuredPoints()
	turned := turnedUp(points)
	for _, side := range x.SideNames() {
		from := len(list)
		for _, point := range points {
			name := curveName(point, turned, side)
			i := slices.IndexFunc(list[from:], func(c curve) bool { return c.name == name })
			if i < 0 {
				list = append(list, curve{name: name, side: side})
				i = len(list) - 1 - from
			}
			list[from+i].points = append(list[from+i].points, point)
		}
	}
	for _, c := range list {
		slices.SortStableFunc(c.points, func(a, b plan.Point) int { return cmp.Compare(turned.of(a), turned.of(b)) })
	}
	return list
}

// curveName is what the points of a curve have in common and other curves have
// not: their shape, their batch where something else is turned up, their side.
func curveName(p plan.Point, turned load, side string) string {
	var parts []string
	if p.Scenario != "" {
		parts = append(parts, p.Scenario)
	}
	if p.BatchSize > 0 && turned.Label != batchSizes.Label {
		parts = append(parts, fmt.Sprintf("batch %d", p.BatchSize))
	}
	if side != "" {
		parts = append(parts, side)
	}
	return strings.Join(parts, ", ")
}

// A load is something that is turned up from point to point.
type load struct {
	axis
	of func(plan.Point) float64
}

var (
	users      = load{axis{Label: "concurrency", Unit: "requests in flight"}, func(p plan.Point) float64 { return float64(p.Concurrency) }}
	rates      = load{axis{Label: "offered rate", Unit: string(unit.RequestPerSecond)}, func(p plan.Point) float64 { return p.Rate }}
	batchSizes = load{axis{Label: "batch size", Unit: "documents in a request"}, func(p plan.Point) float64 { return float64(p.BatchSize) }}
)

// turnedUp is the first of users, rate and batch size that is not the same at all
// points.
func turnedUp(points []plan.Point) load {
	for _, l := range []load{users, rates, batchSizes} {
		if slices.ContainsFunc(points, func(p plan.Point) bool { return l.of(p) != l.of(points[0]) }) {
			return l
		}
	}
	if len(points) > 0 && points[0].Open() {
		return rates
	}
	return users
}

// latencies are what curves and distributions are drawn of.
var latencies = []metric.Metric{metric.TTFT, metric.ITL, metric.TPOT, metric.E2E}

// curves shows latency over throughput, throughput over load, and what a search
// found.
func (x exhibit) curves() part {
	p := part{ID: "curves", Title: "Latency and throughput"}
	all := x.curvesOf()
	if len(all) == 0 {
		p.Lines = []string{"No completed launch measured any point."}
		return p
	}
	longest := 0
	for _, c := range all {
		longest = max(longest, len(c.points))
	}
	if longest < 2 {
		p.Lines = []string{"Each curve has one point: a curve needs a sweep over load.concurrency or load.rate."}
	} else {
		p.Lines = []string{"Whiskers are the intervals over launches; a hollow mark has none, for want of launches or requests. Points are joined in the order of their load."}
		x.addCurves(&p, all)
	}
	p.add(x.knee())
	return p
}

func (x exhibit) addCurves(p *part, all []curve) {
	for _, m := range latencies {
		if len(all) == 1 {
			p.Charts = append(p.Charts, x.latencyCurve(m, all, []string{"p50", "p95", "p99"})...)
			continue
		}
		for _, statistic := range []string{"p50", "p99"} {
			p.Charts = append(p.Charts, x.latencyCurve(m, all, []string{statistic})...)
		}
	}
	p.Charts = append(p.Charts, x.perGPUCurve(all)...)
	p.Charts = append(p.Charts, x.loadCurve("Output tokens per second over load", []metric.Metric{metric.OutputThroughput}, all)...)
	const requests, good = "Requests per second over load", "those that kept every objective"
	switch limited := metric.Limited(x.Plan.Run); {
	case limited && len(all) == 1:
		p.Charts = append(p.Charts, x.loadCurve(requests+", and "+good, []metric.Metric{metric.RequestThroughput, metric.Goodput}, all)...)
	case limited:
		p.Charts = append(p.Charts, x.loadCurve("Goodput over load: requests per second, "+good, []metric.Metric{metric.Goodput}, all)...)
		fallthrough
	default:
		p.Charts = append(p.Charts, x.loadCurve(requests, []metric.Metric{metric.RequestThroughput}, all)...)
	}
}

// An abscissa is one choice of the x axis of a curve.
type abscissa struct {
	axis
	metric metric.Metric
	load   func(plan.Point) float64 // in place of a metric
}

func (x exhibit) abscissae(all []curve) []abscissa {
	var list []abscissa
	for _, m := range []metric.Metric{metric.OutputThroughput, metric.RequestThroughput} {
		if _, ok := x.find(m, "value", all[0].side, all[0].points[0].Index); ok {
			list = append(list, abscissa{axis: axis{Label: m.Name, Unit: string(m.Unit)}, metric: m})
		}
	}
	turned := turnedUp(x.measuredPoints())
	return append(list, abscissa{axis: turned.axis, load: turned.of})
}

func (x exhibit) at(a abscissa, c curve, p plan.Point) float64 {
	if a.load != nil {
		return a.load(p)
	}
	if row, ok := x.find(a.metric, "value", c.side, p.Index); ok {
		return row.Value
	}
	return math.NaN()
}

// latencyCurve is one metric over throughput; nothing where the run has none of it.
func (x exhibit) latencyCurve(m metric.Metric, all []curve, statistics []string) []chart {
	c := chart{Kind: curveChart, Title: m.Name, Y: axis{Label: m.Name}, Static: true}
	if len(statistics) == 1 {
		c.Title += " " + statistics[0]
		c.Y.Label = c.Title
	}
	xs := x.abscissae(all)
	for _, a := range xs {
		c.X = append(c.X, a.axis)
	}
	c.Title += " under load"
	for _, one := range all {
		for _, statistic := range statistics {
			name := one.name
			if len(statistics) > 1 {
				name = beside(statistic, name)
			}
			s := x.series(name, m, statistic, one, xs)
			s.Style = len(c.Series)
			if len(s.Y) > 0 {
				c.Series = append(c.Series, s)
			}
		}
	}
	if len(c.Series) == 0 {
		return nil
	}
	for _, o := range x.Plan.Objectives() {
		if o.Max > 0 && sloOf(m) == o.Metric && (len(statistics) > 1 || statistics[0] == fmt.Sprintf("p%g", o.Percentile)) {
			c.Limits = append(c.Limits, limit{At: num(o.Max.Seconds()), Label: fmt.Sprintf("SLO: p%g ≤ %v", o.Percentile, o.Max)})
		}
	}
	c.scaleY(m.Unit)
	return []chart{c}
}

// sloOf is what spec.slo calls a metric.
func sloOf(m metric.Metric) string {
	if m.ID == metric.ITL.ID {
		return "itl"
	}
	name, _, _ := strings.Cut(m.ID, ".")
	return name
}

// series is one statistic along a curve.
func (x exhibit) series(name string, m metric.Metric, statistic string, c curve, xs []abscissa) line {
	s := line{Name: name, X: make([]nums, len(xs))}
	for _, point := range c.points {
		row, ok := x.find(m, statistic, c.side, point.Index)
		if !ok {
			continue
		}
		for i, a := range xs {
			s.X[i] = append(s.X[i], x.at(a, c, point))
		}
		s.Y = append(s.Y, row.Value)
		s.Lo, s.Hi = append(s.Lo, row.Interval.Lo), append(s.Hi, row.Interval.Hi)
		s.Points, s.Notes = append(s.Points, point.Name), append(s.Notes, basis(row))
	}
	return s
}

// basis says what a figure rests on.
func basis(row metric.Row) string {
	n := 0
	for _, v := range row.PerLaunch {
		n += v.N
	}
	text := report.LaunchesOf(row)
	if n > len(row.PerLaunch) {
		text += fmt.Sprintf(", n = %d", n)
	}
	if math.IsInf(row.Interval.Hi, 1) {
		text += ", " + report.Unbounded("", row.Warnings)
	}
	return text
}

// loadCurve shows figures of whole points over load.
func (x exhibit) loadCurve(title string, metrics []metric.Metric, all []curve) []chart {
	turned := turnedUp(x.measuredPoints())
	xs := []abscissa{{axis: turned.axis, load: turned.of}}
	c := chart{Kind: curveChart, Title: title, X: []axis{xs[0].axis}, Y: axis{Label: metrics[0].Name}, Static: true}
	for _, one := range all {
		for _, m := range metrics {
			name := one.name
			if len(metrics) > 1 || name == "" {
				name = beside(m.Name, name)
			}
			s := x.series(name, m, "value", one, xs)
			s.Style = len(c.Series)
			if len(s.Y) > 0 {
				c.Series = append(c.Series, s)
			}
		}
	}
	if len(c.Series) == 0 {
		return nil
	}
	c.scaleY(metrics[0].Unit)
	return []chart{c}
}

// knee says where the load became too much, as far as somebody looked.
func (x exhibit) knee() part {
	p := part{Title: "Saturation point"}
	s := x.Search
	if s == nil {
		p.Lines = []string{"No search for the highest load was asked for (load.search): what is known comes from the points above."}
	} else {
		p.Lines = []string{fmt.Sprintf("Search for the highest %s that keeps %s, each verdict at %g %% confidence; that none is wrong, at least %.0f %%.",
			s.Kind, strings.Join(s.Objectives, " and "), 100*s.Confidence, 100*s.Together)}
		if len(s.Launches) > 1 {
			p.Lines = append(p.Lines, "Held in every launch, failed in any: "+s.Answer.Sentence(s.Kind, s.Unit)+".")
		}
		for _, l := range s.Launches {
			path := part{Fold: fmt.Sprintf("Launch %d: %s", l.Launch+1, l.Answer.Sentence(s.Kind, s.Unit)), Head: []string{s.Kind, "round", "requests", "missed, with its bounds and what is allowed", "verdict", "next"}}
			if l.Doubt != "" {
				path.Lines = []string{"The records do not lead there: " + l.Doubt}
			}
			for _, step := range l.Steps {
				path.Rows = append(path.Rows, []string{s.Loads(step.Load), fmt.Sprint(step.Round), fmt.Sprint(report.StepRequests(step)), report.MissedText(step), report.VerdictText(step), report.NextLoad(s, step)})
			}
			p.add(path)
		}
	}
	for _, f := range x.Findings {
		if f.Check == saturation.Check {
			p.Points = append(p.Points, f.Message)
		}
	}
	return p
}
