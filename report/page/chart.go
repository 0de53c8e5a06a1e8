package page

import (
	"encoding/json"
	"html/template"
	"math"
	"strconv"

	"assay/unit"
)

// A chart is what a drawing shows. Its JSON is read by html/chart.js, so names are
// short: a page holds hundreds of thousands of numbers.
type chart struct {
	Kind   string   `json:"k"`           // curve, scatter, share, time, forest, boxes or heat
	Title  string   `json:"t"`           // what the chart says, for eyes and for screen readers
	X      []axis   `json:"x"`           // the first, and what may be chosen in its place
	Y      axis     `json:"y"`           //
	Rows   []string `json:"r,omitempty"` // of a forest plot, of boxes and of a heat map, from the top
	Series []line   `json:"s"`
	Spans  []span   `json:"w,omitempty"`
	Limits []limit  `json:"m,omitempty"`
	Group  string   `json:"g,omitempty"` // charts of one group share their zoom along x
	End    num      `json:"z,omitempty"` // of the x axis, where values may end before it
	Boxes  []box    `json:"q,omitempty"` // of boxes

	// Static says that the page holds the drawing too, for readers without
	// JavaScript.
	Static bool `json:"-"`
}

// The kinds of charts.
const (
	curveChart   = "curve"   // figures over load, point by point
	scatterChart = "scatter" // two figures of every point, each with its interval
	shareChart   = "share"   // shares of requests over values
	timeChart    = "time"    // anything over time
	forestChart  = "forest"  // ratios or differences, one below the other
	boxChart     = "boxes"   // stretches along x, in rows
	heatChart    = "heat"    // values of rows and columns, each of its own shade
)

// An axis names what it shows.
type axis struct {
	Label string `json:"l"`
	Unit  string `json:"u,omitempty"`
	Log   bool   `json:"g,omitempty"` // logarithmic at first
	Bytes bool   `json:"p,omitempty"` // powers of two are its round values
	Even  bool   `json:"d,omitempty"` // of a forest plot: differences, evenly spaced, and no ratios
}

// A box is a stretch of a row with a name; its colour is that of the series of its
// style.
type box struct {
	Row   int    `json:"r"`
	Lane  int    `json:"l,omitempty"` // below the first, where stretches overlap
	From  num    `json:"a"`
	To    num    `json:"b"`
	Style int    `json:"i"`
	Name  string `json:"n"`           // short, for inside of it
	Note  string `json:"o,omitempty"` // what is said of it
}

// text is the axis as it is written beside the drawing.
func (a axis) text() string {
	if a.Unit == "" {
		return a.Label
	}
	return a.Label + " (" + a.Unit + ")"
}

// A line is one series. Its values are in the units of the axes.
type line struct {
	Name string `json:"n"`
	X    []nums `json:"x,omitempty"` // for each choice of the x axis
	Y    nums   `json:"y"`
	Lo   nums   `json:"a,omitempty"` // of the interval of Y; of X in a forest plot
	Hi   nums   `json:"b,omitempty"`

	XLo []nums `json:"l,omitempty"` // of the interval of X, for each choice, in a scatter
	XHi []nums `json:"h,omitempty"`

	// From and Step take the place of X where values come at equal steps.
	From float64 `json:"f,omitempty"`
	Step float64 `json:"d,omitempty"`

	Points []string `json:"p,omitempty"` // what each value is of
	Notes  []string `json:"o,omitempty"` // what is said beside each value, such as its n
	Note   string   `json:"e,omitempty"` // the same for all values

	Style int  `json:"i"`           // colour, dash and marker
	Band  bool `json:"v,omitempty"` // the interval is a band, not whiskers
}

// A span is a stretch of the x axis with a name.
type span struct {
	From  num    `json:"a"`
	To    num    `json:"b"`
	Kind  string `json:"k"` // warmup, measure or steady
	Label string `json:"n,omitempty"`
}

// A limit is a value that something must keep.
type limit struct {
	At    num    `json:"v"`
	Along bool   `json:"x,omitempty"` // on the x axis
	Label string `json:"n"`
}

// A num is a number of a chart: five significant digits, more than an eye can
// tell; null where there is none.
type num float64

// MarshalJSON implements json.Marshaler.
func (n num) MarshalJSON() ([]byte, error) { return appendNum(nil, float64(n)), nil }

// nums are the values of a series.
type nums []float64

// MarshalJSON implements json.Marshaler.
func (list nums) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 8*len(list)+2), '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNum(b, v)
	}
	return append(b, ']'), nil
}

func appendNum(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'g', 5, 64)
}

// over divides every value.
func (list nums) over(divisor float64) nums {
	out := make(nums, len(list))
	for i, v := range list {
		out[i] = v / divisor
	}
	return out
}

// most is the largest number of all lists; not a number when there is none.
func most(lists ...nums) float64 {
	top := math.NaN()
	for _, list := range lists {
		for _, v := range list {
			if !math.IsInf(v, 0) && !(v <= top) && !math.IsNaN(v) {
				top = v
			}
		}
	}
	return top
}

// scaleY brings the values of all series, which are in u, to one readable unit
// and names it on the axis.
func (c *chart) scaleY(u unit.Unit) {
	var lists []nums
	for _, s := range c.Series {
		lists = append(lists, s.Y)
	}
	divisor, suffix := unit.Axis(most(lists...), u)
	for i, s := range c.Series {
		c.Series[i].Y, c.Series[i].Lo, c.Series[i].Hi = s.Y.over(divisor), s.Lo.over(divisor), s.Hi.over(divisor)
	}
	for i := range c.Limits {
		if !c.Limits[i].Along {
			c.Limits[i].At /= num(divisor)
		}
	}
	c.Y.Unit = suffix
}

// data is the chart for the script of the page. The encoder of Go escapes what
// could end the element that it stands in.
func (c chart) data() (template.JS, error) {
	b, err := json.Marshal(c)
	return template.JS(b), err
}
