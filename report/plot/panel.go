package plot

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// chart draws one panel into a rectangle: title, keys, axes, data.
func (p *plotPen) chart(c Chart, box vg.Rectangle, margin vg.Length) {
	middle := (box.Min.X + box.Max.X) / 2
	top := box.Max.Y
	for _, line := range p.wrap(c.Title, titleSize, box.Size().X) {
		p.write(line, titleSize, ink, middle, top, -.5, -1)
		top -= titleSize * 1.3 * p.scale
	}
	for _, row := range p.keyRows(c.keys, box.Size().X, tickSize) {
		p.keyRow(row, middle, top-tickSize*.8*p.scale, tickSize)
		top -= tickSize * 1.6 * p.scale
	}
	box.Max.Y = top - 4*p.scale
	if c.Empty != "" {
		p.empty(c.Empty, box)
		return
	}
	data := p.axes(c, box, margin)
	inside := &plotPen{Canvas: draw.Canvas{Canvas: p.Canvas.Canvas, Rectangle: data}, scale: p.scale}
	inside.data(c)
}

// wrap breaks a text that is too wide between its words.
func (p *plotPen) wrap(text string, size, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && p.widthOf(longer, size) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}

// empty says why a panel has nothing to show.
func (p *plotPen) empty(text string, box vg.Rectangle) {
	p.stroke(rule, .8, nil, box.Min, vg.Point{X: box.Max.X, Y: box.Min.Y}, box.Max, vg.Point{X: box.Min.X, Y: box.Max.Y}, box.Min)
	lines := strings.Split(text, "\n")
	y := (box.Min.Y+box.Max.Y)/2 + vg.Length(len(lines)-1)*labelSize*.75*p.scale
	for _, line := range lines {
		p.write(line, labelSize, faint, (box.Min.X+box.Max.X)/2, y, -.5, -.5)
		y -= labelSize * 1.5 * p.scale
	}
}

// margin is the width of the widest number beside the charts of a column, so that
// their axes stand under each other.
func (p *plotPen) margin(charts []Chart, col int) vg.Length {
	var widest vg.Length
	for _, c := range charts {
		if c.Col != col || c.Empty != "" {
			continue
		}
		for _, t := range c.Y.ticks {
			widest = max(widest, p.widthOf(t.text, tickSize))
		}
	}
	return widest
}

// axes draws both axes with their grid and returns the area of the data.
func (p *plotPen) axes(c Chart, box vg.Rectangle, margin vg.Length) vg.Rectangle {
	tick, label := tickSize*p.scale, labelSize*p.scale
	data := vg.Rectangle{
		Min: vg.Point{X: box.Min.X + label*1.5 + margin + 7*p.scale, Y: box.Min.Y + label*1.5 + tick*1.5 + 4*p.scale},
		Max: vg.Point{X: box.Max.X - 10*p.scale, Y: box.Max.Y},
	}
	area := draw.Canvas{Canvas: p.Canvas.Canvas, Rectangle: data}
	p.xTicks(c.X, area)
	p.yTicks(c.Y, area)
	p.stroke(ink, .8, nil, vg.Point{X: data.Min.X, Y: data.Max.Y}, data.Min, vg.Point{X: data.Max.X, Y: data.Min.Y})

	p.fitted(c.X.Label, data.Size().X, func(size vg.Length) {
		p.write(c.X.Label, size, ink, (data.Min.X+data.Max.X)/2, box.Min.Y, -.5, 0)
	})
	p.fitted(c.Y.Label, data.Size().Y, func(size vg.Length) {
		s := p.style(size, ink)
		s.Rotation, s.XAlign, s.YAlign = 1.5707963267948966, -.5, -1
		p.FillText(s, vg.Point{X: box.Min.X, Y: (data.Min.Y + data.Max.Y) / 2}, c.Y.Label)
	})
	return data
}

// fitted writes a label as large as there is room for.
func (p *plotPen) fitted(text string, room vg.Length, write func(size vg.Length)) {
	size := vg.Length(labelSize)
	if w := p.widthOf(text, size); w > room {
		size *= room / w
	}
	write(size)
}

func (p *plotPen) xTicks(a Axis, area draw.Canvas) {
	end := area.Min.X - 100*vg.Inch // of the last text
	for _, t := range a.ticks {
		at := a.place(t.at)
		if at < -1e-9 || at > 1+1e-9 {
			continue
		}
		x := area.X(at)
		if t.text == "" {
			p.stroke(ink, .6, nil, vg.Point{X: x, Y: area.Min.Y}, vg.Point{X: x, Y: area.Min.Y - 2*p.scale})
			continue
		}
		p.stroke(rule, .6, nil, vg.Point{X: x, Y: area.Min.Y}, vg.Point{X: x, Y: area.Max.Y})
		p.stroke(ink, .8, nil, vg.Point{X: x, Y: area.Min.Y}, vg.Point{X: x, Y: area.Min.Y - 3.5*p.scale})
		half := p.widthOf(t.text, tickSize) / 2
		if x-half < end+5*p.scale {
			continue // no room for its text
		}
		end = x + half
		p.write(t.text, tickSize, ink, x, area.Min.Y-5*p.scale, -.5, -1)
	}
}

func (p *plotPen) yTicks(a Axis, area draw.Canvas) {
	for _, t := range a.ticks {
		at := a.place(t.at)
		if at < -1e-9 || at > 1+1e-9 {
			continue
		}
		y := area.Y(at)
		if t.text == "" {
			p.stroke(ink, .6, nil, vg.Point{X: area.Min.X, Y: y}, vg.Point{X: area.Min.X - 2*p.scale, Y: y})
			continue
		}
		p.stroke(rule, .6, nil, vg.Point{X: area.Min.X, Y: y}, vg.Point{X: area.Max.X, Y: y})
		p.stroke(ink, .8, nil, vg.Point{X: area.Min.X, Y: y}, vg.Point{X: area.Min.X - 3.5*p.scale, Y: y})
		p.write(t.text, tickSize, ink, area.Min.X-6*p.scale, y, -1, -.5)
	}
}

// data draws what the chart shows; the pen's canvas is the area of the data.
func (p *plotPen) data(c Chart) {
	for _, s := range c.spans {
		p.span(c, s)
	}
	var taken plotBoxes
	for _, l := range c.Limits {
		p.limit(c, l)
	}
	if c.bars != nil {
		p.bars(c, &taken)
	}
	for _, s := range c.Series {
		if s.interval == "band" {
			p.band(c, s)
		}
	}
	for _, s := range c.Series {
		if s.joined {
			p.join(c, s, &taken)
		}
	}
	for _, s := range c.Series {
		if s.dotted {
			p.marks(c, s, &taken)
		}
	}
	for _, l := range c.Limits {
		p.limitLabel(c, l, &taken)
	}
	for _, s := range c.Series {
		p.labels(c, s, &taken)
	}
}

// span shades a time.
func (p *plotPen) span(c Chart, s plotSpan) {
	from, to := max(0, c.X.place(s.from)), min(1, c.X.place(s.to))
	if to <= from {
		return
	}
	left, right := p.X(from), p.X(to)
	shade := color.NRGBA{0x22, 0x22, 0x22, 28}
	switch {
	case s.steady:
		shade = color.NRGBA{0x00, 0x9e, 0x73, 28}
	case s.label != "":
		shade.A = 0
	}
	if shade.A > 0 {
		p.FillPolygon(shade, []vg.Point{{X: left, Y: p.Min.Y}, {X: right, Y: p.Min.Y}, {X: right, Y: p.Max.Y}, {X: left, Y: p.Max.Y}})
	}
	if s.steady {
		p.stroke(palette[2], 3, nil, vg.Point{X: left, Y: p.Min.Y}, vg.Point{X: right, Y: p.Min.Y})
	}
	if s.label != "" && p.widthOf(s.label, markSize) < (right-left)*1.1 {
		p.write(s.label, markSize, faint, (left+right)/2, p.Max.Y-2*p.scale, -.5, -1)
	}
}

// limit draws an objective across the panel.
func (p *plotPen) limit(c Chart, l Limit) {
	if at := c.Y.place(l.At); at >= 0 && at <= 1 {
		p.stroke(plotAlarm, 1.3, []vg.Length{8, 3, 2, 3}, vg.Point{X: p.Min.X, Y: p.Y(at)}, vg.Point{X: p.Max.X, Y: p.Y(at)})
	}
}

// limitLabel says what the line of an objective is, where nothing is in its way,
// or that it is out of sight.
func (p *plotPen) limitLabel(c Chart, l Limit, taken *plotBoxes) {
	at := c.Y.place(l.At)
	text := l.Label
	switch {
	case at > 1:
		text, at = "↑ "+text, 1
	case at < 0:
		text, at = "↓ "+text, 0
	}
	size := vg.Point{X: p.widthOf(text, markSize), Y: markSize * 1.25 * p.scale}
	pad := 3 * p.scale
	var first, best *vg.Rectangle
	for _, above := range []bool{true, false} {
		for _, share := range []vg.Length{1, 0, .5, .25, .75} {
			corner := vg.Point{X: p.Min.X + pad + (p.Size().X-2*pad-size.X)*share, Y: p.Y(at) + 1.5*p.scale}
			if !above {
				corner.Y = p.Y(at) - size.Y - 1.5*p.scale
			}
			box := vg.Rectangle{Min: corner, Max: corner.Add(size)}
			if box.Min.Y < p.Min.Y || box.Max.Y > p.Max.Y {
				continue
			}
			if first == nil {
				first = &box
			}
			if best == nil && taken.free(box) {
				best = &box
			}
		}
	}
	if best == nil {
		best = first
	}
	if best == nil {
		return // a panel lower than a line of text
	}
	p.write(text, markSize, plotAlarm, best.Min.X, best.Min.Y, 0, 0)
	taken.add(*best)
}
