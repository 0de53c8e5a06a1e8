package server

import (
	"fmt"
	"html/template"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"assay/report/page"
	"assay/stats"
	"assay/unit"
	"assay/warehouse"
)

// A section is a chart with what is said about it.
type section struct {
	ID, Title string
	Lines     []string
	Figure    template.HTML
	Changes   []changeNote
	Head      []string
	Rows      []numberRow
}

type changeNote struct {
	Title         string
	Bad           bool
	Lines         []string
	Before, After string
}

type numberRow struct {
	Run, Name string
	Of        string // the number of the row as lineage finds it; empty where there is none
	Cells     []string
}

// A charted is a page of charts.
type charted struct {
	frame
	Filters  []filter
	Notes    []string
	Sections []section
	Empty    string
}

// latencies may stand on the axis of the frontier.
var latencies = []string{"ttft:p50", "ttft:p99", "tpot:p50", "e2e:p50", "e2e:p99"}

const throughput = "output_throughput"

// frontierPage draws throughput against latency, the newest run of each workload, system
// and machine a line of its own.
func (s *Server) frontierPage(c *Call) error {
	f, err := runFilter(c)
	if err != nil {
		return err
	}
	latency := c.param("latency")
	if latency == "" {
		latency = latencies[0]
	}
	if !slices.Contains(latencies, latency) {
		return refuse(http.StatusBadRequest, "latency %q: want one of %s", shortened(latency), strings.Join(latencies, ", "))
	}
	fields, err := s.filters(c, "model", "system", "testbed", "name")
	if err != nil {
		return err
	}
	fields = append([]filter{{Name: "latency", Value: latency, Choices: latencies}}, fields...)
	shown := charted{
		frame: frameOf(c, "Throughput against latency"), Filters: fields, Empty: "No completed run has both results.",
		Notes: []string{"The newest completed run of each workload, system and machine; runs that a finding voids are left out. Bars are intervals over launches. Up and to the left is better."},
	}
	name, statistic, _ := strings.Cut(latency, ":")
	var wanted []string
	for _, version := range []string{".v1", ".v2", ".v3"} {
		wanted = append(wanted, name+version+":"+statistic, throughput+version+":value")
	}
	runs, figures, err := s.read.Frontier(c.context(), f, wanted)
	if err != nil {
		return err
	}
	if one, ok := frontierSection(runs, figures, latency); ok {
		if one.Figure, err = page.Figure(one.chart); err != nil {
			return err
		}
		shown.Sections = []section{one.section}
	}
	return s.page(c, http.StatusOK, "charts", shown)
}

// A drawn is a section whose chart is not an element yet.
type drawn struct {
	section
	chart page.Chart
}

// frontierSection pairs the two results of every point.
func frontierSection(runs []warehouse.RunRow, figures []warehouse.Figure, latency string) (drawn, bool) {
	name, _, _ := strings.Cut(latency, ":")
	d := drawn{
		section: section{ID: "frontier", Title: "Output tokens per second against " + latency, Head: []string{"run", "point", latency, throughput, "n"}},
		chart:   page.Chart{Kind: page.ScatterChart, Title: "Output tokens per second against " + latency, Y: page.Axis{Label: "output tokens", Unit: "tok/s"}, Static: true},
	}
	type pair struct{ x, y *warehouse.Figure }
	xUnit := ""
	for i, run := range runs {
		var order []string
		pairs := map[string]*pair{}
		for k := range figures {
			f := &figures[k]
			if f.Digest != run.Digest {
				continue
			}
			key := f.Point + " " + f.Side
			if pairs[key] == nil {
				pairs[key] = &pair{}
				order = append(order, key)
			}
			if strings.HasPrefix(f.Metric, name+".") { // the newest definition comes last
				pairs[key].x, xUnit = f, f.Unit
			} else {
				pairs[key].y = f
			}
		}
		l := page.Line{Name: fmt.Sprintf("%s · %s on %s (%s)", run.Name, run.System, run.Testbed, run.Created.Format(time.DateOnly)), X: []page.Nums{nil}, XLo: []page.Nums{nil}, XHi: []page.Nums{nil}, Style: i % 8}
		for _, key := range order {
			p := pairs[key]
			if p.x == nil || p.y == nil {
				continue
			}
			l.X[0], l.XLo[0], l.XHi[0] = append(l.X[0], p.x.Value), append(l.XLo[0], bound(p.x.Low)), append(l.XHi[0], bound(p.x.High))
			l.Y, l.Lo, l.Hi = append(l.Y, p.y.Value), append(l.Lo, bound(p.y.Low)), append(l.Hi, bound(p.y.High))
			l.Points, l.Notes = append(l.Points, p.y.Point), append(l.Notes, fmt.Sprintf("%d launches", p.y.N))
			d.Rows = append(d.Rows, numberRow{Run: shortDigest(run.Digest), Name: run.Name + " " + shortDigest(run.Digest), Cells: []string{strings.TrimSpace(key), figureText(*p.x), figureText(*p.y), fmt.Sprint(p.y.N)}})
		}
		if len(l.Y) > 0 {
			d.chart.Series = append(d.chart.Series, l)
		}
	}
	d.scaleX(xUnit, latency)
	return d, len(d.chart.Series) > 0
}

// scaleX brings the values of the x axis to one readable unit.
func (d *drawn) scaleX(u, label string) {
	top := 0.
	for _, l := range d.chart.Series {
		top = max(top, slices.Max(l.X[0]))
	}
	divisor, suffix := unit.Axis(top, unit.Unit(u))
	for _, l := range d.chart.Series {
		for _, list := range []page.Nums{l.X[0], l.XLo[0], l.XHi[0]} {
			for i := range list {
				list[i] /= divisor
			}
		}
	}
	d.chart.X = []page.Axis{{Label: label, Unit: suffix}}
}

func bound(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

func figureText(f warehouse.Figure) string {
	return valueText(warehouse.Value{Value: f.Value, Low: f.Low, High: f.High}, f.Unit)
}

// mostCharts is how many series a page draws: more are narrowed down first.
const mostCharts = 12

func (s *Server) historyPage(c *Call) error {
	fields, err := s.filters(c, "metric", "workload", "system", "testbed", "point", "side", "since")
	if err != nil {
		return err
	}
	for i, f := range fields {
		switch f.Name {
		case "metric":
			fields[i].Hint = "ttft:p99"
		case "workload":
			names, err := s.read.Choices(c.context())
			if err != nil {
				return err
			}
			if fields[i].Choices = names["name"]; f.Value != "" && !slices.Contains(fields[i].Choices, f.Value) {
				fields[i].Choices = append([]string{f.Value}, fields[i].Choices...)
			}
		case "since":
			fields[i].Hint = "2026-11-17"
		}
	}
	shown := charted{frame: frameOf(c, "History"), Filters: fields, Empty: "Name a metric, such as ttft:p99 or output_throughput."}
	if c.param("metric") == "" {
		return s.page(c, http.StatusOK, "charts", shown)
	}
	h, err := s.historyOf(c)
	if err != nil {
		return err
	}
	if len(h.Series) > mostCharts {
		shown.Notes = []string{fmt.Sprintf("%d of %d series: narrow the filter down to see the others.", mostCharts, len(h.Series))}
	}
	shown.Notes = append(shown.Notes, fmt.Sprintf("Bars are intervals over launches. A look at a stable series raises %g false alarms.", h.Alpha))
	for _, series := range h.Series[:min(mostCharts, len(h.Series))] {
		one, err := seriesSection(series)
		if err != nil {
			return err
		}
		shown.Sections = append(shown.Sections, one)
	}
	return s.page(c, http.StatusOK, "charts", shown)
}

// seriesSection draws a series over time: a line for each level between changes, so that
// a change is seen as a break and not as a slope.
func seriesSection(s warehouse.Series) (section, error) {
	title := strings.Join(slices.DeleteFunc([]string{s.Metric + " " + s.Statistic, s.Name, s.Point, s.Side, s.System + " on " + s.Testbed}, func(t string) bool { return t == "" }), " · ")
	one := section{ID: "series-" + s.ID(), Title: title, Head: []string{"run", "when", "value and interval", "n", ""}}
	if len(s.Values) == 0 {
		one.Lines = []string{fmt.Sprintf("No run counts: %d did not complete, or a finding voids them.", s.LeftOut)}
		return one, nil
	}
	divisor, suffix := unit.Axis(largest(s.Values), unit.Unit(s.Unit))
	newest := s.Values[len(s.Values)-1].At
	per, word := agoUnit(newest.Sub(s.Values[0].At))
	chart := page.Chart{Kind: page.TimeChart, Title: title, X: []page.Axis{{Label: word + " before the newest run"}}, Y: page.Axis{Label: s.Metric + " " + s.Statistic, Unit: suffix}, Static: true}
	level := 0
	var l page.Line
	for i, v := range s.Values {
		if i == 0 || level < len(s.Changes) && s.Changes[level].At == i {
			if i > 0 {
				chart.Series = append(chart.Series, l)
				level++
			}
			l = page.Line{Name: fmt.Sprintf("level %d", level+1), X: []page.Nums{nil}, Style: level % 8}
		}
		l.X[0] = append(l.X[0], float64(v.At.Sub(newest))/float64(per))
		l.Y, l.Lo, l.Hi = append(l.Y, v.Value/divisor), append(l.Lo, bound(v.Low)/divisor), append(l.Hi, bound(v.High)/divisor)
		l.Points, l.Notes = append(l.Points, v.RunID), append(l.Notes, fmt.Sprintf("%s, n = %d", v.At.Format("2006-01-02 15:04"), v.N))
		accepted := ""
		if v.Accepted {
			accepted = "accepted"
		}
		one.Rows = append(one.Rows, numberRow{Run: shortDigest(v.Digest), Name: v.RunID, Cells: []string{v.At.Format("2006-01-02 15:04"), valueText(v, s.Unit), fmt.Sprint(v.N), accepted}})
	}
	chart.Series = append(chart.Series, l)
	for _, c := range s.Changes {
		one.Changes = append(one.Changes, noteOf(s, c))
	}
	if s.LeftOut > 0 {
		one.Lines = append(one.Lines, fmt.Sprintf("Left out, because they did not complete or a finding voids them: %d.", s.LeftOut))
	}
	one.Lines = append(one.Lines, noiseLine(s.Noise))
	var err error
	one.Figure, err = page.Figure(chart)
	return one, err
}

// agoUnit is in what the age of runs is counted.
func agoUnit(span time.Duration) (time.Duration, string) {
	switch {
	case span > 48*time.Hour:
		return 24 * time.Hour, "days"
	case span > 2*time.Hour:
		return time.Hour, "hours"
	case span > 2*time.Minute:
		return time.Minute, "minutes"
	}
	return time.Second, "seconds"
}

func largest(values []warehouse.Value) float64 {
	top := 0.
	for _, v := range values {
		top = max(top, math.Abs(v.Value))
	}
	return top
}

func noiseLine(n warehouse.Noise) string {
	if n.RunCV == nil {
		return fmt.Sprintf("The newest level has %d runs, too few to say how much they differ.", n.Runs)
	}
	text := fmt.Sprintf("The %d runs of the newest level differ by %.2g %%", n.Runs, 100**n.RunCV)
	if n.Detectable != nil {
		text += fmt.Sprintf("; two more runs would show a step of %.2g %%", 100**n.Detectable)
	}
	return text + "."
}

// noteOf says what is known of a change, with what differs beside it.
func noteOf(s warehouse.Series, c warehouse.Change) changeNote {
	word := "better"
	if c.Worse {
		word = "worse"
	}
	n := changeNote{
		Title:  fmt.Sprintf("%+.1f %%, %s, %s: %s → %s", 100*c.Relative, word, c.State, unit.Format(c.Before, unit.Unit(s.Unit)), unit.Format(c.After, unit.Unit(s.Unit))),
		Bad:    c.Open(),
		Lines:  []string{fmt.Sprintf("Found by %s, p %.2g.", c.Method, c.P)},
		Before: shortDigest(s.Values[c.At-1].Digest), After: shortDigest(s.Values[c.At].Digest),
	}
	for _, d := range c.Differences {
		n.Lines = append(n.Lines, d.Kind+" "+d.String())
	}
	switch {
	case c.Unknown != "":
		n.Lines = append(n.Lines, "What differs between the two runs is not known: "+c.Unknown)
	case len(c.Differences) == 0:
		n.Lines = append(n.Lines, "Nothing that assay records differs between the two runs besides the result.")
	}
	switch c.Kind {
	case stats.DriftStep:
		n.Lines = append(n.Lines, "The series drifts: a line fits better than a step.")
	case stats.SwitchStep:
		n.Lines = append(n.Lines, "The series switches between two modes: it was on both levels before.")
	}
	if c.Alert != "" {
		n.Lines = append(n.Lines, "Its alert is "+c.Alert+".")
	}
	if c.State == warehouse.Suspected {
		n.Lines = append(n.Lines, "Run it again to settle this.")
	}
	return n
}
