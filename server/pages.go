package server

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/report/page"
	"assay/unit"
	"assay/warehouse"
)

//go:embed html
var files embed.FS

// A frame is what every page has.
type frame struct {
	Title string
	Who   string // name of the token; empty before somebody is known
	Nav   []link
}

type link struct {
	Name, Path string
	Here       bool
}

// pages are those that every page leads to.
var pages = []link{
	{Name: "Overview", Path: "/"}, {Name: "Runs", Path: "/runs"}, {Name: "Frontier", Path: "/frontier"}, {Name: "History", Path: "/history"},
	{Name: "Compare", Path: "/compare"}, {Name: "Gate", Path: "/gate"},
	{Name: "Cost", Path: "/economy"}, {Name: "Quality", Path: "/quality"}, {Name: "Alerts", Path: "/alerts"}, {Name: "Queue", Path: "/jobs"}, {Name: "Machines", Path: "/testbeds"}, {Name: "Lineage", Path: "/lineage"},
}

func frameOf(c *Call, title string) frame {
	f := frame{Title: title, Who: c.Token.Name, Nav: slices.Clone(pages)}
	for i := range f.Nav {
		f.Nav[i].Here = f.Nav[i].Path == c.R.URL.Path
	}
	return f
}

// functions are what templates call. What they make of values is text: the templates
// escape it where it stands.
var functions = template.FuncMap{
	"hex":   func(digest string) string { return strings.TrimPrefix(digest, "sha256:") },
	"short": func(digest string) string { return shortDigest(digest) },
	"when":  func(t time.Time) string { return t.Format("2006-01-02 15:04") },
	"stamp": func(t time.Time) string { return t.Format(time.RFC3339) },
	"headline": func(text string) string {
		first, _, _ := strings.Cut(text, "\n")
		return shortened(first)
	},
	"inc":   func(i int) int { return i + 1 },
	"value": func(v float64, u string) string { return unit.Format(v, unit.Unit(u)) },
	"bounds": func(low, high *float64, u string) string {
		if low == nil || high == nil {
			return "[no interval]"
		}
		return fmt.Sprintf("[%s, %s]", unit.Format(*low, unit.Unit(u)), unit.Format(*high, unit.Unit(u)))
	},
	"percent": func(v float64) string { return fmt.Sprintf("%+.1f %%", 100*v) },
	"maybe": func(v *float64) string {
		if v == nil {
			return "too few runs"
		}
		return fmt.Sprintf("%.2g %%", 100**v)
	},
	"share": func(completed, void, all int) string {
		return fmt.Sprintf("%.0f %%", 100*float64(completed-void)/float64(max(1, all)))
	},
	"exact": warehouse.ShareText, "delay": warehouse.DelayText,
	"marks": func() (names []string) {
		for _, m := range warehouse.AlertMarks {
			names = append(names, m.Name)
		}
		return names
	},
	"seriesQuery": seriesQuery,
	"figureQuery": func(r warehouse.RunRow, f warehouse.Figure) template.URL {
		return seriesQuery(warehouse.SeriesOf(r, f))
	},
}

func shortDigest(digest string) string {
	text := strings.TrimPrefix(digest, "sha256:")
	return text[:min(12, len(text))]
}

// seriesQuery asks for the history of one series.
func seriesQuery(s warehouse.Series) template.URL {
	f := seriesFilter(s)
	return query("metric", f.Metric, "workload", f.Workload, "system", f.System, "testbed", f.Testbed, "point", f.Point, "side", f.Side)
}

// query writes parameters, without those that are empty. It is safe in an address: every
// value is escaped.
func query(pairs ...string) template.URL {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	return template.URL(values.Encode())
}

// templates gives each page, which is the layout with a middle of its own. They are parsed once,
// by whoever asks first: no other command waits for them when it starts.
var templates = sync.OnceValue(func() map[string]*template.Template {
	return parseTemplates("overview", "runs", "run", "charts", "compare", "lineage", "testbeds", "alerts", "alarms", "jobs", "job", "inside", "economy", "quality", "gate", "login", "error")
})

func parseTemplates(names ...string) map[string]*template.Template {
	all := map[string]*template.Template{}
	for _, name := range names {
		all[name] = template.Must(template.New("layout.tmpl").Funcs(functions).ParseFS(files, "html/layout.tmpl", "html/"+name+".tmpl"))
	}
	return all
}

// page answers with a page.
func (s *Server) page(c *Call, status int, name string, data any) error {
	var b bytes.Buffer
	if err := templates()[name].Execute(&b, data); err != nil {
		return err
	}
	c.W.Header().Set("Content-Type", "text/html; charset=utf-8")
	c.W.WriteHeader(status)
	c.W.Write(b.Bytes()) // whoever has left does not hear of an error either
	return nil
}

func (s *Server) errorPage(w http.ResponseWriter, code int, text string) {
	c := &Call{W: w}
	f := frame{Title: http.StatusText(code)}
	if err := s.page(c, code, "error", struct {
		frame
		Problem string
	}{f, text}); err != nil {
		s.o.Log.Error("write a page", "error", err)
	}
}

// asset gives style and script, which every page shares.
func (s *Server) asset(c *Call) error {
	style, script, err := page.Assets()
	if err != nil {
		return err
	}
	kind, text := "text/javascript; charset=utf-8", ""
	switch name := c.R.PathValue("name"); name {
	case "style.css":
		kind, text = "text/css; charset=utf-8", style
	case "charts.js":
		text = script
	case "dashboard.css", "dashboard.js", "events.js", "icon.svg":
		data, err := files.ReadFile("html/" + name)
		if err != nil {
			return err
		}
		text, kind = string(data), map[string]string{".css": "text/css; charset=utf-8", ".js": kind, ".svg": "image/svg+xml"}[path.Ext(name)]
	default:
		return refuse(http.StatusNotFound, "there is nothing here")
	}
	c.W.Header().Set("Cache-Control", "private, max-age=300")
	return s.whole(c, kind, func(b *bytes.Buffer) error { b.WriteString(text); return nil })
}

// A filter is a field of a form.
type filter struct {
	Name, Value, Hint string
	Size              int
	Choices           []string
}

// filters are the fields that narrow a list of runs down.
func (s *Server) filters(c *Call, names ...string) ([]filter, error) {
	choices, err := s.read.Choices(c.context())
	if err != nil {
		return nil, err
	}
	var list []filter
	for _, name := range names {
		f := filter{Name: name, Value: c.param(name), Choices: choices[name], Size: 14}
		if f.Value != "" && len(f.Choices) > 0 && !slices.Contains(f.Choices, f.Value) {
			f.Choices = append([]string{f.Value}, f.Choices...) // as it was asked for
		}
		list = append(list, f)
	}
	return list, nil
}

func (s *Server) runsPage(c *Call) error {
	f, err := runFilter(c)
	if err != nil {
		return err
	}
	list, all, err := s.read.Runs(c.context(), f)
	if err != nil {
		return err
	}
	fields, err := s.filters(c, "text", "name", "system", "model", "testbed", "status", "since")
	if err != nil {
		return err
	}
	shown := struct {
		frame
		Filters      []filter
		Runs         []warehouse.RunRow
		Shown        string
		Newer, Older string
	}{frame: frameOf(c, "Runs"), Filters: fields, Runs: list, Shown: fmt.Sprintf("%d to %d of %d", min(all, f.Skip+1), f.Skip+len(list), all)}
	at := func(skip int) string {
		values := c.R.URL.Query()
		values.Set("skip", fmt.Sprint(skip))
		return "/runs?" + values.Encode()
	}
	if f.Skip > 0 {
		shown.Newer = at(max(0, f.Skip-f.Rows))
	}
	if f.Skip+len(list) < all {
		shown.Older = at(f.Skip + f.Rows)
	}
	return s.page(c, http.StatusOK, "runs", shown)
}

func (s *Server) runPage(c *Call) error {
	d, err := s.read.Detail(c.context(), c.R.PathValue("run"))
	if err != nil {
		return err
	}
	results, err := s.results.of(d)
	if err != nil {
		return err
	}
	return s.page(c, http.StatusOK, "run", struct {
		frame
		Run     warehouse.RunDetail
		Results template.HTML
	}{frameOf(c, d.Name), d, results})
}

func (s *Server) lineagePage(c *Call) error {
	shown := struct {
		frame
		warehouse.Lineage
		Asked, Problem string
	}{frame: frameOf(c, "Where a number comes from"), Asked: c.param("of")}
	if shown.Asked != "" {
		var err error
		shown.Lineage, err = s.lineageOf(c)
		if errors.Is(err, warehouse.ErrNoLineage) {
			shown.Problem, err = err.Error(), nil
		}
		if err != nil {
			return err
		}
	}
	return s.page(c, http.StatusOK, "lineage", shown)
}

// alarmsPage says for every week how often assay alarmed about nothing.
func (s *Server) alarmsPage(c *Call) error {
	weeks, err := s.read.Weeks(c.context())
	if err != nil {
		return err
	}
	return s.page(c, http.StatusOK, "alarms", struct {
		frame
		Weeks []warehouse.Week
	}{frameOf(c, "False alarms"), weeks})
}

func (s *Server) testbedsPage(c *Call) error {
	list, err := s.read.Testbeds(c.context())
	if err != nil {
		return err
	}
	series, _, _ := s.seen()
	series = slices.Clone(series)
	slices.SortStableFunc(series, func(a, b warehouse.Series) int { return strings.Compare(a.Testbed, b.Testbed) })
	return s.page(c, http.StatusOK, "testbeds", struct {
		frame
		Testbeds []warehouse.Testbed
		Noise    []warehouse.Series
	}{frameOf(c, "Machines"), list, series[:min(500, len(series))]})
}
