package page

import (
	"fmt"
	"slices"

	"assay/analysis/picture"
	"assay/metric"
	"assay/plan"
	"assay/report"
	"assay/unit"
)

// ladder are the statistics of a distribution, side by side.
var ladder = []string{"mean", "p50", "p90", "p95", "p99", "p99.9"}

// points shows every point by itself: folded, one open, with a chooser where there
// is JavaScript.
func (x exhibit) points() part {
	p := part{ID: "points", Title: "Points in detail", Class: "chooser"}
	for i, point := range x.ServingPoints() {
		if x.Search != nil && !x.Search.Ends(point.Index) {
			continue // the path of the search tells of it
		}
		one := part{ID: fmt.Sprintf("point-%d", point.Index), Class: "point", Fold: point.Name, Open: i == 0}
		if !report.Measured(x.Estimates, point.Index) {
			one.Lines = []string{"No completed launch measured this point."}
			p.add(one)
			continue
		}
		x.addPoint(&one, point)
		p.add(one)
	}
	p.add(x.apart()...)
	if n := len(x.Estimates.Launches) / max(1, len(x.Plan.Sides())); n > 0 && n < 6 {
		p.Lines = append(p.Lines, fmt.Sprintf("%d launches: enough for t intervals, too few for rank tests (6).", n))
	}
	if text := report.Unseen(x.Report); text != "" {
		p.Lines = append(p.Lines, text)
	}
	return p
}

func (x exhibit) addPoint(one *part, point plan.Point) {
	one.Charts = x.distributions(point.Index)
	for _, side := range x.SideNames() {
		view := x
		if side != "" {
			view.Estimates = x.Estimates.Of(side)
		}
		title := "Latency and other values of requests"
		one.add(view.ladder(point, side, beside(title, side)), view.wholes(point, side, beside("The point as a whole", side)))
	}
	for _, candidate := range x.SideNames()[1:] {
		one.add(x.paired(point, candidate))
	}
	for _, r := range x.MLPerf {
		if r.Point == point.Index {
			verdict := "VALID"
			if !r.Valid {
				verdict = "INVALID"
			}
			one.add(part{
				Title:  fmt.Sprintf("By the rules of MLPerf LoadGen, launch %d: %s", r.Launch+1, verdict),
				Lines:  []string{fmt.Sprintf("%d queries, %d samples in %s. The method only, not a submission.", r.Queries, r.Samples, unit.Format(r.Seconds, unit.Second))},
				Points: r.Reasons,
			})
		}
	}
}

// distributions are the shares of requests over their values, with the band.
func (x exhibit) distributions(point int) []chart {
	if x.Pictures == nil {
		return nil
	}
	var list []chart
	for _, d := range x.Pictures.Distributions {
		if d.Point != point || len(d.Value) == 0 {
			continue
		}
		i := slices.IndexFunc(list, func(c chart) bool { return c.Title == distributionTitle(d) })
		if i < 0 {
			list = append(list, chart{
				Kind: shareChart, Title: distributionTitle(d), X: []axis{{Label: d.Name}},
				Y: axis{Label: "share of " + valuesOf(d), Unit: "%"},
			})
			i = len(list) - 1
		}
		list[i].addDistribution(d)
	}
	for i := range list {
		list[i].scaleX(unitOf(x.Pictures, point, list[i].X[0].Label))
	}
	return list
}

func distributionTitle(d picture.Distribution) string {
	return fmt.Sprintf("%s: share of %s at or below", d.Name, valuesOf(d))
}

// valuesOf names what a distribution counts: an answer has many gaps.
func valuesOf(d picture.Distribution) string {
	if d.Metric == metric.ITL.ID {
		return "gaps"
	}
	return "requests"
}

// leastBanded is how many values a band needs before it says more than it hides.
const leastBanded = 30

func unitOf(set *picture.Set, point int, name string) unit.Unit {
	i := slices.IndexFunc(set.Distributions, func(d picture.Distribution) bool { return d.Point == point && d.Name == name })
	return set.Distributions[i].Unit
}

func (c *chart) addDistribution(d picture.Distribution) {
	name := d.Side
	if name == "" {
		name = d.Name
	}
	c.Series = append(c.Series, line{
		Name: name, X: []nums{d.Value}, Y: nums(d.Share).over(.01), Lo: nums(d.Lo).over(.01), Hi: nums(d.Hi).over(.01),
		Note: fmt.Sprintf("n = %d; band: %s", d.N, d.Band), Style: len(c.Series), Band: d.N >= leastBanded,
	})
}

// scaleX brings the values along x, which are in u, to one readable unit.
func (c *chart) scaleX(u unit.Unit) {
	var lists []nums
	for _, s := range c.Series {
		lists = append(lists, s.X[0])
	}
	divisor, suffix := unit.Axis(most(lists...), u)
	for i, s := range c.Series {
		c.Series[i].X = []nums{s.X[0].over(divisor)}
	}
	c.X[0].Unit = suffix
}

// fitting reports whether a metric means something at a point.
func (x exhibit) fitting(m metric.Metric, point plan.Point) bool {
	_, ok := m.Applies(x.Plan, point)
	return ok
}

// ladder shows the distributions of a point: the metrics that everybody asks for
// first, variants folded.
func (x exhibit) ladder(point plan.Point, side, title string) part {
	head := slices.Concat([]string{"metric"}, ladder, []string{"n per launch", "CV of p50", "client error"})
	p := part{Title: title, Head: head}
	more := part{Head: head}
	for _, m := range metric.All {
		median, ok := x.find(m, "p50", side, point.Index)
		if !ok || !m.Distributed() || !x.fitting(m, point) {
			continue
		}
		cells := []string{m.Name}
		for _, statistic := range ladder {
			text := "–"
			if row, ok := x.find(m, statistic, side, point.Index); ok {
				text = rowText(row)
			}
			cells = append(cells, text)
		}
		cells = append(cells, report.Sizes(median), report.Percent(median.CV), report.BoundOf(x.Report, m))
		if x.Shown(m) {
			p.Rows = append(p.Rows, cells)
		} else {
			more.Rows = append(more.Rows, cells)
		}
	}
	p.add(x.variants(more))
	if text := x.BesideTails(); text != "" && len(p.Rows) > 0 {
		p.Lines = []string{text}
	}
	return p
}

// manyPoints is how many points have their variants on the page: in a longer sweep
// they would be most of it.
const manyPoints = 12

// variants folds the metrics that few ask for, or says where they are.
func (x exhibit) variants(p part) part {
	n := len(p.Rows)
	switch {
	case n == 0:
		return part{}
	case len(x.Plan.Points) > manyPoints:
		return part{Lines: []string{fmt.Sprintf("%d variants and parts are in the JSON and CSV reports, and here with --all.", n)}}
	}
	p.Fold = fmt.Sprintf("Variants and parts: %d", n)
	return p
}

// wholes shows what a point has one figure of.
func (x exhibit) wholes(point plan.Point, side, title string) part {
	head := []string{"metric", "over launches", "CV"}
	p := part{Title: title, Head: head}
	more, server := part{Head: head}, part{Title: beside("Read beside the load", side), Head: head, Lines: []string{report.ScrapedText(x.Report, point.Index)}}
	for _, m := range metric.All {
		row, ok := x.find(m, "value", side, point.Index)
		if m.Distributed() || m.Only(metric.Declarations) || !x.fitting(m, point) {
			continue
		}
		if !ok {
			if !m.Only(metric.Telemetry) && !m.Detail && !m.OnceALaunch() {
				p.Rows = append(p.Rows, []string{m.Name, "the records cannot tell", "–"})
			}
			continue
		}
		cells := []string{m.Name, rowText(row), report.Percent(row.CV)}
		switch {
		case !x.Shown(m):
			more.Rows = append(more.Rows, cells)
		case m.Only(metric.Telemetry):
			server.Rows = append(server.Rows, cells)
		default:
			p.Rows = append(p.Rows, cells)
		}
	}
	for _, c := range x.Estimates.Counts {
		if c.Point == point.Index {
			p.Points = append(p.Points, fmt.Sprintf("%s tokens: %s", c.Of, report.CountText(c)))
		}
	}
	p.add(x.variants(more), server)
	return p
}

// paired shows a candidate beside the baseline of the same run, block by block.
func (x exhibit) paired(point plan.Point, side string) part {
	p := part{
		Title: side + " beside baseline, paired by block: what was measured, not whether it matters (assay compare)",
		Head:  []string{"metric", "ratio", "difference", "blocks", "difference in each block"},
	}
	hidden := map[string]bool{}
	for _, m := range metric.All {
		hidden[m.ID] = !x.Shown(m)
	}
	for _, one := range x.Estimates.Paired {
		if one.Point != point.Index || one.Side != side || !report.PairedStatistics[one.Statistic] || hidden[one.Metric] {
			continue
		}
		name := one.Name
		if one.Statistic != "value" {
			name += " " + one.Statistic
		}
		p.Rows = append(p.Rows, []string{name, report.PairedRatio(one), report.PairedDifference(one), fmt.Sprint(len(one.Blocks)), report.BlockDifferences(one)})
	}
	return p
}

// apart shows what was measured once in each launch, outside of every point.
func (x exhibit) apart() []part {
	var list []part
	for _, side := range x.SideNames() {
		p := part{Title: beside("Once in each launch", side), Head: []string{"metric", "over launches", "launches", "CV"}}
		for _, m := range metric.All {
			if row, ok := x.find(m, "value", side, metric.LaunchPoint); ok {
				p.Rows = append(p.Rows, []string{m.Name, rowText(row), report.LaunchesOf(row), report.Percent(row.CV)})
			}
		}
		list = append(list, p)
	}
	return list
}
