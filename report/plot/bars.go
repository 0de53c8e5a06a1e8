package plot

import (
	"fmt"
	"slices"
	"strings"

	"assay/metric"
	"assay/unit"
)

// plotBars are stacked bars, side by side for each place on the axis.
type plotBars struct {
	places []string // what stands under them
	bars   []bar
	groups int
}

// A bar is one stack.
type bar struct {
	place, group int
	total        Value
	parts        []plotPart
	look         plotLook
}

// A plotPart is one kind of failure in a stack.
type plotPart struct {
	kind  int // from 1; 0 for a bar without parts
	value float64
}

// errorKinds are what error_rate.v1 is made of, each failure in one of them.
var errorKinds = []metric.Metric{
	metric.OverloadRate, metric.HTTPErrorRate, metric.TimeoutRate, metric.ConnectionErrorRate,
	metric.StreamErrorRate, metric.ProtocolErrorRate, metric.DropRate,
}

// barChart has a bar for each group at each value of the horizontal field. The
// error rate is parted by kinds of failure.
func (page plotPage) barChart(c *Chart, p Panel, o Options) error {
	x, err := resolveField(p.X, o.statistic())
	if err != nil {
		return err
	}
	y, err := resolveField(p.lines()[0].Field, o.statistic())
	if err != nil {
		return err
	}
	var levels []float64
	c.bars = &plotBars{groups: len(page.groups)}
	requests := 0
	for g, group := range page.groups {
		s := Series{Label: group.label, Field: p.lines()[0].Field, look: lookOf(g)}
		for _, cell := range group.cells {
			xv, known := x.at(cell.source, cell.point)
			yv, ok := y.at(cell.source, cell.point)
			if !known || !ok {
				continue
			}
			all, _ := cell.source.outcomes(cell.point.Index)
			requests += all
			levels = append(levels, xv.Value)
			s.Marks = append(s.Marks, Mark{X: xv, Y: yv})
			c.bars.bars = append(c.bars.bars, bar{group: g, total: yv, look: lookOf(g), parts: cell.parts(y, yv.Value)})
		}
		if len(s.Marks) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	c.X, c.Y = newAxis(x, p.XLabel, false), newAxis(y, p.YLabel, false)
	if x.path == "level" && p.XLabel == "" {
		c.X.Label = levelName(page.points())
	}
	if len(c.Series) == 0 {
		c.Empty = fmt.Sprintf("no figures for\n%s\nagainst %s", y.path, x.path)
		return nil
	}
	c.placeBars(levels)
	c.Limits = page.limits([]plotField{y})
	if y.metric == metric.ErrorRate.ID {
		c.nameKinds()
		if !slices.ContainsFunc(c.bars.bars, func(b bar) bool { return b.total.Value > 0 }) {
			c.Empty = "no errors"
			if requests > 0 {
				c.Empty = fmt.Sprintf("no errors in %s requests", thousands(fmt.Sprint(requests)))
			}
		}
	}
	var values []Value
	for _, b := range c.bars.bars {
		values = append(values, b.total)
	}
	c.Y.fit(values, c.Limits, o.TimeUnit)
	c.X.rename(o.TimeUnit)
	return nil
}

// parts are the kinds of failure at the cell; a rest that no kind explains, as in
// results of tools that do not tell, stands last.
func (c plotCell) parts(y plotField, total float64) []plotPart {
	if y.metric != metric.ErrorRate.ID {
		return []plotPart{{0, total}}
	}
	var parts []plotPart
	rest := total
	for i, m := range errorKinds {
		row, ok := c.source.rows[rowKey{m.ID, "value", c.point.Index}]
		if ok && row.Value > 0 {
			parts = append(parts, plotPart{i + 1, row.Value})
			rest -= row.Value
		}
	}
	if rest > 1e-9+total*1e-6 {
		parts = append(parts, plotPart{len(errorKinds) + 1, rest})
	}
	return parts
}

// placeBars gives each value of the horizontal field a place of its own.
func (c *Chart) placeBars(levels []float64) {
	slices.Sort(levels)
	levels = slices.Compact(levels)
	c.X.fixed, c.X.Min, c.X.Max = true, -.5, float64(len(levels))-.5
	for i, v := range levels {
		text := number(v)
		c.bars.places = append(c.bars.places, text)
		c.X.ticks = append(c.X.ticks, plotTick{float64(i), text})
	}
	// The marks are in the order in which the bars were made.
	i := 0
	for _, s := range c.Series {
		for _, m := range s.Marks {
			c.bars.bars[i].place, _ = slices.BinarySearch(levels, m.X.Value)
			i++
		}
	}
}

// nameKinds explains the kinds that occur.
func (c *Chart) nameKinds() {
	names := []string{}
	for _, m := range errorKinds {
		names = append(names, strings.TrimPrefix(m.Name, "errors: "))
	}
	names = append(names, "of unknown kind")
	for kind := 1; kind <= len(names); kind++ {
		if slices.ContainsFunc(c.bars.bars, func(b bar) bool {
			return slices.ContainsFunc(b.parts, func(p plotPart) bool { return p.kind == kind })
		}) {
			c.keys = append(c.keys, plotKey{label: names[kind-1], hatch: kind, look: plotLook{color: palette[(kind-1)%len(palette)]}})
		}
	}
	c.Y.unit = unit.Share
}
