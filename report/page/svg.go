package page

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// drawing is a chart as it stands without JavaScript: curves, scatters and forest plots,
// with marks, whiskers, limits and a legend, and no interaction. html/draw.js draws
// the same with it.
func drawing(c chart) template.HTML {
	s := sketch{chart: c, width: 560, height: 300, left: 58, right: 546, top: 14, bottom: 254}
	if c.Kind == forestChart {
		s.height = float64(76 + 26*len(c.Rows))
		s.bottom = s.height - 46
		s.left = min(280, 20+6.4*float64(longest(c.Rows)))
	}
	s.scale()
	if c.Kind != forestChart {
		var ticks []string
		for _, v := range roundValues(s.yLo, s.yHi, 6) {
			ticks = append(ticks, roundText(v))
		}
		s.left = max(s.left, 28+6.6*float64(longest(ticks))) // right of the longest
	}
	s.axes()
	s.limits()
	for _, one := range c.Series {
		s.series(one)
	}
	s.legend()
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %g %g" role="img" aria-label="%s">%s</svg>`, s.width, s.height, template.HTMLEscapeString(c.Title), s.b.String()))
}

// A sketch is a drawing while it is made.
type sketch struct {
	chart
	b                        strings.Builder
	width, height            float64
	left, right, top, bottom float64
	xLo, xHi, yLo, yHi       float64
}

func longest(texts []string) int {
	n := 0
	for _, text := range texts {
		n = max(n, utf8.RuneCountInString(text))
	}
	return n
}

// scale shows all values from zero on, and whiskers as far as they leave values
// readable, as the script does.
func (s *sketch) scale() {
	var xs, ys, his []nums
	for _, one := range s.Series {
		xs, ys, his = append(xs, one.X[0]), append(ys, one.Y), append(his, one.Hi)
	}
	if s.Kind == forestChart {
		for _, one := range s.Series {
			xs = append(xs, one.Lo, one.Hi)
		}
		var marks nums
		for _, l := range s.Limits {
			marks = append(marks, float64(l.At))
		}
		for _, w := range s.Spans {
			marks = append(marks, float64(w.From), float64(w.To))
		}
		s.xLo, s.xHi = least(append(xs, marks)...), most(append(xs, marks)...)
		if s.X[0].Even {
			edge := .04 * (s.xHi - s.xLo)
			s.xLo, s.xHi = s.xLo-edge, s.xHi+edge
		} else { // what lies farther is named at the edge
			s.xLo, s.xHi = max(.5, s.xLo)/1.01, min(2, s.xHi)*1.01
		}
		s.yLo, s.yHi = float64(len(s.Rows))-.4, -.6
		return
	}
	if s.Kind == scatterChart {
		s.scaleScatter()
		return
	}
	top := most(ys...)
	limited := top
	for _, l := range s.Limits {
		if float64(l.At) < 4*top {
			limited = max(limited, float64(l.At))
		}
	}
	if far := most(his...); far > limited {
		limited = max(limited, min(far, 1.6*top))
	}
	s.xHi, s.yHi = positiveOr(1.04*most(xs...), 1), positiveOr(1.06*limited, 1)
}

// scaleScatter leaves some room around all values and their intervals: what a scatter
// shows need not begin at zero.
func (s *sketch) scaleScatter() {
	var xs, ys []nums
	for _, one := range s.Series {
		xs, ys = append(xs, one.X[0], one.XLo[0], one.XHi[0]), append(ys, one.Y, one.Lo, one.Hi)
	}
	around := func(lists []nums) (lo, hi float64) {
		lo, hi = least(lists...), most(lists...)
		edge := .06 * positiveOr(hi-lo, 1)
		return lo - edge, hi + edge
	}
	s.xLo, s.xHi = around(xs)
	s.yLo, s.yHi = around(ys)
}

func least(lists ...nums) float64 {
	var turned []nums
	for _, list := range lists {
		turned = append(turned, list.over(-1))
	}
	return -most(turned...)
}

func positiveOr(v, otherwise float64) float64 {
	if v > 0 {
		return v
	}
	return otherwise
}

func (s *sketch) x(v float64) float64 {
	lo, hi := s.xLo, s.xHi
	if s.Kind == forestChart && !s.X[0].Even { // twice and half are equally far from one
		v, lo, hi = math.Log(min(max(v, lo), hi)), math.Log(lo), math.Log(hi)
	}
	return s.left + (v-lo)/(hi-lo)*(s.right-s.left)
}

func (s *sketch) y(v float64) float64 { return s.bottom - (v-s.yLo)/(s.yHi-s.yLo)*(s.bottom-s.top) }

func (s *sketch) put(format string, args ...any) { fmt.Fprintf(&s.b, format, args...) }

func (s *sketch) text(class, anchor string, x, y float64, text string) {
	s.put(`<text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, class, x, y, anchor, template.HTMLEscapeString(text))
}

func (s *sketch) axes() {
	for _, v := range roundValues(s.xLo, s.xHi, 6) {
		s.put(`<path class="grid" d="M%.1f %.1fV%.1f"/>`, s.x(v), s.top, s.bottom)
		s.text("tick", "middle", s.x(v), s.bottom+16, roundText(v))
	}
	if s.Kind == forestChart {
		for i, name := range s.Rows {
			if room := int((s.left - 12) / 6.2); utf8.RuneCountInString(name) > room {
				name = string([]rune(name)[:room-1]) + "…"
			}
			s.text("tick", "end", s.left-8, s.y(float64(i))+4, name)
		}
	} else {
		for _, v := range roundValues(s.yLo, s.yHi, 6) {
			s.put(`<path class="grid" d="M%.1f %.1fH%.1f"/>`, s.left, s.y(v), s.right)
			s.text("tick", "end", s.left-6, s.y(v)+4, roundText(v))
		}
		s.put(`<text class="label" transform="translate(13 %.1f) rotate(-90)" text-anchor="middle">%s</text>`, (s.top+s.bottom)/2, template.HTMLEscapeString(s.Y.text()))
	}
	s.text("label", "middle", (s.left+s.right)/2, s.bottom+36, s.X[0].text())
	s.put(`<path class="frame" d="M%.1f %.1fV%.1fH%.1f"/>`, s.left, s.top, s.bottom, s.right)
}

// roundValues are round values between lo and hi, about count of them.
func roundValues(lo, hi float64, count int) []float64 {
	rough := (hi - lo) / float64(count)
	if !(rough > 0) || math.IsInf(rough, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range []float64{2, 2.5, 2} { // 1, 2, 5, 10 of a power of ten
		if step >= .999*rough {
			break
		}
		step *= m
	}
	var list []float64
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi*(1+1e-9); i++ {
		list = append(list, i*step)
	}
	return list
}

func roundText(v float64) string {
	if math.Abs(v) < 1e-12 {
		return "0"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

func (s *sketch) limits() {
	for _, w := range s.Spans {
		s.put(`<path class="span %s" d="M%.1f %.1fV%.1fH%.1fV%.1fz"/>`, w.Kind, s.x(float64(w.From)), s.top, s.bottom, s.x(float64(w.To)), s.top)
	}
	for _, l := range s.Limits {
		at := float64(l.At)
		switch {
		case l.Along:
			s.put(`<path class="limit" d="M%.1f %.1fV%.1f"/>`, s.x(at), s.top, s.bottom)
		case at <= s.yHi:
			s.put(`<path class="limit" d="M%.1f %.1fH%.1f"/>`, s.left, s.y(at), s.right)
			s.text("limit-name", "start", s.left+6, s.y(at)-5, l.Label)
		}
	}
}

// The dashes and marks of series, the same as the script's.
var (
	dashes = []string{"", "7 3", "2 3", "9 3 2 3", "12 4", "4 2", "1 2", "12 3 2 3 2 3"}
	marks  = []string{
		"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-3.5-3.5h7v7h-7z", "M0-4.5L4.5 3.5h-9z", "M0-5L5 0L0 5L-5 0z",
		"M0 4.5L4.5-3.5h-9z", "M-4-1.3h2.7v-2.7h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7z", "M-4-2.5L-2.5-4L0-1.5L2.5-4L4-2.5L1.5 0L4 2.5L2.5 4L0 1.5L-2.5 4L-4 2.5L-1.5 0z", "M-4.5-2h9v4h-9z",
	}
)

// turned gives the ninth series, which has the first one's colour, another dash
// and marker.
func turned(style int) int { return (style + style/8) % 8 }

// alone reports whether marks stand without a line between them.
func (s *sketch) alone() bool { return s.Kind == forestChart || s.Kind == scatterChart }

func (s *sketch) series(one line) {
	s.put(`<g class="c%d">`, one.Style%8)
	if !s.alone() {
		s.b.WriteString(`<path class="line" d="`)
		step := byte('M')
		for i, v := range one.Y {
			if x := one.X[0][i]; !math.IsNaN(v) && !math.IsNaN(x) {
				s.put("%c%.1f %.1f", step, s.x(x), s.y(v))
				step = 'L'
			}
		}
		s.put(`" stroke-dasharray="%s"/>`, dashes[turned(one.Style)])
	}
	for i, v := range one.Y {
		x := one.X[0][i]
		if math.IsNaN(v) || math.IsNaN(x) {
			continue
		}
		if s.Kind == forestChart && x > s.xHi {
			s.text("beyond", "end", s.right-3, s.y(v)+4, fmt.Sprintf("%.3g ›", x))
			continue
		}
		if s.Kind == forestChart && x < s.xLo {
			s.text("beyond", "start", s.left+4, s.y(v)+4, fmt.Sprintf("‹ %.3g", x))
			continue
		}
		if s.Kind == scatterChart {
			s.across(one, i)
		}
		class := "mark"
		switch lo, hi := one.Lo[i], one.Hi[i]; {
		case math.IsInf(lo, 0) || math.IsInf(hi, 0) || math.IsNaN(lo+hi):
			class = "mark hollow"
		case s.Kind == forestChart:
			s.put(`<path class="whisker" d="M%.1f %.1fv8m0-4H%.1fm0-4v8"/>`, s.x(lo), s.y(v)-4, s.x(hi))
		default:
			s.put(`<path class="whisker" d="M%.1f %.1fh8m-4 0V%.1fm-4 0h8"/>`, s.x(x)-4, s.y(lo), max(s.y(hi), s.top))
		}
		s.put(`<path class="%s" d="%s" transform="translate(%.1f %.1f)"/>`, class, marks[turned(one.Style)], s.x(x), s.y(v))
	}
	s.b.WriteString("</g>")
}

// mostNames is how many points of a scatter are named beside their marks.
const mostNames = 12

// across draws the interval along x and the name of a point of a scatter.
func (s *sketch) across(one line, i int) {
	x, y := s.x(one.X[0][i]), s.y(one.Y[i])
	if lo, hi := one.XLo[0][i], one.XHi[0][i]; !math.IsInf(lo, 0) && !math.IsInf(hi, 0) && !math.IsNaN(lo+hi) {
		s.put(`<path class="whisker" d="M%.1f %.1fv8m0-4H%.1fm0-4v8"/>`, s.x(lo), y-4, s.x(hi))
	}
	points := 0
	for _, other := range s.Series {
		points += len(other.Y)
	}
	switch {
	case points > mostNames:
	case x > (s.left+s.right)/2:
		s.text("point-name", "end", x-8, y-8, one.Points[i])
	default:
		s.text("point-name", "start", x+8, y-8, one.Points[i])
	}
}

// legend names the series below the axis, in rows.
func (s *sketch) legend() {
	if len(s.Series) < 2 {
		return
	}
	x, y := s.left, s.bottom+54
	for _, one := range s.Series {
		wide := 44 + 6.6*float64(utf8.RuneCountInString(one.Name))
		if x+wide > s.width && x > s.left {
			x, y = s.left, y+18
		}
		rule := "M0 0h26"
		if s.alone() {
			rule = "" // marks alone
		}
		s.put(`<g class="c%d" transform="translate(%.1f %.1f)"><path class="line" d="%s" stroke-dasharray="%s"/><path class="mark" d="%s" transform="translate(13 0)"/></g>`,
			one.Style%8, x, y-4, rule, dashes[turned(one.Style)], marks[turned(one.Style)])
		s.text("tick", "start", x+31, y, one.Name)
		x += wide
	}
	s.height = max(s.height, y+10)
}
