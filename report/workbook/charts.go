package workbook

import (
	"fmt"
	"slices"

	"github.com/xuri/excelize/v2"

	"assay/metric"
	"assay/plan"
	"assay/report"
	"assay/unit"
)

// Charts stand to the right of the table of a scenario, two in a row, and the numbers
// that they show to the right of them, where no page is printed.
const (
	chartWidth   = 500 // in pixels
	chartHeight  = 300
	chartRows    = 19 // that one covers where rows are low, as in LibreOffice
	chartColumns = 6  // that one covers
	chartCell    = 12 // characters of such a column
)

// A bookPlotted is one statistic in the table of the charts: its value, and how far its
// interval reaches below and above it.
type bookPlotted struct {
	bookStatistic
	column    int    // of the value; below and above follow
	certified []bool // by side: whether any point has a value
}

// A chartTable is the numbers of the charts of a sheet: one row for each point, side
// after side.
type chartTable struct {
	sheet   *bookSheet
	load    string // what the points differ in, with its unit
	begin   int    // the first column of the charts
	column  int    // the first column of the numbers
	head    int
	sides   []string
	points  []plan.Point
	plotted []bookPlotted
}

// charts draws the points of one sheet. One point is no curve.
func (b *workbook) charts(s *bookSheet, r report.Report, points []plan.Point) {
	load, value := loadAxis(points)
	if len(points) < 2 || load == "" {
		return
	}
	t := chartTable{sheet: s, load: load, points: points, begin: s.wide + 2, column: s.wide + 3 + 2*chartColumns, head: s.head}
	for _, side := range r.Plan.Sides() {
		t.sides = append(t.sides, side.Name)
	}
	var latencies, throughputs []bookPlotted
	column := t.column + 3
	add := func(list *[]bookPlotted, metrics ...metric.Metric) {
		for _, m := range metrics {
			for _, one := range b.statisticsOf(m) {
				if slices.ContainsFunc(points, func(p plan.Point) bool { _, ok := r.Estimates.Find(m.ID, one.statistic, p.Index); return ok }) {
					*list = append(*list, bookPlotted{one, column, make([]bool, len(t.sides))})
					column += 3
				}
			}
		}
	}
	add(&latencies, metric.TTFT)
	first := len(latencies)
	add(&latencies, metric.E2E)
	add(&throughputs, metric.OutputThroughput, metric.RequestThroughput)
	if len(throughputs) == 0 || len(latencies) == 0 {
		return
	}
	t.plotted = append(append(t.plotted, latencies...), throughputs...)
	b.chartNumbers(&t, r, value)
	name := t.axis(throughputs[0])
	at := func(i int) (int, int) { return t.begin + i%2*chartColumns, 2 + i/2*chartRows }
	charts := []struct {
		title  string
		x      int
		xName  string
		series []bookPlotted
	}{
		{"Latency against throughput", throughputs[0].column, name, latencies},
		{"TTFT against load", t.column + 2, load, latencies[:first]},
		{"E2E against load", t.column + 2, load, latencies[first:]},
		{"Throughput against load", t.column + 2, load, throughputs[:1]},
	}
	n := 0
	for _, c := range charts {
		if len(c.series) == 0 {
			continue
		}
		column, row := at(n)
		b.chart(&t, c.title, c.x, c.xName, c.series, column, row)
		n++
	}
}

// loadAxis is what the points differ in, and its value at one; empty where they
// differ in nothing that has an order.
func loadAxis(points []plan.Point) (name string, value func(plan.Point) float64) {
	axes := []struct {
		name string
		of   func(plan.Point) float64
	}{
		{"concurrency (1)", func(p plan.Point) float64 { return float64(p.Concurrency) }},
		{"rate (req/s)", func(p plan.Point) float64 { return p.Rate }},
		{"batch size (1)", func(p plan.Point) float64 { return float64(p.BatchSize) }},
	}
	for _, axis := range axes {
		differ, known := false, true
		for _, p := range points {
			known = known && axis.of(p) > 0
			differ = differ || axis.of(p) != axis.of(points[0])
		}
		if differ && known {
			return axis.name, axis.of
		}
	}
	return "", nil
}

// axis is the name of a statistic with its unit.
func (t *chartTable) axis(p bookPlotted) string { return t.sheet.book.head(p.name(), p.metric.Unit) }

// chartNumbers writes the table. What cannot be certified is left out: an empty cell
// is a gap, where a text would be drawn as zero.
func (b *workbook) chartNumbers(t *chartTable, r report.Report, load func(plan.Point) float64) {
	s := t.sheet
	heads := []string{"shown in the charts: point", "side", t.load}
	for _, p := range t.plotted {
		heads = append(heads, t.axis(p), b.head("down to low", p.metric.Unit), b.head("up to high", p.metric.Unit))
	}
	for i, head := range heads {
		s.set(t.column+i, t.head, head, cellLook{head: true})
	}
	first, err := excelize.ColumnNumberToName(t.begin)
	b.keep(err)
	last, err := excelize.ColumnNumberToName(t.column + len(heads))
	b.keep(err)
	b.keep(b.file.SetColWidth(s.name, first, last, chartCell))
	s.printed(t.begin + 2*chartColumns)
	row := t.head
	for i, side := range t.sides {
		e := r.Estimates.Of(side)
		for _, point := range t.points {
			row++
			s.set(t.column, row, point.Name, cellLook{})
			s.set(t.column+1, row, cellText(side), cellLook{})
			s.set(t.column+2, row, load(point), cellLook{})
			for _, p := range t.plotted {
				estimate, ok := e.Find(p.metric.ID, p.statistic, point.Index)
				if _, un := cellUncertified(estimate); !ok || un {
					continue
				}
				p.certified[i] = true
				u := estimate.Unit
				s.set(p.column, row, cellQuantity{estimate.Value, u}, cellLook{})
				s.set(p.column+1, row, cellQuantity{estimate.Value - estimate.Interval.Lo, u}, cellLook{})
				s.set(p.column+2, row, cellQuantity{estimate.Interval.Hi - estimate.Value, u}, cellLook{})
			}
		}
	}
}

// cells is a reference to a column of the table, for one side.
func (t *chartTable) cells(column, side int) string {
	name, err := excelize.ColumnNumberToName(column)
	t.sheet.book.keep(err)
	from := t.head + 1 + side*len(t.points)
	return fmt.Sprintf("%s!$%s$%d:$%s$%d", sheetQuoted(t.sheet.name), name, from, name, from+len(t.points)-1)
}

// chartColours are distinguished by people who do not see red or green, and by their
// brightness on paper (Okabe and Ito).
var chartColours = []string{"0072B2", "D55E00", "009E73", "CC79A7", "56B4E9", "E69F00"}

// chartMarks tell series apart without colour.
var chartMarks = []string{"circle", "diamond", "square", "triangle", "x", "star"}

// chart draws some statistics over a column of the table.
func (b *workbook) chart(t *chartTable, title string, x int, xName string, shown []bookPlotted, column, row int) {
	var series []excelize.ChartSeries
	var bars []errorBars
	for side, name := range t.sides {
		for _, p := range shown {
			n := len(series)
			label := p.name()
			if name != "" {
				label += ", " + name
			}
			if !p.certified[side] {
				label += " (too few requests)"
			}
			colour := chartColours[n%len(chartColours)]
			fill := excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{colour}}
			series = append(series, excelize.ChartSeries{
				Name: label, Categories: t.cells(x, side), Values: t.cells(p.column, side),
				Fill: fill, Line: excelize.LineOptions{Type: excelize.LineSolid, Width: 1.5},
				Marker: excelize.ChartMarker{Symbol: chartMarks[n%len(chartMarks)], Size: 7, Fill: fill},
			})
			bars = append(bars, errorBars{name: label, below: t.cells(p.column+1, side), above: t.cells(p.column+2, side)})
		}
	}
	at, err := excelize.CoordinatesToCellName(column, row)
	b.keep(err)
	zero := 0.0
	plain := &excelize.Font{Size: 10, Color: "404040"}
	words := func(text string, size float64, bold bool) excelize.ChartTitle {
		return excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: text, Font: &excelize.Font{Size: size, Bold: bold, Color: "404040"}}}}
	}
	yName := t.yAxis(shown)
	b.keep(b.file.AddChart(t.sheet.name, at, &excelize.Chart{
		Type: excelize.Scatter, Series: series, ShowBlanksAs: "gap",
		Format:    excelize.GraphicOptions{AltText: fmt.Sprintf("%s: %s over %s", title, yName, xName), OffsetX: 4, OffsetY: 4},
		Dimension: excelize.ChartDimension{Width: chartWidth, Height: chartHeight},
		Title:     words(title, 13, true),
		Legend:    excelize.ChartLegend{Position: "bottom", Font: plain},
		XAxis:     excelize.ChartAxis{Title: words(xName, 10, false), Minimum: &zero, Font: *plain, MajorGridLines: true},
		YAxis:     excelize.ChartAxis{Title: words(yName, 10, false), Minimum: &zero, Font: *plain, MajorGridLines: true},
	}))
	b.bars(bars)
}

// yAxis names what all series share.
func (t *chartTable) yAxis(shown []bookPlotted) string {
	u := shown[0].metric.Unit
	if u == unit.Second {
		return "time (" + t.sheet.book.unitName(u) + "), with intervals"
	}
	return t.sheet.book.head(shown[0].metric.Name, u) + ", with intervals"
}
