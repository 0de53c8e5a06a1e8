package page

import (
	"fmt"
	"math"
	"slices"

	"assay/analysis/collectives"
	"assay/report"
	"assay/stats"
	"assay/unit"
)

// collectives shows bandwidth by size, its model, and who falls behind.
func (x exhibit) collectives() part {
	c := x.Collectives
	if c == nil {
		return part{}
	}
	p := part{ID: "collectives", Title: "Collectives"}
	for _, op := range operations(c.Rows) {
		p.Charts = append(p.Charts, bandwidthChart(c, op)...)
		p.Charts = append(p.Charts, timesChart(c, op)...)
	}
	for _, s := range c.Stability {
		p.Charts = append(p.Charts, stabilityChart(s))
	}
	seen := map[int]bool{}
	for _, m := range c.Matrices {
		if !seen[m.Ranks] {
			p.Charts = append(p.Charts, matrixCharts(m)...)
		}
		seen[m.Ranks] = true
	}
	p.Parts = blockParts(x.CollectiveBlocks())
	return p
}

// operations are those that were measured with a payload, in their order.
func operations(rows []collectives.Row) (list []string) {
	for _, r := range rows {
		if r.AlgBW != nil && !slices.Contains(list, r.Op) {
			list = append(list, r.Op)
		}
	}
	return list
}

// A sizeCurve is one operation over its sizes.
type sizeCurve struct {
	asked   string
	ranks   int
	inPlace bool
	several bool // algorithms were measured
	rows    []collectives.Row
}

// sizeCurves parts the rows of an operation into curves: those in place only where
// nothing else was measured, since they lie on one another.
func sizeCurves(all []collectives.Row, op string) (list []sizeCurve) {
	both := slices.ContainsFunc(all, func(r collectives.Row) bool { return r.Op == op && !r.InPlace })
	for _, r := range all {
		if r.Op != op || r.AlgBW == nil || r.InPlace && both {
			continue
		}
		i := slices.IndexFunc(list, func(c sizeCurve) bool { return c.asked == r.Asked && c.ranks == r.Ranks })
		if i < 0 {
			list = append(list, sizeCurve{asked: r.Asked, ranks: r.Ranks, inPlace: r.InPlace})
			i = len(list) - 1
		}
		list[i].rows = append(list[i].rows, r)
	}
	for i := range list {
		list[i].several = slices.ContainsFunc(list, func(c sizeCurve) bool { return c.asked != list[0].asked })
	}
	return list[:min(len(list), mostLines)]
}

func (c sizeCurve) name() string {
	text := fmt.Sprintf("%d ranks", c.ranks)
	if c.several {
		text += ", " + c.asked
	}
	return text
}

// line is one figure of the curve over size.
func (c sizeCurve) line(style int, of func(collectives.Row) *stats.Estimate) line {
	one := line{Name: c.name(), Style: style, X: []nums{nil}}
	for _, r := range c.rows {
		e := of(r)
		if e == nil {
			continue
		}
		one.X[0] = append(one.X[0], float64(r.Bytes))
		one.Y = append(one.Y, e.Value)
		one.Lo, one.Hi = append(one.Lo, e.Interval.Lo), append(one.Hi, e.Interval.Hi)
		one.Points = append(one.Points, fmt.Sprintf("%s, %d ranks", r.Op, r.Ranks))
		one.Notes = append(one.Notes, fmt.Sprintf("%s, n = %d", report.AlgorithmText(r), r.Samples))
	}
	return one
}

var sizeAxis = axis{Label: "size", Log: true, Bytes: true}

// bandwidthChart is bus bandwidth by size; algorithm bandwidth for one rank.
func bandwidthChart(c *collectives.Report, op string) []chart {
	out := chart{Kind: curveChart, Title: op + ": bus bandwidth by size", X: []axis{sizeAxis}, Y: axis{Label: "bus bandwidth", Log: true}}
	for _, curve := range sizeCurves(c.Rows, op) {
		if one := curve.line(len(out.Series), func(r collectives.Row) *stats.Estimate { return r.BusBW }); len(one.Y) > 0 {
			out.Series = append(out.Series, one)
		}
	}
	if len(out.Series) == 0 {
		return nil
	}
	if l := c.Link; l != nil {
		out.Limits = append(out.Limits, limit{At: num(l.Rate), Label: "link, one way"})
	}
	out.scaleY(unit.BytePerSecond)
	return []chart{out}
}

// timesChart is time by size, with the model where it may speak.
func timesChart(c *collectives.Report, op string) []chart {
	out := chart{Kind: curveChart, Title: op + ": time by size, with the model", X: []axis{sizeAxis}, Y: axis{Label: "time", Log: true}}
	for _, curve := range sizeCurves(c.Rows, op) {
		one := curve.line(len(out.Series), func(r collectives.Row) *stats.Estimate { return &r.Time })
		out.Series = append(out.Series, one)
		for _, f := range c.Fits {
			if f.Op == op && f.Algorithm == curve.asked && f.Ranks == curve.ranks && f.InPlace == curve.inPlace {
				if model := modelLine(f, one); len(model.Y) > 0 {
					model.Style = len(out.Series)
					out.Series = append(out.Series, model)
				}
			}
		}
	}
	if len(out.Series) == 0 {
		return nil
	}
	out.scaleY(unit.Second)
	return []chart{out}
}

// modelSteps is more than a line shows marks for.
const modelSteps = 96

// modelLine is what a usable model says over the measured sizes.
func modelLine(f collectives.Fit, of line) line {
	one := line{Name: "model, " + of.Name, X: []nums{nil}, Note: "α + S/β"}
	lo, hi := math.Log(least(of.X[0])), math.Log(most(of.X[0]))
	for i := range modelSteps + 1 {
		bytes := math.Exp(lo + (hi-lo)*float64(i)/modelSteps)
		if t, ok := f.Time(int64(math.Round(bytes))); ok {
			one.X[0], one.Y = append(one.X[0], bytes), append(one.Y, t)
		}
	}
	return one
}

// stabilityChart is one payload, call after call.
func stabilityChart(s collectives.Stability) chart {
	c := chart{
		Kind: curveChart, Title: fmt.Sprintf("%s of %v over %d ranks, call after call: %s", s.Op, unit.Bytes(s.Bytes), s.Ranks, report.ClassText(s.Class)),
		X: []axis{{Label: "iteration of the first launch"}}, Y: axis{Label: "time"},
		Limits: []limit{{At: num(s.P50), Label: "p50"}, {At: num(s.P99), Label: "p99"}},
	}
	one := line{Name: "time", X: []nums{nil}, Y: s.Series}
	for i := range s.Series {
		one.X[0] = append(one.X[0], float64(i))
	}
	c.Series = []line{one}
	c.scaleY(unit.Second)
	return c
}

// matrixCharts are latency and bandwidth between every two ranks.
func matrixCharts(m collectives.Matrix) (list []chart) {
	for _, of := range []struct {
		name   string
		values [][]float64
		unit   unit.Unit
	}{{"latency", m.Latency, unit.Second}, {"bandwidth", m.Bandwidth, unit.BytePerSecond}} {
		if of.values == nil {
			continue
		}
		c := chart{Kind: heatChart, Title: fmt.Sprintf("%s between every two of %d ranks", of.name, m.Ranks), X: []axis{{Label: "to rank"}}, Y: axis{Label: of.name}}
		for i := range m.Ranks {
			c.Rows = append(c.Rows, "from "+rankText(i, m.Hosts))
			column := line{Name: fmt.Sprint(i)}
			for j := range m.Ranks {
				v := of.values[j][i]
				if v == 0 {
					v = math.NaN()
				}
				column.Y = append(column.Y, v)
			}
			c.Series = append(c.Series, column)
		}
		c.scaleY(of.unit)
		list = append(list, c)
	}
	return list
}
