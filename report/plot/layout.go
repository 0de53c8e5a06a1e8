package plot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Layout is a grid of panels, as layout files write it. The keys are those
// of genai-bench, so that its files can be used unchanged; x_scale, interval and
// four types of plot are added.
type Layout struct {
	Layout Grid    `json:"layout" yaml:"layout"`
	Plots  []Panel `json:"plots" yaml:"plots"`

	named  string // a preset's name; empty for a file
	theirs bool   // files are named as genai-bench names them
	curves bool   // of scaling studies, instead of panels
}

// A Grid is how panels stand on the page.
type Grid struct {
	Rows int       `json:"rows" yaml:"rows"`                           // 1 to 5; by default 2
	Cols int       `json:"cols" yaml:"cols"`                           // 1 to 6; by default 4
	Size []float64 `json:"figsize,omitempty" yaml:"figsize,omitempty"` // width and height in inches; by default 8 × 6 for each panel
}

// A Panel is one chart of a layout.
type Panel struct {
	Title  string `json:"title" yaml:"title"`
	X      string `json:"x_field,omitempty" yaml:"x_field,omitempty"`
	Y      string `json:"y_field,omitempty" yaml:"y_field,omitempty"`
	Ys     []Line `json:"y_fields,omitempty" yaml:"y_fields,omitempty"` // instead of Y
	XLabel string `json:"x_label,omitempty" yaml:"x_label,omitempty"`
	YLabel string `json:"y_label,omitempty" yaml:"y_label,omitempty"`
	Type   string `json:"plot_type,omitempty" yaml:"plot_type,omitempty"` // by default line
	Where  []int  `json:"position" yaml:"position"`                       // row and column, from 0
	YScale string `json:"y_scale,omitempty" yaml:"y_scale,omitempty"`     // linear or log
	XScale string `json:"x_scale,omitempty" yaml:"x_scale,omitempty"`     // linear or log

	// Interval is how intervals are drawn: bars (the default), band or none.
	Interval string `json:"interval,omitempty" yaml:"interval,omitempty"`

	// heading is the title on the panel, where that of the file says too much.
	heading string

	// instead is drawn where no bundle has a figure for this panel.
	instead *Panel
}

// A Line is one of several fields in a panel.
type Line struct {
	Field string `json:"field" yaml:"field"`
	Label string `json:"label,omitempty" yaml:"label,omitempty"`
	Color string `json:"color,omitempty" yaml:"color,omitempty"`         // a name of CSS's sixteen, orange, or #RRGGBB
	Dash  string `json:"linestyle,omitempty" yaml:"linestyle,omitempty"` // -, --, -. or :
}

// The types of panels.
const (
	typeLine     = "line"
	typeScatter  = "scatter"
	typeBar      = "bar"
	typeECDF     = "ecdf"     // the spread of y_field over requests
	typeLadder   = "ladder"   // the percentiles of y_field
	typeTimeline = "timeline" // y_field over the time of a launch
)

var (
	types     = []string{typeLine, typeScatter, typeBar, typeECDF, typeLadder, typeTimeline}
	scales    = []string{"", "linear", "log"}
	intervals = []string{"", "bars", "band", "none"}
	dashNames = []string{"", "-", "--", "-.", ":"}
)

// ParseLayout reads a layout file, JSON or YAML, and reports all of its
// faults at once. Whether its fields exist is for Figures to say, which
// knows the bundles.
func ParseLayout(data []byte) (Layout, error) {
	var l Layout
	if err := decodeLayout(data, &l); err != nil {
		return l, err
	}
	if l.Layout.Rows == 0 {
		l.Layout.Rows = 2
	}
	if l.Layout.Cols == 0 {
		l.Layout.Cols = 4
	}
	for i := range l.Plots {
		if l.Plots[i].Type == "" {
			l.Plots[i].Type = typeLine
		}
	}
	return l, l.check()
}

func decodeLayout(data []byte, l *Layout) error {
	var err error
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err = d.Decode(l); err == nil && d.More() {
			err = errors.New("more than one document")
		}
	} else {
		d := yaml.NewDecoder(bytes.NewReader(data))
		d.KnownFields(true)
		err = d.Decode(l)
	}
	if errors.Is(err, io.EOF) {
		return errors.New("the file is empty: want layout and plots")
	}
	return err
}

// check lists everything that is wrong with the layout itself.
func (l Layout) check() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	g := l.Layout
	if g.Rows < 1 || g.Rows > 5 || g.Cols < 1 || g.Cols > 6 {
		fault("layout: %d rows and %d cols: want 1 to 5 rows and 1 to 6 cols", g.Rows, g.Cols)
	}
	if n := len(g.Size); n != 0 && (n != 2 || !plotSize(g.Size[0]) || !plotSize(g.Size[1])) {
		fault("layout.figsize %v: want a width and a height of 1 to 100 inches", g.Size)
	}
	if len(l.Plots) == 0 {
		fault("plots: want at least one panel")
	}
	taken := map[[2]int]string{}
	for i, p := range l.Plots {
		name := fmt.Sprintf("plots[%d] %q", i, p.Title)
		p.check(func(format string, args ...any) { fault(name+": "+format, args...) })
		if len(p.Where) != 2 || p.Where[0] < 0 || p.Where[1] < 0 || p.Where[0] >= g.Rows || p.Where[1] >= g.Cols {
			fault("%s: position %v: want [row, column] from [0, 0] to [%d, %d]", name, p.Where, g.Rows-1, g.Cols-1)
			continue
		}
		at := [2]int{p.Where[0], p.Where[1]}
		if other, found := taken[at]; found {
			fault("%s: position %v is that of %s already", name, p.Where, other)
		}
		taken[at] = name
	}
	return errors.Join(faults...)
}

func plotSize(inches float64) bool { return inches >= 1 && inches <= 100 }

func (p Panel) check(fault func(format string, args ...any)) {
	word := func(key, got string, want []string) {
		if !slices.Contains(want, got) {
			fault("%s %q: want %s", key, got, strings.Join(slices.DeleteFunc(slices.Clone(want), func(w string) bool { return w == "" }), ", "))
		}
	}
	word("plot_type", p.Type, types)
	word("y_scale", p.YScale, scales)
	word("x_scale", p.XScale, scales)
	word("interval", p.Interval, intervals)
	if p.Title == "" {
		fault("want a title: files are named by it")
	}
	if (p.Y == "") == (len(p.Ys) == 0) {
		fault("want either y_field or y_fields")
	}
	if p.byLevel() && p.X == "" {
		fault("want x_field")
	}
	for _, y := range p.Ys {
		if y.Field == "" {
			fault("y_fields: one of them has no field")
		}
		word("linestyle", y.Dash, dashNames)
		if _, err := colorOf(y.Color); err != nil {
			fault("%v", err)
		}
	}
}

// byLevel says that the panel has one mark for each point of the plan.
func (p Panel) byLevel() bool {
	return p.Type == typeLine || p.Type == typeScatter || p.Type == typeBar
}

// lines are the fields of the panel, one or several.
func (p Panel) lines() []Line {
	if p.Y != "" {
		return []Line{{Field: p.Y}}
	}
	return p.Ys
}

// size is width and height in inches.
func (g Grid) size() (width, height float64) {
	if len(g.Size) == 2 {
		return g.Size[0], g.Size[1]
	}
	return 8 * float64(g.Cols), 6 * float64(g.Rows)
}
