package workbook

import (
	"fmt"
	"math"
	"strings"

	"github.com/xuri/excelize/v2"

	"assay/unit"
)

// A workbook is a spreadsheet while it is filled. The first error stays, and is
// told at the end.
type workbook struct {
	file    *excelize.File
	options Options
	time    bookTimeUnit
	styles  map[cellLook]int
	taken   map[string]bool // names of sheets, in small letters
	drawn   int             // charts so far
	err     error
}

// A cellQuantity is a number with its unit: times follow the chosen unit.
type cellQuantity struct {
	value float64
	unit  unit.Unit
}

// A cellLook is how a cell is shown.
type cellLook struct {
	format string // of numbers; empty for the default
	bold   bool
	head   bool // of a table
	title  bool
	wrap   bool
	align  string // left or right; empty for texts to the left and numbers to the right
}

func newWorkbook(o Options) *workbook {
	t, _ := bookTimeUnitOf(o.TimeUnit)
	return &workbook{file: excelize.NewFile(), options: o, time: t, styles: map[cellLook]int{}, taken: map[string]bool{}}
}

func (b *workbook) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

// style is the number of a look in the workbook.
func (b *workbook) style(l cellLook) int {
	if id, ok := b.styles[l]; ok {
		return id
	}
	s := excelize.Style{Font: &excelize.Font{Bold: l.bold || l.head || l.title, Size: 11, Family: "Calibri"}}
	s.Alignment = &excelize.Alignment{Vertical: "top", Horizontal: l.align, WrapText: l.wrap || l.head}
	switch {
	case l.head:
		s.Font.Color = "FFFFFF"
		s.Fill = excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"2F4858"}}
		s.Alignment.Vertical = "center"
	case l.title:
		s.Font.Size = 14
	}
	if l.format != "" {
		s.CustomNumFmt = &l.format
	}
	id, err := b.file.NewStyle(&s)
	b.keep(err)
	b.styles[l] = id
	return id
}

// unitName is a unit as heads of columns write it.
func (b *workbook) unitName(u unit.Unit) string {
	if u == unit.Second {
		return b.time.name
	}
	return string(u)
}

// head is the name of a column with its unit.
func (b *workbook) head(name string, u unit.Unit) string {
	return fmt.Sprintf("%s (%s)", name, b.unitName(u))
}

// scaled is v in the unit that cells are in. The default leaves every bit as the
// JSON report has it.
func (b *workbook) scaled(v float64, u unit.Unit) float64 {
	if u == unit.Second && b.time.factor != 1 {
		return v * b.time.factor
	}
	return v
}

// format is how a number of a unit is shown; the cell holds all digits.
func (b *workbook) format(v float64, u unit.Unit) string {
	form := "#,##0.00"
	switch u {
	case unit.Second:
		form = b.time.format
		if scaled := math.Abs(b.scaled(v, u)); scaled > 0 && scaled < b.time.least {
			return "0.00E+00" // digits would be lost to sight
		}
	case unit.Dollar, unit.Joule, unit.Gram, unit.Ratio:
		form = "0.000000"
	case unit.Share:
		form = "0.00%"
	case unit.Byte:
		form = "#,##0"
	case unit.BytePerSecond, unit.FLOPPerSecond:
		form = "##0.00E+0" // in thousands: 21.07E+9
	}
	if form == "0.000000" && v != 0 && math.Abs(v) < 5e-4 {
		return "0.00E+00"
	}
	return form
}

// A bookSheet is one page of a workbook, filled from the top.
type bookSheet struct {
	book *workbook
	name string
	row  int // the last one that is filled
	head int // row of the table's head; 0 when there is none
	wide int // columns of the table
}

// sheet adds a page with a name that is as near to the wish as spreadsheets allow.
func (b *workbook) sheet(wish string) *bookSheet {
	name := bookSheetName(wish, b.taken)
	b.taken[strings.ToLower(name)] = true
	if len(b.taken) == 1 {
		b.keep(b.file.SetSheetName("Sheet1", name)) // a new file has one already
	} else {
		_, err := b.file.NewSheet(name)
		b.keep(err)
	}
	s := &bookSheet{book: b, name: name}
	s.pages(1)
	return s
}

// pages is over how many pages beside each other the sheet is printed.
func (s *bookSheet) pages(wide int) {
	landscape, paper, high := "landscape", 9, 0 // A4, as many below each other as it takes
	s.book.keep(s.book.file.SetPageLayout(s.name, &excelize.PageLayoutOptions{Size: &paper, Orientation: &landscape, FitToWidth: &wide, FitToHeight: &high}))
	narrow := 0.4 // inches
	s.book.keep(s.book.file.SetPageMargins(s.name, &excelize.PageLayoutMarginsOptions{Left: &narrow, Right: &narrow, Top: &narrow, Bottom: &narrow}))
}

// set fills one cell. Texts are strings whatever they begin with, never formulas;
// nil and what is not finite leave the cell empty.
func (s *bookSheet) set(column, row int, value any, l cellLook) {
	b := s.book
	at, err := excelize.CoordinatesToCellName(column, row)
	b.keep(err)
	switch v := value.(type) {
	case nil:
	case string:
		b.keep(b.file.SetCellStr(s.name, at, v))
	case float64:
		if !cellFinite(v) {
			return
		}
		b.keep(b.file.SetCellFloat(s.name, at, v, -1, 64))
	case int:
		b.keep(b.file.SetCellInt(s.name, at, int64(v)))
	case cellQuantity:
		if !cellFinite(v.value) {
			return
		}
		l.format = b.format(v.value, v.unit)
		b.keep(b.file.SetCellFloat(s.name, at, b.scaled(v.value, v.unit), -1, 64))
	default:
		b.keep(fmt.Errorf("a cell cannot hold %T", value))
	}
	if l != (cellLook{}) {
		b.keep(b.file.SetCellStyle(s.name, at, at, b.style(l)))
	}
}

func cellFinite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }

// line writes a text of its own in the first column.
func (s *bookSheet) line(text string, l cellLook) {
	s.row++
	s.set(1, s.row, text, l)
}

// fact writes a name and what it is, which may be long: it runs over the columns up
// to the given one, which have room for so many characters.
func (s *bookSheet) fact(name, text string, to int, room float64) {
	s.across(2, text, cellLook{wrap: true}, to, room)
	s.set(1, s.row, name, cellLook{bold: true})
}

// across writes a text that runs over columns, in a new row.
func (s *bookSheet) across(from int, text string, l cellLook, to int, room float64) {
	s.row++
	l.wrap = true
	s.set(from, s.row, text, l)
	if to > from {
		first, err := excelize.CoordinatesToCellName(from, s.row)
		s.book.keep(err)
		last, err := excelize.CoordinatesToCellName(to, s.row)
		s.book.keep(err)
		s.book.keep(s.book.file.MergeCell(s.name, first, last))
	}
	if l.title {
		room *= .7 // its letters are larger
	}
	// Merged cells do not grow by themselves.
	lines := math.Ceil(float64(len([]rune(text))) / room)
	if lines > 1 || l.title {
		s.height(lines * s.lineHeight(l))
	}
}

// lineHeight is how many plain lines a line of a look takes.
func (s *bookSheet) lineHeight(l cellLook) float64 {
	if l.title {
		return 1.3
	}
	return 1
}

// height makes the last row as high as so many lines.
func (s *bookSheet) height(lines float64) {
	s.book.keep(s.book.file.SetRowHeight(s.name, s.row, min(409, 15*lines)))
}

// columns sets the widths of the first columns, in characters.
func (s *bookSheet) columns(widths []float64) {
	for i, width := range widths {
		name, err := excelize.ColumnNumberToName(i + 1)
		s.book.keep(err)
		s.book.keep(s.book.file.SetColWidth(s.name, name, name, width))
	}
}

// A bookColumn is a column of a table.
type bookColumn struct {
	head  string
	width float64 // in characters; 0 means 12
}

// table begins a table below what is there.
func (s *bookSheet) table(columns []bookColumn) {
	var heads []string
	var widths []float64
	for _, c := range columns {
		if c.width == 0 {
			c.width = 12
		}
		heads, widths = append(heads, c.head), append(widths, c.width)
	}
	s.columns(widths)
	s.heads(heads)
}

// heads begins a table in columns as wide as they are.
func (s *bookSheet) heads(names []string) {
	s.row++
	s.head, s.wide = s.row, len(names)
	for i, name := range names {
		s.set(i+1, s.row, name, cellLook{head: true})
	}
	s.height(3)
}

// add writes one row of a table.
func (s *bookSheet) add(cells ...any) { s.addLook(cellLook{}, cells...) }

func (s *bookSheet) addLook(l cellLook, cells ...any) {
	s.row++
	for i, c := range cells {
		s.set(i+1, s.row, c, l)
	}
}

// filter puts buttons on the heads of the table.
func (s *bookSheet) filter() {
	last, err := excelize.CoordinatesToCellName(s.wide, max(s.row, s.head))
	s.book.keep(err)
	s.book.keep(s.book.file.AutoFilter(s.name, fmt.Sprintf("A%d:%s", s.head, last), nil))
	fit := true // as wide as a page; set after the filter, which would unset it
	s.book.keep(s.book.file.SetSheetProps(s.name, &excelize.SheetPropsOptions{FitToPage: &fit}))
}

// freeze keeps the head of the table and its first columns in sight.
func (s *bookSheet) freeze(columns int) {
	corner, err := excelize.CoordinatesToCellName(columns+1, s.head+1)
	s.book.keep(err)
	pane := "bottomLeft"
	if columns > 0 {
		pane = "bottomRight"
	}
	s.book.keep(s.book.file.SetPanes(s.name, &excelize.Panes{
		Freeze: true, XSplit: columns, YSplit: s.head, TopLeftCell: corner, ActivePane: pane,
	}))
	// Printed pages repeat the head.
	s.book.keep(s.book.file.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm.Print_Titles", RefersTo: fmt.Sprintf("%s!$%d:$%d", sheetQuoted(s.name), s.head, s.head), Scope: s.name,
	}))
}

// printed bounds what is printed to columns up to the given one.
func (s *bookSheet) printed(column int) {
	name, err := excelize.ColumnNumberToName(column)
	s.book.keep(err)
	s.book.keep(s.book.file.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm.Print_Area", RefersTo: fmt.Sprintf("%s!$A$1:$%s$%d", sheetQuoted(s.name), name, max(s.row, 2+2*chartRows)), Scope: s.name,
	}))
}

// sheetQuoted is the name of a sheet as references write it.
func sheetQuoted(name string) string { return "'" + strings.ReplaceAll(name, "'", "''") + "'" }
