package page

import (
	"fmt"
	"math"

	"assay/analysis/frontier"
	"assay/stats"
	"assay/unit"
)

// A price is what a load costs: time, room for others, or money.
type price struct {
	label string
	unit  unit.Unit
	of    func(frontier.Row) *stats.Estimate
}

var prices = []price{
	{"E2E p50", unit.Second, func(r frontier.Row) *stats.Estimate { return r.Latency }},
	{"requests", unit.RequestPerSecond, func(r frontier.Row) *stats.Estimate { return r.Throughput }},
	{"price of a request", unit.Dollar, func(r frontier.Row) *stats.Estimate { return r.Cost }},
}

// frontierChart is the score of every load against what it costs, with the intervals of
// both. Loads that another one beats are a series of their own.
func (x exhibit) frontierChart() chart {
	c := chart{Kind: scatterChart, Title: "Quality beside speed: which loads no other beats", Y: axis{Label: "score", Unit: "%"}, Static: true}
	rows := x.drawnFrontier()
	var axes []price
	for _, p := range prices {
		known := 0
		for _, row := range rows {
			if p.of(row) != nil {
				known++
			}
		}
		if known == len(rows) && known > 1 {
			axes = append(axes, p)
		}
	}
	if len(axes) == 0 {
		return chart{}
	}
	scales := make([]float64, len(axes))
	for i, p := range axes {
		var values nums
		for _, row := range rows {
			values = append(values, p.of(row).Value)
		}
		divisor, suffix := unit.Axis(most(values), p.unit)
		scales[i] = divisor
		c.X = append(c.X, axis{Label: p.label, Unit: suffix})
	}
	for _, row := range rows {
		s := c.seriesOf(row)
		e := row.Score
		s.Y, s.Lo, s.Hi = append(s.Y, 100*e.Value), append(s.Lo, 100*e.Interval.Lo), append(s.Hi, 100*e.Interval.Hi)
		for i, p := range axes {
			cost := p.of(row)
			s.X[i] = append(s.X[i], cost.Value/scales[i])
			s.XLo[i], s.XHi[i] = append(s.XLo[i], cost.Interval.Lo/scales[i]), append(s.XHi[i], cost.Interval.Hi/scales[i])
		}
		note := fmt.Sprintf("%d questions", e.N)
		if row.BeatenBy != "" {
			note += ", beaten by " + row.BeatenBy
		}
		s.Points, s.Notes = append(s.Points, row.Name), append(s.Notes, note)
	}
	return c
}

// drawnFrontier is the rows whose scores are shares, which one axis holds.
func (x exhibit) drawnFrontier() (rows []frontier.Row) {
	shares := map[string]bool{}
	for _, t := range x.Accuracy.Tasks {
		shares[t.Name] = len(t.Points) > 0 && t.Points[0].Scores[0].Unit() == unit.Share
	}
	for _, row := range x.Frontier {
		if shares[row.Task] && !math.IsNaN(row.Score.Value) {
			rows = append(rows, row)
		}
	}
	return rows
}

// seriesOf is the series that a row belongs to, which it begins where there is none.
func (c *chart) seriesOf(row frontier.Row) *line {
	name := beside(row.Task, row.Side) + ", on the frontier"
	if row.BeatenBy != "" {
		name = beside(row.Task, row.Side) + ", beaten"
	}
	for i := range c.Series {
		if c.Series[i].Name == name {
			return &c.Series[i]
		}
	}
	n := len(c.X)
	c.Series = append(c.Series, line{Name: name, X: make([]nums, n), XLo: make([]nums, n), XHi: make([]nums, n), Style: len(c.Series)})
	return &c.Series[len(c.Series)-1]
}

// frontierPart is the chart above its table.
func (x exhibit) frontierPart() part {
	p := blockPart(x.FrontierBlock())
	if c := x.frontierChart(); len(c.Series) > 0 {
		p.Charts = []chart{c}
	}
	return p
}
