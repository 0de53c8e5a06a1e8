package plot

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette is that of Okabe and Ito (2008), which people with any kind of
// colour vision can tell apart, without its yellow: nobody sees that on white.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 255}, // blue
	{0xd5, 0x5e, 0x00, 255}, // vermilion
	{0x00, 0x9e, 0x73, 255}, // bluish green
	{0xcc, 0x79, 0xa7, 255}, // reddish purple
	{0xe6, 0x9f, 0x00, 255}, // orange
	{0x56, 0xb4, 0xe9, 255}, // sky blue
	{0x33, 0x33, 0x33, 255}, // near black
}

// colorNames are the plain names of colours, and matplotlib's letters for
// them, as places in the palette: a layout that asks for red and green gets two
// that everybody can tell apart.
var colorNames = map[string]int{
	"blue": 0, "b": 0, "red": 1, "r": 1, "green": 2, "g": 2, "purple": 3, "magenta": 3, "m": 3,
	"orange": 4, "cyan": 5, "c": 5, "black": 6, "k": 6,
}

var (
	ink       = color.NRGBA{0x22, 0x22, 0x22, 255}
	faint     = color.NRGBA{0x66, 0x66, 0x66, 255}
	rule      = color.NRGBA{0xdd, 0xdd, 0xdd, 255}
	plotAlarm = color.NRGBA{0xb0, 0x20, 0x20, 255}
)

// colorOf reads a colour of a layout; nil for none.
func colorOf(name string) (color.Color, error) {
	short := strings.TrimPrefix(strings.ToLower(name), "tab:")
	if short == "" {
		return nil, nil
	}
	if i, ok := colorNames[short]; ok {
		return palette[i], nil
	}
	if len(short) == 2 && short[0] == 'c' && short[1] >= '0' && short[1] <= '9' { // matplotlib's cycle
		return palette[int(short[1]-'0')%len(palette)], nil
	}
	if c, ok := colornames.Map[short]; ok {
		return c, nil
	}
	if v, err := strconv.ParseUint(strings.TrimPrefix(short, "#"), 16, 32); err == nil && len(short) == 7 && short[0] == '#' {
		return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}, nil
	}
	return nil, fmt.Errorf("color %q: want a name such as blue, or #RRGGBB", name)
}

// fade is c, as thin as share.
func fade(c color.Color, share float64) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = uint8(float64(n.A) * share)
	return n
}

// plotDashes are patterns of lines, the whole one first.
var plotDashes = [][]vg.Length{nil, {6, 3}, {6, 2, 1.5, 2}, {1.5, 2}, {10, 3}}

// A plotLook is how one line is told from others: by colour, by the shape of its
// marks and by its dashes.
type plotLook struct {
	color  color.Color
	shape  int
	dashes []vg.Length
}

// lookOf is the look of line number i; the cycles of colour, shape and dashes have
// no common length, so that 210 lines differ.
func lookOf(i int) plotLook {
	return plotLook{palette[i%len(palette)], i % shapes, plotDashes[i%len(plotDashes)]}
}

// font sizes, in points, at the natural size of a figure.
const (
	titleSize = 13
	labelSize = 11
	tickSize  = 10
	markSize  = 8.5
	noteSize  = 8.5
)

func textStyle(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: draw.XCenter, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler,
	}
}

// shapes is the number of shapes that drawMark knows.
const shapes = 6

// drawMark draws the mark of a look: filled where the value has an interval,
// hollow where it has none.
func drawMark(c *draw.Canvas, look plotLook, at vg.Point, radius vg.Length, hollow bool) {
	path := markPath(look.shape, at, radius)
	if hollow {
		c.SetColor(color.White)
	} else {
		c.SetColor(look.color)
	}
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: look.color, Width: 1.2})
	c.Stroke(path)
}

// markPath is a circle, square, triangle, diamond, triangle upside down or
// hexagon.
func markPath(shape int, at vg.Point, r vg.Length) vg.Path {
	var path vg.Path
	if shape == 0 {
		path.Move(vg.Point{X: at.X + r, Y: at.Y})
		path.Arc(at, r, 0, 2*math.Pi)
		path.Close()
		return path
	}
	// Corners and the direction of the first, with a size that looks equal.
	sides, turn, scale := 4, math.Pi/4, 1.25
	switch shape {
	case 2:
		sides, turn, scale = 3, math.Pi/2, 1.35
	case 3:
		sides, turn, scale = 4, 0, 1.3
	case 4:
		sides, turn, scale = 3, -math.Pi/2, 1.35
	case 5:
		sides, turn, scale = 6, 0, 1.15
	}
	for i := range sides {
		sin, cos := math.Sincos(turn + 2*math.Pi*float64(i)/float64(sides))
		p := vg.Point{X: at.X + r*vg.Length(scale*cos), Y: at.Y + r*vg.Length(scale*sin)}
		if i == 0 {
			path.Move(p)
		} else {
			path.Line(p)
		}
	}
	path.Close()
	return path
}
