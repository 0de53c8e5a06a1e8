package workbook

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/report"
	"assay/unit"
)

// The first column of the first sheet has names and loads; the others have room for
// one figure, and texts run over as many of them as a page shows.
const (
	firstWidth, mostWidth = 18, 44
	otherWidth            = 11
	textColumns           = 12
	textRoom              = (textColumns - 1) * otherWidth
)

// summary is the first sheet, in the order of the page: what was measured, the numbers
// to take away, one table over all points, what speaks against it and what may be
// quoted.
func (b *workbook) summary(r report.Report) {
	s := b.sheet("Summary")
	s.columns(append([]float64{namesWidth(r)}, slices.Repeat([]float64{otherWidth}, 30)...))
	if text := r.Alarm(); text != "" {
		s.across(1, text, cellLook{title: true}, textColumns, textRoom)
	}
	s.across(1, strings.Join(r.Subject(), " · "), cellLook{title: true}, textColumns, textRoom)
	s.across(1, fmt.Sprintf("%s · %s · %s", r.RunID, r.Status, r.Signature), cellLook{wrap: true}, textColumns, textRoom)
	b.tiles(s, r)
	for i, h := range r.Headlines() {
		b.headline(s, h.In(report.Sheet))
		if i == 0 { // a sheet has buttons of one table
			s.filter()
		}
	}
	b.advice(s, r)
	b.summaryFindings(s, r)
	b.quotable(s, r)
	s.pages(1)
}

// namesWidth is the room that the names of rows take.
func namesWidth(r report.Report) float64 {
	width := firstWidth
	for _, h := range r.Headlines() {
		for _, row := range h.Rows {
			width = max(width, utf8.RuneCountInString(row[0].Text)+1)
		}
	}
	return float64(min(width, mostWidth))
}

// tiles are the numbers to take away, beside each other.
func (b *workbook) tiles(s *bookSheet, r report.Report) {
	tiles := r.Tiles()
	if len(tiles) == 0 {
		return
	}
	heads, values, lows, highs, points := []any{nil}, []any{"mean"}, []any{"low"}, []any{"high"}, []any{"at"}
	medians := []any{"launches"}
	for _, t := range tiles {
		heads = append(heads, b.head(t.Name, t.Unit))
		values, lows, highs = append(values, cellQuantity{t.Value, t.Unit}), append(lows, cellQuantity{t.Interval.Lo, t.Unit}), append(highs, cellQuantity{t.Interval.Hi, t.Unit})
		points, medians = append(points, t.Of), append(medians, t.Median())
	}
	s.row++
	s.addLook(cellLook{bold: true, wrap: true}, heads...)
	s.height(3)
	s.addLook(cellLook{bold: true}, values...)
	s.add(lows...)
	s.add(highs...)
	s.addLook(cellLook{wrap: true}, medians...)
	s.height(2)
	s.addLook(cellLook{wrap: true}, points...)
	s.height(2)
}

// headline is a table over all points. A column whose rows differ in their unit has
// the unit beside it.
func (b *workbook) headline(s *bookSheet, h report.Headline) {
	s.row++
	var heads []string
	for i, c := range h.Columns {
		if c.Unit == "" || c.Unit == unit.Ratio {
			heads = append(heads, c.Long)
		} else {
			heads = append(heads, b.head(c.Long, c.Unit))
		}
		if mixed(h, i) {
			heads = append(heads, "unit")
		}
	}
	s.heads(heads)
	for _, row := range h.Rows {
		s.row++
		column := 0
		for i, f := range row {
			column++
			s.set(column, s.row, cellFigure(f), figureLook(f, i))
			if mixed(h, i) {
				column++
				s.set(column, s.row, b.unitName(f.Unit), cellLook{})
			}
		}
	}
}

// cellFigure is a figure of a headline table.
func cellFigure(f report.Figure) any {
	switch {
	case f.Number == nil:
		return f.Text
	case f.Unit == "":
		return *f.Number
	}
	return cellQuantity{*f.Number, f.Unit}
}

// figureLook puts what names a row to the left, and a dash where digits would stand.
func figureLook(f report.Figure, column int) cellLook {
	switch {
	case column == 0:
		return cellLook{align: "left"}
	case f.Text == "–":
		return cellLook{align: "right"}
	}
	return cellLook{}
}

// mixed reports whether a column has numbers of several units.
func mixed(h report.Headline, column int) bool {
	return h.Columns[column].Unit == "" && slices.ContainsFunc(h.Rows, func(row []report.Figure) bool { return row[column].Number != nil })
}

// advice is what the table leaves open: knees, and how long a missing percentile
// takes.
func (b *workbook) advice(s *bookSheet, r report.Report) {
	for _, text := range r.Knees() {
		s.across(1, text, cellLook{wrap: true}, textColumns, textRoom)
	}
	if text := r.PercentileAdvice(); text != "" {
		s.across(1, "A dash stands for too few requests: "+text+".", cellLook{wrap: true}, textColumns, textRoom)
	}
}

// summaryFindings is what needs eyes, by check; the sheet Findings has each.
func (b *workbook) summaryFindings(s *bookSheet, r report.Report) {
	groups := r.GroupedFindings()
	s.row++
	s.line("Findings", cellLook{bold: true})
	if len(groups) == 0 {
		s.line("none", cellLook{})
	}
	for _, g := range groups {
		text := g.Check + ": " + g.Message
		if g.Where != "" {
			text += " (" + g.Where + ")"
		}
		if g.Fix != "" {
			text += ". To do: " + g.Fix
		}
		s.fact(string(g.Severity), text, textColumns, textRoom)
	}
}

// quotable is a sentence for each point, or why there is none; the sheet Claims has
// all.
func (b *workbook) quotable(s *bookSheet, r report.Report) {
	if r.Claims == nil {
		return
	}
	s.row++
	s.line("Quotable results", cellLook{bold: true})
	s.fact("grade", string(r.Claims.Grade), textColumns, textRoom)
	first, _ := report.OnePerPoint(r.Claims.Claims, len(r.Claims.Claims))
	for _, c := range first {
		s.fact(c.Point, c.Sentence, textColumns, textRoom)
	}
	if len(first) == 0 {
		s.fact("none", report.NothingQuotable(*r.Claims), textColumns, textRoom)
	}
}
