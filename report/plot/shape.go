package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/analysis/picture"
	"assay/metric"
	"assay/stats"
	"assay/unit"
)

// shown is the most distributions in one panel: more cannot be distinguished.
const shown = 6

// A plotChoice is a cell whose distribution is shown.
type plotChoice struct {
	cell  plotCell
	label string
	look  plotLook
}

// choose picks the points whose distributions are shown. Of one line they are
// spread over its loads, ends included. Of several lines each shows the point of
// its best goodput, or of its best throughput where there are no objectives.
func (page plotPage) choose(has func(plotCell) bool) []plotChoice {
	var list []plotChoice
	for i, g := range page.groups {
		cells := slices.DeleteFunc(slices.Clone(g.cells), func(c plotCell) bool { return !has(c) })
		if len(cells) == 0 {
			continue
		}
		if len(page.groups) > 1 {
			best := slices.MaxFunc(cells, func(a, b plotCell) int {
				return cmp.Compare(a.worth(), b.worth())
			})
			list = append(list, plotChoice{best, g.label + " at " + best.point.Name, lookOf(i)})
			continue
		}
		n := min(shown, len(cells))
		for k := range n {
			c := cells[0]
			if n > 1 {
				c = cells[k*(len(cells)-1)/(n-1)]
			}
			list = append(list, plotChoice{c, c.point.Name, lookOf(k)})
		}
	}
	return list
}

// worth is what a point achieved, by which the best is chosen.
func (c plotCell) worth() float64 {
	for _, m := range []metric.Metric{metric.Goodput, metric.OutputThroughput, metric.RequestThroughput} {
		if row, ok := c.source.rows[rowKey{m.ID, "value", c.point.Index}]; ok {
			return row.Value
		}
	}
	return 0
}

// distribution is that of a metric at the cell.
func (c plotCell) distribution(id string) (picture.Distribution, bool) {
	if c.source.report.Pictures == nil {
		return picture.Distribution{}, false
	}
	for _, d := range c.source.report.Pictures.Distributions {
		if d.Metric == id && d.Point == c.point.Index && d.Side == c.source.side && len(d.Value) > 0 {
			return d, true
		}
	}
	return picture.Distribution{}, false
}

// ecdf shows the share of requests at or below each value, with its band.
func (page plotPage) ecdf(c *Chart, p Panel, o Options) error {
	field, err := resolveField(p.lines()[0].Field, o.statistic())
	if err != nil {
		return err
	}
	chosen := page.choose(func(cell plotCell) bool { _, ok := cell.distribution(field.metric); return ok })
	for _, choice := range chosen {
		d, _ := choice.cell.distribution(field.metric)
		s := Series{Label: choice.label, Field: p.lines()[0].Field, look: choice.look, interval: "band", joined: true, steps: true}
		for i, v := range d.Value {
			m := Mark{X: exactly(v), Y: Value{d.Share[i], stats.Interval{Lo: d.Lo[i], Hi: d.Hi[i]}}}
			if p.XScale == "log" && v <= 0 {
				continue
			}
			s.Marks = append(s.Marks, m)
		}
		c.Series = append(c.Series, s)
		c.band = d.Band
		c.keys = append(c.keys, plotKey{label: choice.label, look: choice.look})
	}
	if len(c.Series) == 0 {
		c.Empty = fmt.Sprintf("no distribution of\n%s", field.path)
		return nil
	}
	name := strings.TrimSuffix(field.name, " "+field.statistic)
	c.X = Axis{name: name, asked: p.XLabel, unit: field.unit, Log: p.XScale == "log", factor: 1}
	c.Y = Axis{name: "requests at or below", asked: p.YLabel, unit: unit.Share, factor: 1, Max: 1, fixed: true}
	c.fit(o.TimeUnit)
	return nil
}

// ladder shows the percentiles that assay estimates, evenly spaced by nines.
func (page plotPage) ladder(c *Chart, p Panel, o Options) error {
	name := p.lines()[0].Field
	first, err := resolveField(name, o.statistic())
	if err != nil {
		return err
	}
	c.X = Axis{Label: cmp.Or(p.XLabel, "percentile"), unit: unit.Ratio, factor: 1, fixed: true, Min: math.Inf(1), Max: math.Inf(-1)}
	var rungs []plotField
	var places []float64
	for _, statistic := range statistics[1:] {
		field, err := resolveField(metricOf(first)+"."+statistic, "")
		if err != nil {
			return err
		}
		var q float64
		fmt.Sscanf(statistic, "p%g", &q)
		place := -math.Log10(1 - q/100)
		rungs, places = append(rungs, field), append(places, place)
		c.X.ticks = append(c.X.ticks, plotTick{place, statistic})
		c.X.Min, c.X.Max = min(c.X.Min, place-.2), max(c.X.Max, place+.2)
	}
	chosen := page.choose(func(cell plotCell) bool { _, ok := rungs[0].at(cell.source, cell.point); return ok })
	for _, choice := range chosen {
		s := Series{Label: choice.label, Field: name, look: choice.look, interval: "bars", joined: true, dotted: true}
		for i, rung := range rungs {
			if v, ok := rung.at(choice.cell.source, choice.cell.point); ok {
				s.Marks = append(s.Marks, Mark{X: exactly(places[i]), Y: v})
			}
		}
		c.Series = append(c.Series, s)
		c.keys = append(c.keys, plotKey{label: choice.label, look: choice.look, dotted: true})
	}
	if len(c.Series) == 0 {
		c.Empty = fmt.Sprintf("no percentiles of\n%s", first.path)
		return nil
	}
	c.Y = newAxis(first, p.YLabel, p.YScale == "log")
	c.Y.name = strings.TrimSuffix(first.name, " "+first.statistic)
	c.Limits = page.limits([]plotField{first})
	c.fit(o.TimeUnit)
	return nil
}

// metricOf is the name of the metric of a field.
func metricOf(f plotField) string {
	name, _, _ := strings.Cut(f.metric, ".")
	return name
}
