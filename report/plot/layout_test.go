package plot

import (
	"bytes"
	"strings"
	"testing"

	"assay/record"
	"assay/report"
	"assay/spec"
)

// theirLayout is a file as genai-bench writes it: its own field names, colours of
// matplotlib, nulls for what was not given.
const theirLayout = `{
	"layout": {"rows": 2, "cols": 2, "figsize": [12, 9]},
	"plots": [
		{"title": "TTFT p95 (all)", "x_field": "mean_output_throughput_tokens_per_s", "y_field": "stats.ttft.p95", "y_fields": null,
		 "x_label": "Output (tokens/s)", "y_label": "TTFT (s)", "plot_type": "line", "position": [0, 0], "y_scale": "log"},
		{"title": "Speed", "x_field": "num_concurrency", "y_field": null, "x_label": null, "plot_type": "line", "position": [0, 1],
		 "y_fields": [{"field": "stats.output_inference_speed.mean", "label": "mean", "color": "tab:green", "linestyle": ":"},
		              {"field": "stats.output_inference_speed.p90", "label": null, "color": "darkorange", "linestyle": null}]},
		{"title": "Rate", "x_field": "num_concurrency", "y_field": "requests_per_second", "plot_type": "bar", "position": [1, 0]},
		{"title": "Sound", "x_field": "num_concurrency", "y_field": "stats.audio_throughput.mean", "position": [1, 1]}
	]
}`

// TestPlotTheirLayout draws a layout file of genai-bench as it is.
func TestPlotTheirLayout(t *testing.T) {
	l, err := ParseLayout([]byte(theirLayout))
	if err != nil {
		t.Fatal(err)
	}
	figures, err := Figures([]report.Report{example(t, "first", "alpha", 1)}, l, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := figures[0]
	if f.File != "traffic_scenario_combined_plots_2x2" || f.Charts[0].File != "traffic_scenario_TTFT p95 all" {
		t.Errorf("files are %q and %q", f.File, f.Charts[0].File)
	}
	first, speed, rate, sound := f.Charts[0], f.Charts[1], f.Charts[2], f.Charts[3]
	if !first.Y.Log || first.Y.Label != "TTFT (ms)" || first.X.Label != "Output (tokens/s)" {
		t.Errorf("axes are %+v and %+v: want a logarithmic one in ms", first.X, first.Y)
	}
	if m := first.Series[0].Marks; len(m) != 5 || m[4].Label != "16" || m[4].X.Value != 6400 {
		t.Errorf("marks = %+v", m)
	}
	if len(speed.Series) != 2 || speed.Series[0].look.color != palette[2] || len(speed.Series[0].look.dashes) != 2 {
		t.Errorf("the line of speed is %+v: want it green and dotted", speed.Series[0].look)
	}
	if rate.bars == nil || len(rate.bars.bars) != 5 || rate.bars.bars[0].total.Value != 40 {
		t.Errorf("bars of the rate are %+v", rate.bars)
	}
	svg := drawnSVG(t, func(b *bytes.Buffer) error { return f.DrawChart(b, 3, "svg") })
	if sound.Empty == "" || !strings.Contains(svg, ">no figures for</text>") || !strings.Contains(svg, ">stats.audio_throughput.mean</text>") {
		t.Errorf("a panel without figures does not say so: %q", sound.Empty)
	}
}

// TestPlotTimeUnit: the unit on an axis is the one asked for, or what reads well,
// whatever the label of the layout says.
func TestPlotTimeUnit(t *testing.T) {
	r := []report.Report{example(t, "first", "alpha", 1)}
	for asked, want := range map[string]string{"": "TTFT (ms)", "s": "TTFT (s)", "ms": "TTFT (ms)"} {
		c := plotted(t, r, "2x4_default", Options{TimeUnit: asked})[0].Charts[1]
		if c.Y.Label != want || c.Y.factor != map[string]float64{"TTFT (s)": 1, "TTFT (ms)": 1000}[want] {
			t.Errorf("--time-unit %q: %q × %v, want %q", asked, c.Y.Label, c.Y.factor, want)
		}
		if got := c.Series[0].Marks[0].Y.Value; got != .02 {
			t.Errorf("--time-unit %q changes the data: %v", asked, got)
		}
	}
	if c := plotted(t, r, "assay", Options{Statistic: "p50"})[0].Charts[0]; c.Y.Label != "TTFT p50 (ms)" {
		t.Errorf("--percentile p50: axis %q", c.Y.Label)
	}
}

// TestPlotLayoutYAML reads our own additions.
func TestPlotLayoutYAML(t *testing.T) {
	l, err := ParseLayout([]byte(`
layout: {rows: 1, cols: 2}
plots:
  - {title: a, x_field: rate, y_field: goodput, position: [0, 0], x_scale: log, interval: band}
  - {title: b, y_field: ttft, plot_type: ecdf, position: [0, 1]}
`))
	if err != nil {
		t.Fatal(err)
	}
	if p := l.Plots[0]; p.XScale != "log" || p.Interval != "band" || p.Type != typeLine {
		t.Errorf("panel = %+v", p)
	}
	if width, height := l.Layout.size(); width != 16 || height != 6 {
		t.Errorf("the page is %v × %v inches, want 16 × 6", width, height)
	}
}

// TestPlotLayoutFaults refuses with what was got, what is wanted and where.
func TestPlotLayoutFaults(t *testing.T) {
	panel := func(rest string) string {
		return `{"layout": {"rows": 1, "cols": 1}, "plots": [{"title": "a", "x_field": "rate", "position": [0, 0]` + rest + `}]}`
	}
	tests := []struct{ file, want string }{
		{"", "the file is empty"},
		{"{", "unexpected EOF"},
		{"[1]", "cannot unmarshal"},
		{`{"layout": {"rows": 1, "cols": 1}, "plots": []}`, "want at least one panel"},
		{`{"layout": {"rows": 9, "cols": 1}, "plots": []}`, "9 rows and 1 cols: want 1 to 5 rows"},
		{`{"layout": {"figsize": [3]}, "plots": []}`, "layout.figsize [3]: want a width and a height"},
		{`{"layout": {"figsize": [1e9, 1]}, "plots": []}`, "want a width and a height of 1 to 100 inches"},
		{panel(``), `plots[0] "a": want either y_field or y_fields`},
		{panel(`, "y_field": "ttft", "y_fields": [{"field": "e2e"}]`), "want either y_field or y_fields"},
		{panel(`, "y_fields": [{"label": "x"}]`), "one of them has no field"},
		{panel(`, "y_field": "ttft", "plot_type": "pie"`), `plot_type "pie": want line, scatter, bar`},
		{panel(`, "y_field": "ttft", "y_scale": "sqrt"`), `y_scale "sqrt": want linear, log`},
		{panel(`, "y_field": "ttft", "yscale": "log"`), "yscale"},
		{panel(`, "y_fields": [{"field": "ttft", "color": "greenish"}]`), `color "greenish": want a name such as blue`},
		{panel(`, "y_fields": [{"field": "ttft", "linestyle": "~"}]`), `linestyle "~": want -, --, -., :`},
		{`{"layout": {"rows": 1, "cols": 1}, "plots": [{"title": "a", "x_field": "rate", "y_field": "ttft", "position": [0, 1]}]}`, "position [0 1]: want [row, column] from [0, 0] to [0, 0]"},
		{`{"layout": {"rows": 1, "cols": 1}, "plots": [{"title": "a", "x_field": "rate", "y_field": "ttft", "position": [0, 0]}, {"title": "b", "x_field": "rate", "y_field": "ttft", "position": [0, 0]}]}`, `position [0 0] is that of plots[0] "a" already`},
	}
	for _, tt := range tests {
		_, err := ParseLayout([]byte(tt.file))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\n got %v\nwant %q", tt.file, err, tt.want)
		}
	}
}

// TestPlotFieldFaults: unknown fields come with the names that are near.
func TestPlotFieldFaults(t *testing.T) {
	for path, want := range map[string]string{
		"tfft.p95":              "did you mean ttft.p95",
		"output_troughput":      "did you mean output_throughput",
		"stats.e2e_latncy.mean": "did you mean stats.e2e_latency.mean",
		"ttft.p42":              "assay estimates mean, p50, p90, p95, p99, p99.9; p42 it does not",
		"goodput.p95":           "has one value for each window",
		"concurrency.p95":       "is set and has no statistics",
		"":                      "name of a field is missing",
		"bananas_and_pineapple": "--list-fields shows all",
	} {
		if _, err := resolveField(path, "p95"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
	}
	l := Layout{Layout: Grid{Rows: 1, Cols: 1}, Plots: []Panel{{Title: "a", X: "ratee", Y: "tfft", Type: typeLine, Where: []int{0, 0}}}}
	err := Check(l, Options{})
	if err == nil || !strings.Contains(err.Error(), `"a": x_field`) || !strings.Contains(err.Error(), `"a": y_field`) {
		t.Errorf("both faults at once: %v", err)
	}
}

// TestPlotFields lists what a bundle has, and all names without one; each of them
// can be resolved.
func TestPlotFields(t *testing.T) {
	has := map[string]int{}
	for _, f := range Fields([]report.Report{example(t, "first", "alpha", 1)}) {
		has[f.Name] = f.Has
	}
	for name, want := range map[string]int{"ttft.p95": 5, "concurrency": 5, "stats.ttft.p95": 5, "rate": 0, "gpu_power": 0, "num_error_requests": 5} {
		if has[name] != want {
			t.Errorf("%s: at %d points, want %d", name, has[name], want)
		}
	}
	all := Fields(nil)
	if len(all) != len(fieldNames()) {
		t.Errorf("%d fields of %d names can be resolved", len(all), len(fieldNames()))
	}
}

// TestPlotPerGPU divides by the GPUs that a run declares or that its host has, and
// draws the whole system under a title that says so where nobody knows.
func TestPlotPerGPU(t *testing.T) {
	r := example(t, "first", "alpha", 1)
	whole := plotted(t, []report.Report{r}, "per_gpu", Options{})[0].Charts[0]
	if !strings.Contains(whole.Title, "number of GPUs unknown") {
		t.Errorf("title %q, want it to say that the number of GPUs is unknown", whole.Title)
	}
	declared, seen := r, r
	declared.Plan.Run.Spec.Cost = &spec.Cost{GPUCount: 4}
	seen.Manifest.Environment = record.Environment{"gpu.0.model": {Value: "H200"}, "gpu.1.model": {Value: "H200"}}
	for n, r := range map[float64]report.Report{4: declared, 2: seen} {
		c := plotted(t, []report.Report{r}, "per_gpu", Options{})[0].Charts[0]
		if c.Title != "Throughput per GPU vs speed per user" || len(c.Series) != 1 {
			t.Fatalf("%q with %d series", c.Title, len(c.Series))
		}
		for i, got := range c.Series[0].Marks {
			want := whole.Series[0].Marks[i]
			if got.Y.Value != want.Y.Value/n || got.Y.Interval.Hi != want.Y.Interval.Hi/n || got.X != want.X {
				t.Errorf("%g GPUs: %+v, want %+v with y / %g", n, got, want, n)
			}
		}
	}
}
