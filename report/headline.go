package report

import (
	"slices"
	"strings"

	"assay/stats"
	"assay/unit"
)

// A Room is where a column of a headline table has place. Rooms are added up.
type Room int

// The rooms, from the narrowest to the widest.
const (
	Terminal Room = 1 << iota
	Page
	Sheet
	anywhere = Terminal | Page | Sheet
)

// A Headline is a table that a run is made for: a row for each point, or for each
// variant of what was measured there. Every face shows it first, with as many columns
// as it has room for.
type Headline struct {
	Columns []Column
	Rows    [][]Figure
}

// A Column is one figure of a headline table.
type Column struct {
	Name  string // as narrow faces head it: the second percentile of a metric has but "p95"
	Long  string // as it stands alone: "TTFT p95"
	Unit  unit.Unit
	in    Room
	wide  bool // its interval is worth its width on a terminal too
	spare bool // a narrow terminal does without it
}

// A Figure is one cell of a headline table.
type Figure struct {
	Text   string    // as people read it; a dash where there is nothing
	Full   string    // with its interval
	Number *float64  // nil for words, and where there is nothing
	Unit   unit.Unit // of the number; empty for a count
}

// word is a cell that is no number.
func word(text string) Figure { return Figure{Text: Dash(text), Full: Dash(text)} }

// counted is a cell that has no interval.
func counted(v float64, text string) Figure {
	return Figure{Text: text, Full: text, Number: &v}
}

// exact is a number that has no interval; a dash where there is none.
func exact(v *float64, u unit.Unit) Figure {
	text := Quantity(v, u)
	return Figure{Text: text, Full: text, Number: v, Unit: u}
}

// figure is an estimate as a cell; a dash for one that the sample cannot bound.
func figure(e *stats.Estimate, u unit.Unit) Figure {
	if e == nil || uncertified(e.Warnings) != "" {
		return word("")
	}
	f := Figure{Text: unit.Format(e.Value, u), Number: &e.Value, Unit: u}
	f.Full = f.Text
	if e.Interval.Bounded() {
		f.Full = unit.FormatInterval(e.Value, e.Interval.Lo, e.Interval.Hi, u)
	}
	return f
}

// headed leaves out the unit, which the head of the column names.
func (f Figure) headed() Figure {
	f.Text = strings.Replace(f.Text, " "+string(f.Unit), "", 1)
	f.Full = strings.Replace(f.Full, " "+string(f.Unit), "", 1)
	return f
}

// In is the table with the columns that have place in a room.
func (h Headline) In(room Room) (fit Headline) {
	for _, c := range h.Columns {
		if c.in&room != 0 {
			fit.Columns = append(fit.Columns, c)
		}
	}
	for _, row := range h.Rows {
		var cells []Figure
		for i, c := range h.Columns {
			if c.in&room != 0 {
				cells = append(cells, row[i])
			}
		}
		fit.Rows = append(fit.Rows, cells)
	}
	return fit
}

// withoutEmpty leaves out the columns in which no row has anything.
func (h Headline) withoutEmpty() Headline {
	for i := len(h.Columns) - 1; i > 0; i-- {
		if slices.ContainsFunc(h.Rows, func(row []Figure) bool { return row[i].Text != "–" }) {
			continue
		}
		h.Columns = slices.Delete(h.Columns, i, i+1)
		for j := range h.Rows {
			h.Rows[j] = slices.Delete(h.Rows[j], i, i+1)
		}
	}
	return h
}

// Block is the table as text in a room: a terminal shows few intervals.
func (h Headline) Block(room Room) (b Block) {
	h = h.In(room)
	for _, c := range h.Columns {
		b.Head = append(b.Head, c.Name)
	}
	for _, row := range h.Rows {
		var cells []string
		for i, f := range row {
			if room != Terminal || h.Columns[i].wide {
				cells = append(cells, f.Full)
			} else {
				cells = append(cells, f.Text)
			}
		}
		b.Rows = append(b.Rows, cells)
	}
	return b
}

// Headlines are the tables that the run is made for, one for each kind of measurement.
func (r Report) Headlines() (list []Headline) {
	points := r.pointTable()
	if r.Plan.AsksOnce() { // how fast it was is no measurement
		points = Headline{}
	}
	for _, h := range []Headline{r.accuracyTable(), points, r.trainingTable(), r.collectivesTable(), r.pairsTable(), r.probesTable()} {
		if len(h.Rows) > 0 {
			list = append(list, h)
		}
	}
	return list
}
