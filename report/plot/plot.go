// Package plot draws figures of one or several reports as SVG, PNG or PDF.
package plot

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/report"
)

// Options is what may be asked of plots beside their layout.
type Options struct {
	// GroupBy is the field by which lines are distinguished; empty means by what
	// differs: runs, sides and scenarios.
	GroupBy string

	// Filter keeps the points that have one of the values, FIELD=VALUE; several of
	// one field are alternatives.
	Filter []string

	// TimeUnit is s or ms; empty means what reads well on each axis.
	TimeUnit string

	// Statistic is that of fields which name none; empty means p95.
	Statistic string
}

// A Figure is a page of charts, ready to be drawn.
type Figure struct {
	File   string   `json:"file"` // its name, without the ending of a format
	Rows   int      `json:"rows"`
	Cols   int      `json:"cols"`
	Width  float64  `json:"width"` // inches
	Height float64  `json:"height"`
	Charts []Chart  `json:"charts"`
	Notes  []string `json:"notes"` // where the figures come from, for people

	NotVerified string `json:"notVerified,omitempty"` // stands on top: a bundle is not what was sealed

	keys  []plotKey // the lines, for the legend
	alarm string    // why nobody should quote it; empty for no reason
}

// A Chart is one panel with its data.
type Chart struct {
	Title  string   `json:"title"`
	File   string   `json:"file"` // of the chart alone, without the ending
	Row    int      `json:"row"`
	Col    int      `json:"col"`
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
	Limits []Limit  `json:"limits,omitempty"`
	Empty  string   `json:"empty,omitempty"` // why there is nothing to see

	bars  *plotBars
	spans []plotSpan // shaded times
	band  string     // what bands mean
	keys  []plotKey  // what tells lines inside this chart apart
}

// A Series is one line.
type Series struct {
	Label string `json:"label"`
	Field string `json:"field"`
	Marks []Mark `json:"marks"`

	look     plotLook
	interval string // bars, band or none
	joined   bool
	dotted   bool // has marks where its values are
	steps    bool // stays until the next value
}

// A Mark is one value of a line.
type Mark struct {
	X     Value  `json:"x"`
	Y     Value  `json:"y"`
	Label string `json:"label,omitempty"`

	after bool // does not follow from the mark before it: the line breaks
}

// A Limit is an objective across the chart.
type Limit struct {
	Label string  `json:"label"`
	At    float64 `json:"at"` // on the vertical axis
}

// A plotKey explains a line, or a kind of bar.
type plotKey struct {
	label  string
	look   plotLook
	dotted bool
	hatch  int  // of a kind of bar, from 1; 0 for a line
	plain  bool // nothing but its name: the only line needs no sample
}

// A plotSpan is a time in which something held.
type plotSpan struct {
	from, to float64
	label    string // of what was measured then; empty for a time in which nothing was
	steady   bool
}

// Figures makes the figures of a layout from reports: one, or one for each
// scenario where the grouping asks for that. All unknown fields are named at once.
func Figures(reports []report.Report, l Layout, o Options) ([]Figure, error) {
	if err := Check(l, o); err != nil {
		return nil, err
	}
	for i, r := range reports {
		for _, other := range reports[:i] {
			if r.RunID == other.RunID {
				return nil, fmt.Errorf("run %s is given twice", r.RunID)
			}
		}
	}
	if l.curves {
		return scalingFigures(reports)
	}
	sources, err := plotSources(reports)
	if err != nil {
		return nil, err
	}
	pages, err := groupPlot(sources, l, o)
	if err != nil {
		return nil, err
	}
	var figures []Figure
	for _, page := range pages {
		f, err := page.figure(l, o)
		if err != nil {
			return nil, err
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// Check says whether a layout and options can be drawn at all, whatever the
// bundles hold.
func Check(l Layout, o Options) error {
	var faults []error
	if !slices.Contains([]string{"", "s", "ms"}, o.TimeUnit) {
		faults = append(faults, fmt.Errorf("--time-unit %q: want s or ms", o.TimeUnit))
	}
	if o.Statistic != "" && !slices.Contains(statistics, o.Statistic) {
		faults = append(faults, fmt.Errorf("--percentile %q: want one of %s", o.Statistic, strings.Join(statistics, ", ")))
		return errors.Join(faults...)
	}
	for _, p := range l.Plots {
		if p.Type == typeTimeline {
			continue // its fields are the series of pictures, which bundles name
		}
		if p.byLevel() {
			if _, err := resolveField(p.X, o.statistic()); err != nil {
				faults = append(faults, fmt.Errorf("%q: x_field: %w", p.Title, err))
			}
		}
		for _, y := range p.lines() {
			f, err := resolveField(y.Field, o.statistic())
			if err == nil && !p.byLevel() && f.metric == "" {
				err = fmt.Errorf("field %q: %s shows how a metric spreads over requests, such as ttft", y.Field, p.Type)
			}
			if err != nil {
				faults = append(faults, fmt.Errorf("%q: y_field: %w", p.Title, err))
			}
		}
	}
	return errors.Join(faults...)
}

func (o Options) statistic() string { return cmp.Or(o.Statistic, "p95") }

// figure draws up one page.
func (page plotPage) figure(l Layout, o Options) (Figure, error) {
	width, height := l.Layout.size()
	f := Figure{File: page.combined, Rows: l.Layout.Rows, Cols: l.Layout.Cols, Width: width, Height: height, Charts: []Chart{}}
	for i, g := range page.groups {
		f.keys = append(f.keys, plotKey{label: g.label, look: lookOf(i), dotted: true, plain: len(page.groups) == 1})
	}
	for _, p := range l.Plots {
		c, err := page.chart(p, o)
		for other := p.instead; err == nil && c.Empty != "" && other != nil; other = other.instead {
			var next Chart
			if next, err = page.chart(*other, o); next.Empty == "" {
				c = next
			}
		}
		if err != nil {
			return f, err
		}
		c.Row, c.Col = p.Where[0], p.Where[1]
		c.File = page.prefix + "_" + fileName(c.Title)
		if p.heading != "" {
			c.Title = p.heading
		}
		f.Charts = append(f.Charts, c)
	}
	f.Notes, f.alarm, f.NotVerified = page.notes()
	f.explain(page.sources()[0].report.Estimates.Confidence)
	return f, nil
}

// explain says what marks, bands and shades mean, where there are any.
func (f *Figure) explain(confidence float64) {
	var said []string
	if slices.ContainsFunc(f.Charts, func(c Chart) bool {
		return slices.ContainsFunc(c.Series, func(s Series) bool { return s.dotted })
	}) {
		said = append(said, fmt.Sprintf("Filled marks: with the %.3g %% interval over launches. Hollow marks: too few launches or requests for one.", 100*confidence))
	}
	if i := slices.IndexFunc(f.Charts, func(c Chart) bool { return c.band != "" }); i >= 0 {
		said = append(said, "Bands: "+f.Charts[i].band+".")
	}
	if slices.ContainsFunc(f.Charts, func(c Chart) bool { return len(c.spans) > 0 }) {
		said = append(said, "The first launch. Dark: warm-up and cool-down, not measured. Green, with a bar at the foot: found steady.")
	}
	if len(said) > 0 {
		f.Notes = append([]string{strings.Join(said, " ")}, f.Notes...)
	}
}

// chart fills one panel.
func (page plotPage) chart(p Panel, o Options) (Chart, error) {
	c := Chart{Title: p.Title, Series: []Series{}}
	switch p.Type {
	case typeECDF:
		return c, page.ecdf(&c, p, o)
	case typeLadder:
		return c, page.ladder(&c, p, o)
	case typeTimeline:
		return c, page.timeline(&c, p, o)
	case typeBar:
		return c, page.barChart(&c, p, o)
	}
	return c, page.lineChart(&c, p, o)
}

// lineChart has a line, or loose marks, for each group and field.
func (page plotPage) lineChart(c *Chart, p Panel, o Options) error {
	x, err := resolveField(p.X, o.statistic())
	if err != nil {
		return err
	}
	lines := p.lines()
	var fields []plotField
	for i, line := range lines {
		f, err := resolveField(line.Field, o.statistic())
		if err != nil {
			return err
		}
		fields = append(fields, f)
		look, err := line.look(i, len(page.groups))
		if err != nil {
			return err
		}
		if len(lines) > 1 {
			c.keys = append(c.keys, plotKey{label: cmp.Or(line.Label, f.name), look: look, dotted: len(page.groups) == 1})
		}
		for g, group := range page.groups {
			s := Series{Label: group.label, Field: line.Field, look: look, interval: cmp.Or(p.Interval, "bars"), joined: p.Type == typeLine, dotted: true}
			if len(page.groups) > 1 || len(lines) == 1 {
				s.look.color, s.look.shape = lookOf(g).color, lookOf(g).shape
				if len(lines) == 1 {
					s.look = lookOf(g)
				}
			}
			s.Marks = group.marks(x, f, len(lines) == 1)
			if len(s.Marks) > 0 {
				c.Series = append(c.Series, s)
			}
		}
	}
	c.X, c.Y = newAxis(x, p.XLabel, p.XScale == "log"), newAxis(fields[0], p.YLabel, p.YScale == "log")
	if x.path == "level" && p.XLabel == "" {
		c.X.Label = levelName(page.points())
	}
	if len(lines) > 1 && p.YLabel == "" {
		c.Y.name = strings.TrimSuffix(fields[0].name, " "+fields[0].statistic)
	}
	c.Limits = page.limits(fields)
	if len(c.Series) == 0 {
		c.Empty = fmt.Sprintf("no figures for\n%s\nagainst %s", fieldList(lines), p.X)
		return nil
	}
	if x.level {
		c.X.levels(c.Series)
	}
	c.fit(o.TimeUnit)
	return nil
}

func fieldList(lines []Line) string {
	var names []string
	for _, l := range lines {
		names = append(names, l.Field)
	}
	return strings.Join(names, ", ")
}

// look is how line number i of a panel is drawn: in its own colour and dashes
// where there is one group, and by its dashes alone where the groups have the
// colours.
func (l Line) look(i, groups int) (plotLook, error) {
	look := lookOf(i)
	if c, err := colorOf(l.Color); err != nil {
		return look, err
	} else if c != nil {
		look.color = c
	}
	if k := slices.Index(dashNames[1:], l.Dash); k >= 0 {
		look.dashes = plotDashes[k]
	}
	if groups > 1 {
		look.color = ink
	}
	return look, nil
}

// marks are the values of a group in the order of its load.
func (g plotGroup) marks(x, y plotField, labels bool) []Mark {
	var marks []Mark
	for _, cell := range g.cells {
		xv, known := x.at(cell.source, cell.point)
		yv, ok := y.at(cell.source, cell.point)
		if !known || !ok {
			continue
		}
		m := Mark{X: xv, Y: yv}
		if labels && !x.level {
			m.Label = number(plotLevel(cell.point))
		}
		marks = append(marks, m)
	}
	return marks
}
