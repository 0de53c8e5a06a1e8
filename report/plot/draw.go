package plot

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats are the formats that plots are drawn in.
var Formats = []string{"svg", "png", "pdf"}

// dpi is the sharpness of a PNG: a panel of eight inches is 960 pixels wide.
const dpi = 120

// Draw draws all charts of the figure, with the legend below them.
func (f Figure) Draw(w io.Writer, format string) error {
	return drawPlot(w, format, f.File, f.Width, f.Height, func(c draw.Canvas) { f.paint(c, f.Charts, f.Rows, f.Cols) })
}

// DrawChart draws chart number i alone.
func (f Figure) DrawChart(w io.Writer, i int, format string) error {
	c := f.Charts[i]
	width, height := f.Width/float64(f.Cols), f.Height/float64(f.Rows)
	c.Row, c.Col = 0, 0
	return drawPlot(w, format, c.Title, width, height+.8, func(canvas draw.Canvas) { f.paint(canvas, []Chart{c}, 1, 1) })
}

func drawPlot(w io.Writer, format, title string, width, height float64, paint func(draw.Canvas)) error {
	x, y := vg.Length(width)*vg.Inch, vg.Length(height)*vg.Inch
	switch format {
	case "svg":
		canvas := vgsvg.New(x, y)
		paint(draw.New(canvas))
		return writeSVG(w, canvas, title)
	case "png":
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(x, y), vgimg.UseDPI(dpi))}
		paint(draw.New(canvas))
		_, err := canvas.WriteTo(w)
		return err
	case "pdf":
		canvas := vgpdf.New(x, y)
		paint(draw.New(canvas))
		return writePDF(w, canvas)
	}
	return fmt.Errorf("--format %q: want %s", format, strings.Join(Formats, ", "))
}

var pdfDate = regexp.MustCompile(`Date \(D:\d{14}\)`)

// writePDF takes the time of drawing out of the file, so that the same bundle gives
// the same bytes. The length stays: the file refers to places in itself.
func writePDF(w io.Writer, canvas *vgpdf.Canvas) error {
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(pdfDate.ReplaceAll(b.Bytes(), []byte("Date (D:19700101000000)")))
	return err
}

// writeSVG adds what the library leaves out: a title for those who cannot see the
// picture, and other fonts of the same widths for those who have not this one.
func writeSVG(w io.Writer, canvas *vgsvg.Canvas, title string) error {
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	data := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	head := []byte(`xmlns:xlink="http://www.w3.org/1999/xlink">`)
	data = bytes.Replace(data, head, slices.Concat(head, []byte("\n<title>"+html.EscapeString(title)+"</title>")), 1)
	_, err := w.Write(data)
	return err
}

// A plotPen draws on a canvas at a scale: small panels have small letters.
//
// It uses gonum's canvas and not its plotters. Those draw through a plot.Plot, whose
// logarithmic axis panics on a zero, and do not say where they drew, which labels must
// know to stay off it. YErrorBars does not show that an interval goes on beyond the panel,
// and BarChart has one plain fill, where kinds of failure differ in their hatching too.
type plotPen struct {
	draw.Canvas
	scale vg.Length
}

func (p *plotPen) style(size vg.Length, c color.Color) draw.TextStyle {
	return textStyle(size*p.scale, c)
}

// write puts text at a place which is its left (0), middle (−0.5) or right (−1),
// and its bottom (0), middle (−0.5) or top (−1).
func (p *plotPen) write(text string, size vg.Length, c color.Color, x, y vg.Length, horizontal, vertical float64) {
	s := p.style(size, c)
	s.XAlign, s.YAlign = draw.XAlignment(horizontal), draw.YAlignment(vertical)
	p.FillText(s, vg.Point{X: x, Y: y}, text)
}

func (p *plotPen) widthOf(text string, size vg.Length) vg.Length {
	return p.style(size, ink).Width(text)
}

func (p *plotPen) stroke(c color.Color, width vg.Length, dashes []vg.Length, points ...vg.Point) {
	scaled := make([]vg.Length, len(dashes))
	for i, d := range dashes {
		scaled[i] = d * p.scale
	}
	p.StrokeLines(draw.LineStyle{Color: c, Width: width * p.scale, Dashes: scaled}, points)
}

// paint lays charts, legend and notes out on the page.
func (f Figure) paint(canvas draw.Canvas, charts []Chart, rows, cols int) {
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
	size := canvas.Size()
	panel := vg.Point{X: size.X / vg.Length(cols), Y: size.Y / vg.Length(rows)}
	scale := min(panel.X/(5.6*vg.Inch), panel.Y/(4.4*vg.Inch))
	pen := &plotPen{Canvas: canvas, scale: max(.75, min(1.5, scale))}
	edge := 10 * pen.scale
	bottom := canvas.Min.Y + edge
	bottom = pen.notes(f, bottom, edge)
	bottom = pen.legend(f.keys, bottom, canvas.Min.X+edge, canvas.Max.X-edge, labelSize) + 4*pen.scale
	top := pen.headline(f.NotVerified, canvas.Max.Y-edge, edge)
	width, height := (size.X-2*edge)/vg.Length(cols), (top-bottom)/vg.Length(rows)
	for _, c := range charts {
		left := canvas.Min.X + edge + width*vg.Length(c.Col)
		ceiling := top - height*vg.Length(c.Row)
		gap := 8 * pen.scale
		pen.chart(c, vg.Rectangle{Min: vg.Point{X: left + gap, Y: ceiling - height + gap}, Max: vg.Point{X: left + width - gap, Y: ceiling - gap/2}}, pen.margin(charts, c.Col))
	}
}

// headline writes what must be read first downward from top and returns where it ends.
func (p *plotPen) headline(text string, top, edge vg.Length) vg.Length {
	if text == "" {
		return top
	}
	size := vg.Length(labelSize)
	if w := p.widthOf(text, size); w > p.Size().X-2*edge {
		size *= (p.Size().X - 2*edge) / w
	}
	p.write(text, size, plotAlarm, p.Min.X+edge, top, 0, -1)
	return top - labelSize*1.6*p.scale
}

// notes writes the small print upward from bottom and returns where it ends.
func (p *plotPen) notes(f Figure, bottom, edge vg.Length) vg.Length {
	line := noteSize * 1.35 * p.scale
	y := bottom
	for _, note := range slices.Backward(f.Notes) {
		size := vg.Length(noteSize)
		if w := p.widthOf(note, size); w > p.Size().X-2*edge {
			size *= (p.Size().X - 2*edge) / w
		}
		p.write(note, size, faint, p.Min.X+edge, y, 0, 0)
		y += line
	}
	if f.alarm != "" {
		p.write(f.alarm, labelSize, plotAlarm, p.Min.X+edge, y, 0, 0)
		y += labelSize * 1.4 * p.scale
	}
	return y
}

// legend writes keys in centred rows upward from bottom and returns where they end.
func (p *plotPen) legend(keys []plotKey, bottom, left, right vg.Length, size vg.Length) vg.Length {
	rows := p.keyRows(keys, right-left, size)
	y := bottom
	for _, row := range slices.Backward(rows) {
		y += size * 1.7 * p.scale
		p.keyRow(row, (left+right)/2, y-size*.85*p.scale, size)
	}
	return y
}

// keyRows breaks keys into rows that fit.
func (p *plotPen) keyRows(keys []plotKey, width, size vg.Length) [][]plotKey {
	var rows [][]plotKey
	var used vg.Length
	for _, k := range keys {
		w := p.keyWidth(k, size)
		if len(rows) == 0 || used+w > width {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		used += w
	}
	return rows
}

// keySample is the length of the piece of line in a key.
const keySample = 26

func (p *plotPen) keyWidth(k plotKey, size vg.Length) vg.Length {
	width := 20*p.scale + p.widthOf(k.label, size)
	if !k.plain {
		width += keySample * p.scale
	}
	return width
}

func (p *plotPen) keyRow(row []plotKey, middle, y, size vg.Length) {
	var width vg.Length
	for _, k := range row {
		width += p.keyWidth(k, size)
	}
	x := middle - width/2 + 7*p.scale
	for _, k := range row {
		end := x + keySample*p.scale
		if k.plain {
			end = x
		} else if k.hatch > 0 {
			box := vg.Rectangle{Min: vg.Point{X: x + 6*p.scale, Y: y - 5*p.scale}, Max: vg.Point{X: end, Y: y + 5*p.scale}}
			p.part(box, k.hatch, k.look.color)
		} else {
			p.stroke(k.look.color, 1.6, k.look.dashes, vg.Point{X: x, Y: y}, vg.Point{X: end, Y: y})
			if k.dotted {
				drawMark(&p.Canvas, k.look, vg.Point{X: (x + end) / 2, Y: y}, 3.4*p.scale, false)
			}
		}
		p.write(k.label, size, ink, end+5*p.scale, y, 0, -.5)
		x += p.keyWidth(k, size)
	}
}
