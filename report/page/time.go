package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/analysis/picture"
	"assay/analysis/steady"
	"assay/report"
	"assay/unit"
)

// timeline shows each launch over time, everything on one axis.
func (x exhibit) timeline() part {
	p := part{ID: "timeline", Title: "Over time"}
	if x.Pictures == nil || len(x.Pictures.Launches) == 0 {
		p.Lines = []string{"No timeline was made: this bundle has no pictures, or its records tell no times."}
	} else {
		p.Lines = []string{"Hatched: warm-up. Shaded: the measured window. The bar at the top of a window: its steady part. Time begins with the records of the launch; its charts share one axis and one zoom."}
		for i, l := range x.Pictures.Launches {
			p.add(part{Fold: beside(fmt.Sprintf("Launch %d", l.Launch+1), l.Side), Open: i == 0, Class: "launch", Charts: x.panels(l)})
		}
	}
	p.add(x.steadiness())
	return p
}

// sources are where series come from, from what users feel to what explains it.
var sources = []struct{ id, name string }{
	{"requests", "Requests"}, {"client", "Client"}, {"server", "Server"}, {"gpu", "GPU"}, {"host", "Host"},
}

// mostLines is how many series a panel holds: nobody tells ten of them apart.
const mostLines = 8

// A panel is series of one source and one unit, which share an axis.
type panel struct {
	source string
	unit   unit.Unit
	series []picture.Series
}

// panels are the charts of a launch, one below the other.
func (x exhibit) panels(l picture.Launch) []chart {
	var list []panel
	for _, source := range sources {
		from := len(list)
		for _, s := range l.Series {
			if s.Source != source.id || !seen(s) {
				continue
			}
			i := slices.IndexFunc(list[from:], func(p panel) bool { return p.unit == s.Unit && len(p.series) < mostLines })
			if i < 0 {
				list = append(list, panel{source: source.name, unit: s.Unit})
				i = len(list) - 1 - from
			}
			list[from+i].series = append(list[from+i].series, s)
		}
	}
	spans := x.spans(l)
	var charts []chart
	for _, p := range list {
		c := chart{
			Kind: timeChart, X: []axis{{Label: "time", Unit: "s"}}, Y: axis{Label: quantities[p.unit]},
			Spans: spans, End: num(l.End), Group: fmt.Sprintf("launch-%d%s", l.Launch, l.Side),
		}
		var names []string
		for i, s := range p.series {
			c.Series = append(c.Series, timeLine(s, i))
			names = append(names, c.Series[i].Name)
		}
		c.Title = p.source + ": " + strings.Join(names, ", ")
		if len(names) == 1 || c.Y.Label == "" {
			c.Y.Label = p.series[0].Name
		}
		c.scaleY(p.unit)
		charts = append(charts, c)
	}
	return charts
}

// quantities are what the axes of panels are called.
var quantities = map[unit.Unit]string{
	unit.Second: "time", unit.Token: "tokens", unit.TokenPerSecond: "rate", unit.Request: "requests", unit.RequestPerSecond: "rate",
	unit.Byte: "memory", unit.BytePerSecond: "rate", unit.Joule: "energy", unit.Watt: "power", unit.Ratio: "count", unit.Share: "share",
}

func seen(s picture.Series) bool {
	return slices.ContainsFunc(s.Values, func(v *float64) bool { return v != nil })
}

func timeLine(s picture.Series, style int) line {
	name := s.Name
	if s.Scope != "" {
		name += " " + s.Scope
	}
	one := line{Name: name, From: s.Start, Step: s.Step, Style: style}
	for _, v := range s.Values {
		if v == nil {
			one.Y = append(one.Y, math.NaN())
		} else {
			one.Y = append(one.Y, *v)
		}
	}
	return one
}

// spans are the warm-up, the measured window and the steady part of each point.
func (x exhibit) spans(l picture.Launch) []span {
	var list []span
	for _, w := range l.Windows {
		if w.Measure > w.Begin {
			list = append(list, span{num(w.Begin), num(w.Measure), "warmup", ""})
		}
		label := x.PointName(w.Point)
		if w.Verdict != "" {
			label += " (" + w.Verdict + ")"
		}
		list = append(list, span{num(w.Measure), num(w.MeasureEnd), "measure", label})
		if w.SteadyBegin != nil && w.SteadyEnd != nil {
			list = append(list, span{num(*w.SteadyBegin), num(*w.SteadyEnd), "steady", ""})
		}
	}
	return list
}

// steadiness shows for every point and series whether its window was steady, over
// the launches.
func (x exhibit) steadiness() part {
	p := part{
		Title: "Steady state",
		Head:  []string{"point", "series", "shape, launches", "window begins steady", "warm-up given", "steady from", "within 2 % after", "mean of all", "best of N"},
	}
	for _, point := range x.Plan.Points {
		own := slices.DeleteFunc(slices.Clone(x.Steady.Points), func(p steady.Point) bool { return p.Point != point.Index })
		if len(own) == 0 {
			continue
		}
		if own[0].Skipped != "" {
			p.Rows = append(p.Rows, []string{point.Name, "not judged: " + own[0].Skipped, "–", "–", "–", "–", "–", "–", "–"})
			continue
		}
		for i, s := range own[0].Series {
			sum := report.SteadyLine{Series: s.Name}
			for _, one := range own {
				if i < len(one.Series) && one.Series[i].Name == s.Name {
					sum.Add(one.Series[i])
				}
			}
			p.Rows = append(p.Rows, append([]string{point.Name}, strings.Split(sum.Text(), "\t")...))
		}
	}
	if len(p.Rows) > 0 {
		p.Points = []string{"Counts are requests, the largest of all launches. Mean of all and best of N are beside the median of the steady part: what naive reports would have said."}
	}
	return p
}
