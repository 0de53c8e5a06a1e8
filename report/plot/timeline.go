package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/analysis/picture"
	"assay/unit"
)

var timelinePlots = Layout{
	named: "timeline", Layout: Grid{Rows: 6, Cols: 1, Size: []float64{13, 18}},
	Plots: []Panel{
		timelinePanel(0, "Latency", "latency", picture.FirstTokenMedian, picture.FirstTokenHigh, picture.WholeMedian),
		timelinePanel(1, "Requests", "requests", picture.Offered, picture.Completed, picture.Failed),
		timelinePanel(2, "Output", "output", picture.OutputTokens, picture.OutputItems),
		timelinePanel(3, "In flight", "in flight", picture.InFlight, "requests running", "requests waiting"),
		timelinePanel(4, "In use", "in use", "KV cache in use", "GPU utilisation", "host CPU busy", "host CPU pressure"),
		{
			Title: "GPU power", Ys: []Line{{Field: "GPU power"}}, Type: typeTimeline, Where: []int{5, 0},
			instead: &Panel{Title: "CPU of the client", Ys: []Line{{Field: "client CPU"}}, Type: typeTimeline, Where: []int{5, 0}},
		},
	},
}

func timelinePanel(row int, title, label string, names ...string) Panel {
	p := Panel{Title: title, YLabel: label, Type: typeTimeline, Where: []int{row, 0}}
	for _, name := range names {
		p.Ys = append(p.Ys, Line{Field: name})
	}
	return p
}

// timeline shows series of the pictures over the time of the first launch of each
// source. Series of another unit than the first found are left to other panels.
func (page plotPage) timeline(c *Chart, p Panel, o Options) error {
	sources := page.sources()
	var u unit.Unit
	end := 0.0
	for _, s := range sources {
		launch, ok := s.firstLaunch()
		if !ok {
			continue
		}
		end = max(end, launch.End)
		if len(sources) == 1 {
			c.spans = launchSpans(s, launch)
		}
		for _, line := range p.lines() {
			for _, series := range launch.Series {
				if !strings.EqualFold(series.Name, line.Field) || u != "" && series.Unit != u {
					continue
				}
				marks := overTime(series)
				if len(marks) == 0 {
					continue
				}
				u = series.Unit
				label := strings.TrimSuffix(cmp.Or(line.Label, series.Name)+", "+series.Scope, ", ")
				look, err := c.timeKey(line, label, len(sources))
				if err != nil {
					return err
				}
				if len(sources) > 1 {
					look.color = lookOf(page.groupOf(s)).color
				}
				c.Series = append(c.Series, Series{Label: label, Field: series.Name, look: look, interval: "none", joined: true, Marks: marks})
			}
		}
	}
	if len(c.Series) == 0 {
		c.Empty = "nothing was read of\n" + fieldList(p.lines())
		return nil
	}
	name := c.Series[0].Field
	if len(c.keys) == 1 {
		c.keys = nil
	}
	c.X = Axis{name: "time since the launch's records begin", asked: p.XLabel, unit: unit.Second, factor: 1, Max: end, fixed: true}
	c.Y = Axis{name: name, asked: cmp.Or(p.YLabel, name), unit: u, Log: p.YScale == "log", factor: 1}
	c.X.fit(nil, nil, cmp.Or(o.TimeUnit, "s"))
	var values []Value
	for _, s := range c.Series {
		for _, m := range s.Marks {
			values = append(values, m.Y)
		}
	}
	c.Y.fit(values, nil, o.TimeUnit)
	return nil
}

// timeKey is the look of what label names; a new one gets a key.
func (c *Chart) timeKey(line Line, label string, sources int) (plotLook, error) {
	i := slices.IndexFunc(c.keys, func(k plotKey) bool { return k.label == label })
	if i >= 0 {
		return c.keys[i].look, nil
	}
	look, err := line.look(len(c.keys), sources)
	c.keys = append(c.keys, plotKey{label: label, look: look})
	return look, err
}

// firstLaunch is the first launch of the source that has pictures.
func (s *plotSource) firstLaunch() (picture.Launch, bool) {
	if s.report.Pictures == nil {
		return picture.Launch{}, false
	}
	for _, l := range s.report.Pictures.Launches {
		if l.Side == s.side {
			return l, true
		}
	}
	return picture.Launch{}, false
}

func (page plotPage) groupOf(s *plotSource) int {
	return slices.IndexFunc(page.groups, func(g plotGroup) bool { return g.cells[0].source == s })
}

// overTime turns a series into marks; a bin in which nothing was seen breaks the
// line.
func overTime(s picture.Series) []Mark {
	var marks []Mark
	broken := false
	for i, v := range s.Values {
		if v == nil {
			broken = true
			continue
		}
		marks = append(marks, Mark{X: exactly(s.Start + float64(i)*s.Step), Y: exactly(*v), after: broken})
		broken = false
	}
	return marks
}

// launchSpans shade what was not measured, and tint what was steady.
func launchSpans(s *plotSource, l picture.Launch) []plotSpan {
	var spans []plotSpan
	for _, w := range l.Windows {
		name := fmt.Sprintf("point %d", w.Point)
		if p, ok := s.report.Plan.PointByIndex(w.Point); ok {
			name = p.Name
		}
		spans = append(spans, plotSpan{from: w.Begin, to: w.Measure}, plotSpan{from: w.MeasureEnd, to: w.End})
		if w.SteadyBegin != nil && w.SteadyEnd != nil {
			spans = append(spans, plotSpan{from: max(w.Measure, *w.SteadyBegin), to: min(w.MeasureEnd, *w.SteadyEnd), steady: true})
		}
		spans = append(spans, plotSpan{from: w.Measure, to: w.MeasureEnd, label: name})
	}
	return spans
}
