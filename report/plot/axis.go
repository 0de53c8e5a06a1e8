package plot

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assay/unit"
)

// An Axis is one side of a chart. Marks keep the units of the records; the axis
// knows by how much people want them scaled.
type Axis struct {
	Label string  `json:"label"` // with the unit
	Log   bool    `json:"log,omitempty"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`

	name   string // what Label is made of
	asked  string // a label of the layout, instead of the name
	unit   unit.Unit
	factor float64 // from the unit of the records to that of the label
	ticks  []plotTick
	fixed  bool // range and ticks were set, not fitted
}

// A plotTick is a place on an axis; without text it is a thin one.
type plotTick struct {
	at   float64 // in the units of the records
	text string
}

func newAxis(f plotField, label string, log bool) Axis {
	return Axis{name: f.name, asked: label, unit: f.unit, Log: log, factor: 1}
}

// place is where v stands between the ends of the axis, 0 to 1 inside.
func (a Axis) place(v float64) float64 {
	if a.Log {
		if v <= 0 {
			return -1
		}
		return math.Log(v/a.Min) / math.Log(a.Max/a.Min)
	}
	return (v - a.Min) / (a.Max - a.Min)
}

// fit chooses range, unit and ticks of both axes so that all marks are inside.
func (c *Chart) fit(timeUnit string) {
	var xs, ys []Value
	for _, s := range c.Series {
		for _, m := range s.Marks {
			xs = append(xs, m.X)
			y := m.Y
			if s.interval == "none" {
				y = exactly(y.Value)
			}
			ys = append(ys, y)
		}
	}
	c.X.fit(xs, nil, timeUnit)
	c.Y.fit(ys, c.Limits, timeUnit)
}

// reach is how far beyond the values an interval or an objective may stretch an
// axis. Two launches can have an interval of ten times the value; drawn whole it
// would press all else flat, so that it is cut and ends in an arrow.
const reach = 1.8

func (a *Axis) fit(values []Value, limits []Limit, timeUnit string) {
	if !a.fixed {
		a.stretch(values, limits)
	}
	a.rename(timeUnit)
	if a.ticks == nil {
		a.ticks = a.mark()
	}
}

// stretch sets the range.
func (a *Axis) stretch(values []Value, limits []Limit) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if math.IsNaN(v.Value) || a.Log && v.Value <= 0 {
			continue
		}
		low, high = min(low, v.Value), max(high, v.Value)
	}
	if math.IsInf(low, 0) {
		low, high = 0, 1
		if a.Log {
			low = .1
		}
	}
	top, bottom := high, low
	for _, v := range values {
		if !v.Interval.Bounded() {
			continue
		}
		top = max(top, min(v.Interval.Hi, high*reach))
		if !a.Log || v.Interval.Lo > 0 {
			bottom = min(bottom, v.Interval.Lo)
		}
	}
	for _, l := range limits {
		if l.At <= high*reach {
			top = max(top, l.At)
			if a.Log {
				bottom = min(bottom, l.At)
			}
		}
	}
	switch {
	case a.Log:
		bottom = max(bottom, low/10) // an interval that nearly reaches zero
		a.Min, a.Max = bottom/1.15, top*1.15
	case bottom < 0:
		pad := (top - bottom) * .06
		a.Min, a.Max = bottom-pad, top+pad
	default:
		a.Min, a.Max = 0, top*1.08
	}
	if a.Max <= a.Min {
		a.Max = a.Min + 1
	}
}

var plotTimeUnit = regexp.MustCompile(`\((s|ms|seconds|milliseconds)\)`)

// rename chooses the unit that people read and writes the label.
func (a *Axis) rename(timeUnit string) {
	text := ""
	switch {
	case a.unit == unit.Share:
		a.factor, text = 100, "%"
	case a.unit == unit.Second:
		a.factor, text = timeScale(a.Max, timeUnit)
	case a.unit != unit.Ratio && a.unit != "":
		text = string(a.unit)
		if a.asked == "" && (a.unit == unit.Byte || a.unit == unit.BytePerSecond) {
			var prefix string
			a.factor, prefix = plotPrefix(a.Max)
			text = prefix + text
		}
	}
	switch {
	case a.Label != "": // said already
	case a.asked == "":
		a.Label = a.name
		if text != "" {
			a.Label += " (" + text + ")"
		}
	case a.unit == unit.Second && plotTimeUnit.MatchString(a.asked):
		a.Label = plotTimeUnit.ReplaceAllString(a.asked, "("+text+")")
	case text != "" && !strings.HasSuffix(a.asked, ")"):
		a.Label = a.asked + " (" + text + ")"
	default:
		a.Label = a.asked
	}
}

func timeScale(top float64, asked string) (float64, string) {
	switch {
	case asked == "s", asked == "" && top >= 2:
		return 1, "s"
	case asked == "" && top < 1e-3:
		return 1e6, "µs"
	}
	return 1e3, "ms"
}

func plotPrefix(top float64) (float64, string) {
	for _, p := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if top >= p.size {
			return 1 / p.size, p.name
		}
	}
	return 1, ""
}

// mark sets ticks at round numbers of the unit that people read.
func (a *Axis) mark() []plotTick {
	low, high := a.Min*a.factor, a.Max*a.factor
	var ticks []plotTick
	if !a.Log || high < 3*low { // too short for powers of ten
		step := plotStep((high - low) / 5)
		for k := int(math.Ceil(low/step - 1e-9)); float64(k)*step <= high*(1+1e-12); k++ {
			v := float64(k) * step
			ticks = append(ticks, plotTick{v / a.factor, plotFixed(v, step)})
		}
		return ticks
	}
	decades := math.Log10(high / low)
	named := []float64{1, 2, 5}
	switch {
	case decades > 3:
		named = named[:1]
	case decades < .8:
		named = []float64{1, 1.5, 2, 3, 4, 5, 6, 8}
	}
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, m := range []float64{1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9} {
			v := m * math.Pow(10, e)
			if v < low || v > high {
				continue
			}
			text := ""
			if slices.Contains(named, m) {
				text = number(v)
			} else if m == 1.5 {
				continue
			}
			ticks = append(ticks, plotTick{v / a.factor, text})
		}
	}
	return ticks
}

// levels sets the ticks at the levels that were offered, where they are few.
func (a *Axis) levels(series []Series) {
	var marks []float64
	for _, s := range series {
		for _, m := range s.Marks {
			marks = append(marks, m.X.Value)
		}
	}
	slices.Sort(marks)
	marks = slices.Compact(marks)
	if len(marks) > 14 || len(marks) == 0 {
		return
	}
	a.ticks = []plotTick{}
	for _, v := range marks {
		a.ticks = append(a.ticks, plotTick{v, number(v)})
	}
}

// plotStep is the round step, 1, 2 or 5 times a power of ten, next above rough.
func plotStep(rough float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= rough*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// plotFixed prints v with the decimals that steps need.
func plotFixed(v, step float64) string {
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	return thousands(strconv.FormatFloat(v, 'f', decimals, 64))
}

// number prints v with three digits at least, and no zeros that say nothing.
func number(v float64) string {
	if v == 0 {
		return "0"
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return thousands(text)
}

// thousands parts the digits of numbers from 10,000 on.
func thousands(text string) string {
	whole, rest, found := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	if len(whole) > 4 {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	if found {
		rest = "." + rest
	}
	return sign + whole + rest
}
