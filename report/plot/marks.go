package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// plotBoxes are the places on a panel where something stands already.
type plotBoxes []vg.Rectangle

func (b *plotBoxes) add(r vg.Rectangle) { *b = append(*b, r) }

func (b plotBoxes) free(r vg.Rectangle) bool {
	for _, o := range b {
		if r.Min.X < o.Max.X && o.Min.X < r.Max.X && r.Min.Y < o.Max.Y && o.Min.Y < r.Max.Y {
			return false
		}
	}
	return true
}

func (p *plotPen) at(c Chart, x, y float64) vg.Point {
	return vg.Point{X: p.X(c.X.place(x)), Y: p.Y(c.Y.place(y))}
}

// runs are the pieces of a line between its breaks, as points of the page.
func (p *plotPen) runs(c Chart, s Series, y func(Mark) float64) [][]vg.Point {
	var runs [][]vg.Point
	var last vg.Point
	for _, m := range s.Marks {
		v := y(m)
		if math.IsNaN(v) || math.IsInf(v, 0) || c.Y.Log && v <= 0 {
			continue
		}
		here := p.at(c, m.X.Value, v)
		if len(runs) == 0 || m.after {
			runs = append(runs, nil)
		} else if s.steps {
			runs[len(runs)-1] = append(runs[len(runs)-1], vg.Point{X: here.X, Y: last.Y})
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], here)
		last = here
	}
	return runs
}

// join draws the line through the marks.
func (p *plotPen) join(c Chart, s Series, taken *plotBoxes) {
	for _, run := range p.runs(c, s, func(m Mark) float64 { return m.Y.Value }) {
		if len(run) < 2 {
			continue
		}
		for _, line := range p.ClipLinesXY(run) {
			p.stroke(s.look.color, 1.6, s.look.dashes, line...)
		}
		if s.dotted {
			p.fence(run, taken)
		}
	}
}

// fence keeps labels off a line.
func (p *plotPen) fence(run []vg.Point, taken *plotBoxes) {
	step := float64(3 * p.scale)
	for i, to := range run[1:] {
		from := run[i]
		n := int(math.Hypot(float64(to.X-from.X), float64(to.Y-from.Y))/step) + 1
		for k := range n {
			share := vg.Length(float64(k) / float64(n))
			x, y := from.X+(to.X-from.X)*share, from.Y+(to.Y-from.Y)*share
			taken.add(vg.Rectangle{Min: vg.Point{X: x - .5, Y: y - .5}, Max: vg.Point{X: x + .5, Y: y + .5}})
		}
	}
}

// band shades the interval around a line where it is bounded.
func (p *plotPen) band(c Chart, s Series) {
	bounded := s
	bounded.Marks = nil
	for _, m := range s.Marks {
		if m.Y.Interval.Bounded() {
			bounded.Marks = append(bounded.Marks, m)
		}
	}
	upper := p.runs(c, bounded, func(m Mark) float64 { return m.Y.Interval.Hi })
	lower := p.runs(c, bounded, func(m Mark) float64 { return m.Y.Interval.Lo })
	if len(upper) != len(lower) {
		return // a logarithmic axis has lost an end at zero
	}
	for i, over := range upper {
		ring := over
		for k := len(lower[i]) - 1; k >= 0; k-- {
			ring = append(ring, lower[i][k])
		}
		p.FillPolygon(fade(s.look.color, .16), p.ClipPolygonXY(ring))
	}
}

// marks draws the values of a line with the bars of their intervals.
func (p *plotPen) marks(c Chart, s Series, taken *plotBoxes) {
	radius := 3.6 * p.scale
	for _, m := range s.Marks {
		if c.Y.Log && m.Y.Value <= 0 || c.X.Log && m.X.Value <= 0 {
			continue
		}
		at := p.at(c, m.X.Value, m.Y.Value)
		if !p.near(at) {
			continue
		}
		if s.interval == "bars" {
			p.whisker(c, m, s.look, true, taken)
			p.whisker(c, m, s.look, false, taken)
		}
		drawMark(&p.Canvas, s.look, at, radius, !m.Y.Interval.Bounded())
		taken.add(vg.Rectangle{Min: vg.Point{X: at.X - radius, Y: at.Y - radius}, Max: vg.Point{X: at.X + radius, Y: at.Y + radius}})
	}
}

// near says that a point is on the panel, give or take what rounding does.
func (p *plotPen) near(at vg.Point) bool {
	return at.X >= p.Min.X-.01 && at.X <= p.Max.X+.01 && at.Y >= p.Min.Y-.01 && at.Y <= p.Max.Y+.01
}

// whisker draws the interval of one axis at a mark. An end beyond the panel is an
// arrow. One that is bounded on one side only says too little: a time is never
// below zero, whatever was measured.
func (p *plotPen) whisker(c Chart, m Mark, look plotLook, upright bool, taken *plotBoxes) {
	v, axis := m.Y, c.Y
	if !upright {
		v, axis = m.X, c.X
	}
	if !v.Interval.Bounded() {
		return
	}
	at := p.at(c, m.X.Value, m.Y.Value)
	for _, end := range []float64{v.Interval.Lo, v.Interval.Hi} {
		if end == v.Value {
			continue
		}
		place := axis.place(end)
		if axis.Log && end <= 0 {
			place = -1
		}
		cut := place < 0 || place > 1
		place = max(0, min(1, place))
		to, side := vg.Point{X: at.X, Y: p.Y(place)}, vg.Point{X: 3 * p.scale}
		back := vg.Point{Y: 4 * p.scale}
		if !upright {
			to, side, back = vg.Point{X: p.X(place), Y: at.Y}, vg.Point{Y: 3 * p.scale}, vg.Point{X: 4 * p.scale}
		}
		if end > v.Value {
			back = vg.Point{X: -back.X, Y: -back.Y}
		}
		shade := fade(look.color, .75)
		p.stroke(shade, 1, nil, at, to)
		taken.add(vg.Rectangle{Min: vg.Point{X: min(at.X, to.X) - side.X, Y: min(at.Y, to.Y) - side.Y}, Max: vg.Point{X: max(at.X, to.X) + side.X, Y: max(at.Y, to.Y) + side.Y}})
		if cut {
			p.stroke(shade, 1, nil, to.Add(back).Add(side), to, to.Add(back).Sub(side))
		} else {
			p.stroke(shade, 1, nil, to.Add(side), to.Sub(side))
		}
	}
}

// labels writes the level beside each mark where there is room; where there is
// none the level is left to the neighbours, which have theirs.
func (p *plotPen) labels(c Chart, s Series, taken *plotBoxes) {
	for _, m := range s.Marks {
		if m.Label == "" {
			continue
		}
		at := p.at(c, m.X.Value, m.Y.Value)
		width, height := p.widthOf(m.Label, markSize), markSize*.95*p.scale
		away := 6 * p.scale
		for _, d := range [][2]vg.Length{{0, 1}, {1, 1}, {-1, 1}, {1, 0}, {-1, 0}, {0, -1}, {1, -1}, {-1, -1}} {
			middle := vg.Point{X: at.X + d[0]*(width/2+away), Y: at.Y + d[1]*(height/2+away)}
			box := vg.Rectangle{Min: vg.Point{X: middle.X - width/2, Y: middle.Y - height/2}, Max: vg.Point{X: middle.X + width/2, Y: middle.Y + height/2}}
			inside := box.Min.X >= p.Min.X && box.Max.X <= p.Max.X && box.Min.Y >= p.Min.Y && box.Max.Y <= p.Max.Y
			if !inside || !taken.free(box) {
				continue
			}
			p.write(m.Label, markSize, s.look.color, middle.X, middle.Y+.12*height, -.5, -.5)
			taken.add(box)
			break
		}
	}
}

// bars draws stacks side by side, each under the mark of its group.
func (p *plotPen) bars(c Chart, taken *plotBoxes) {
	slot := p.Size().X / vg.Length(len(c.bars.places))
	width := min(slot*.84/vg.Length(c.bars.groups), 40*p.scale)
	for _, b := range c.bars.bars {
		left := p.X(c.X.place(float64(b.place))) + width*(vg.Length(b.group)-vg.Length(c.bars.groups)/2) + width*.08
		right := left + width*.84
		floor := 0.0
		for _, part := range b.parts {
			box := vg.Rectangle{Min: vg.Point{X: left, Y: p.Y(c.Y.place(floor))}, Max: vg.Point{X: right, Y: p.Y(min(1, c.Y.place(floor+part.value)))}}
			fill := b.look.color
			if part.kind > 0 {
				fill = palette[(part.kind-1)%len(palette)]
			}
			p.part(box, part.kind, fill)
			floor += part.value
		}
		middle := (left + right) / 2
		at := vg.Point{X: middle, Y: p.Y(c.Y.place(b.total.Value))}
		p.barWhisker(c, b.total, middle)
		taken.add(vg.Rectangle{Min: vg.Point{X: left, Y: p.Min.Y}, Max: vg.Point{X: right, Y: at.Y}})
		if c.bars.groups > 1 {
			drawMark(&p.Canvas, b.look, at, 3*p.scale, !b.total.Interval.Bounded())
		}
	}
}

// barWhisker draws the interval of a bar's whole height.
func (p *plotPen) barWhisker(c Chart, v Value, x vg.Length) {
	for _, end := range []float64{v.Interval.Lo, v.Interval.Hi} {
		if end == v.Value || !v.Interval.Bounded() {
			continue
		}
		y, wide, back := p.Y(max(0, min(1, c.Y.place(end)))), 3*p.scale, vg.Length(0)
		if c.Y.place(end) > 1 {
			back = 4 * p.scale // an arrow: it goes on
		}
		p.stroke(ink, .9, nil, vg.Point{X: x, Y: p.Y(c.Y.place(v.Value))}, vg.Point{X: x, Y: y})
		p.stroke(ink, .9, nil, vg.Point{X: x - wide, Y: y - back}, vg.Point{X: x, Y: y}, vg.Point{X: x + wide, Y: y - back})
	}
}

// hatches are the directions of the lines that tell kinds apart without
// colour, as steps right and up; the empty one is plain.
var hatches = [][][2]vg.Length{
	{{1, 1}}, {{1, -1}}, {{1, 0}}, {{0, 1}}, {{1, 1}, {1, -1}}, {{1, 0}, {0, 1}}, {{1, 2}}, {},
}

// part draws one piece of a stack.
func (p *plotPen) part(box vg.Rectangle, kind int, shade color.Color) {
	p.FillPolygon(fade(shade, .45), []vg.Point{box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max, {X: box.Min.X, Y: box.Max.Y}})
	inner := draw.Canvas{Canvas: p.Canvas.Canvas, Rectangle: box}
	if kind > 0 {
		for _, d := range hatches[(kind-1)%len(hatches)] {
			p.hatch(inner, d, shade)
		}
	}
	p.stroke(shade, 1, nil, box.Min, vg.Point{X: box.Max.X, Y: box.Min.Y}, box.Max, vg.Point{X: box.Min.X, Y: box.Max.Y}, box.Min)
}

// hatch draws parallel lines over a box.
func (p *plotPen) hatch(box draw.Canvas, d [2]vg.Length, shade color.Color) {
	const gap = 5
	long := box.Size().X + box.Size().Y
	length := vg.Length(math.Hypot(float64(d[0]), float64(d[1])))
	along := vg.Point{X: d[0] / length * long * 2, Y: d[1] / length * long * 2}
	across := vg.Point{X: -d[1] / length * gap * p.scale, Y: d[0] / length * gap * p.scale}
	n := int(long/(gap*p.scale)) + 1
	for k := -n; k <= n; k++ {
		at := vg.Point{X: box.Center().X + across.X*vg.Length(k), Y: box.Center().Y + across.Y*vg.Length(k)}
		for _, line := range box.ClipLinesXY([]vg.Point{at.Sub(along), at.Add(along)}) {
			p.stroke(shade, .7, nil, line...)
		}
	}
}
