package plot

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"assay/analysis/picture"
	"assay/analysis/scaling"
	"assay/bundle"
	"assay/finding"
	"assay/judge"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/report"
	"assay/report/reporttest"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// example is a report of a sweep whose numbers follow from the level: TTFT
// rises with it, throughput saturates at eight users, and one request in fifty
// fails by a timeout at the highest level. p99 has no interval anywhere.
func example(t testing.TB, name, engine string, slow float64) report.Report {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun,
metadata: {name: `+name+`, labels: {server_engine: `+engine+`}},
spec: {workload: {model: m, sequenceLengthMix: [{inputTokens: 100, outputTokens: 20, weight: 1}]}, target: {url: "http://127.0.0.1:8000"},
load: {concurrency: [1, 2, 4, 8, 16]}, trials: {minReplicates: 4}, slo: [{metric: ttft, max: 200ms}]}}`))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	r := report.Report{Version: report.Version, RunID: "20260102_030405__run__" + name, Signature: judge.Unsigned, Plan: p,
		Estimates: metric.Estimates{Confidence: .95, Launches: []int{0, 1, 2, 3}}, Pictures: pictures(p)}
	study := reporttest.Scaled(t)
	r.Scaling = &scaling.Report{Studies: []scaling.StudyReport{{Result: &study}}}
	add := func(m metric.Metric, statistic string, point int, v, half float64) {
		row := metric.Row{Metric: m.ID, Name: m.Name, Statistic: statistic, Unit: m.Unit, Point: point}
		row.Value, row.Interval = v, stats.Interval{Lo: max(0, v-half), Hi: v + half}
		if half == 0 {
			row.Interval = stats.Interval{Lo: 0, Hi: math.Inf(1)} // as estimates of times are: never below zero
		}
		r.Estimates.Rows = append(r.Estimates.Rows, row)
	}
	for i, point := range p.Points {
		n := float64(point.Concurrency)
		rate := 40 * min(n, 8) / slow
		for k, statistic := range []string{"mean", "p50", "p90", "p95", "p99", "p99.9"} {
			wide := 1 + .1*float64(k)
			half := .004 * n
			if k >= 4 {
				half = 0
			}
			add(metric.TTFT, statistic, i, .02*n*slow*wide, half)
			add(metric.E2E, statistic, i, .06*n*slow*wide, half)
			add(metric.TPOT, statistic, i, .006*slow*wide, half/100)
			add(metric.UserSpeed, statistic, i, 160/slow/math.Sqrt(n), 4)
		}
		add(metric.OutputThroughput, "value", i, rate*20, 15)
		add(metric.TotalThroughput, "value", i, rate*120, 90)
		add(metric.RequestThroughput, "value", i, rate, .8)
		add(metric.Goodput, "value", i, rate*.9, 1)
		failed := 0
		if n == 16 {
			failed = 4
			add(metric.TimeoutRate, "value", i, .02, .01)
		}
		add(metric.ErrorRate, "value", i, float64(failed)/200, .01)
		r.Estimates.Outcomes = append(r.Estimates.Outcomes, metric.Outcomes{Point: i, Counts: map[record.Outcome]int{record.OK: 200 - failed, record.Timeout: failed}})
	}
	return r
}

// pictures are a distribution of TTFT for each point and one launch.
func pictures(p plan.Plan) *picture.Set {
	set := &picture.Set{Version: picture.Version}
	launch := picture.Launch{End: float64(len(p.Points))}
	for i := range p.Points {
		d := picture.Distribution{Metric: metric.TTFT.ID, Name: "TTFT", Unit: unit.Second, Point: i, Band: "an example of a band"}
		for k := 1; k <= 10; k++ {
			share := float64(k) / 10
			d.Value = append(d.Value, .02*float64(i+1)*(1+share))
			d.Share, d.Lo, d.Hi = append(d.Share, share), append(d.Lo, max(0, share-.1)), append(d.Hi, min(1, share+.1))
		}
		set.Distributions = append(set.Distributions, d)
		at := float64(i)
		begin, end := at+.4, at+.8
		launch.Windows = append(launch.Windows, picture.Window{Point: i, Begin: at, Measure: at + .2, MeasureEnd: at + .9, End: at + 1, SteadyBegin: &begin, SteadyEnd: &end})
	}
	one, two := .02, .03
	launch.Series = []picture.Series{
		{Name: picture.FirstTokenMedian, Source: picture.Requests, Unit: unit.Second, Step: 1, Start: .5, Values: []*float64{&one, nil, &two, &two, &one}},
		{Name: picture.Completed, Source: picture.Requests, Unit: unit.RequestPerSecond, Step: 1, Start: .5, Values: []*float64{&one, &one, &two, &two, &one}},
	}
	set.Launches = []picture.Launch{launch}
	return set
}

func plotted(t *testing.T, reports []report.Report, preset string, o Options) []Figure {
	t.Helper()
	l, err := FindPreset(preset)
	if err != nil {
		t.Fatal(err)
	}
	figures, err := Figures(reports, l, o)
	if err != nil {
		t.Fatal(err)
	}
	return figures
}

func drawnSVG(t *testing.T, draw func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := draw(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var svgTexts = regexp.MustCompile(`(?s)<text x="([^"]*)" y="([^"]*)"[^>]*?font-size:([\d.]+)px[^>]*>(.*?)</text>`)

// structure is what a picture says, without the places where it says it: those
// differ in the last digit between processors.
func structure(svg string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d shapes\n", strings.Count(svg, "<path"))
	for _, m := range svgTexts.FindAllStringSubmatch(svg, -1) {
		fmt.Fprintln(&b, m[4])
	}
	return b.String()
}

// TestPlotPresets compares every preset, with one run and with two, with its
// golden file, and draws each twice: the same bytes come out.
func TestPlotPresets(t *testing.T) {
	one := []report.Report{example(t, "first", "alpha", 1)}
	two := append(one, example(t, "second", "beta", 1.4))
	for _, preset := range Presets {
		var got strings.Builder
		for _, reports := range [][]report.Report{one, two} {
			for _, f := range plotted(t, reports, preset.Name, Options{}) {
				svg := drawnSVG(t, func(b *bytes.Buffer) error { return f.Draw(b, "svg") })
				if again := drawnSVG(t, func(b *bytes.Buffer) error { return f.Draw(b, "svg") }); again != svg {
					t.Errorf("%s: drawn twice, two pictures", preset.Name)
				}
				fmt.Fprintf(&got, "== %s\n%s", f.File, structure(svg))
				for _, c := range f.Charts {
					fmt.Fprintf(&got, "-- %s\n", c.File)
				}
			}
		}
		file := filepath.Join("testdata", preset.Name+".txt")
		if *reporttest.Update {
			if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s differs from %s; look at it and run go test ./report -update\n%s", preset.Name, file, got.String())
		}
	}
}

// TestPlotSingleCharts finds every value of a panel in the file of the panel
// alone: one filled or hollow mark for each.
func TestPlotSingleCharts(t *testing.T) {
	marks := regexp.MustCompile(`stroke-width:1\.2["; ]`) // the outline of a mark
	reports := []report.Report{example(t, "first", "alpha", 1), example(t, "second", "beta", 1.4)}
	for _, preset := range []string{"2x4_default", "simple_2x2", "multi_line_latency", "assay"} {
		f := plotted(t, reports, preset, Options{})[0]
		for i, c := range f.Charts {
			want := len(f.keys)
			for _, s := range c.Series {
				if s.dotted {
					want += len(s.Marks)
				}
			}
			if c.bars != nil {
				want += len(c.bars.bars)
			}
			for _, k := range c.keys {
				if k.dotted {
					want++
				}
			}
			svg := drawnSVG(t, func(b *bytes.Buffer) error { return f.DrawChart(b, i, "svg") })
			if got := len(marks.FindAllString(svg, -1)); got != want {
				t.Errorf("%s, %s: %d marks in its own file, want %d", preset, c.Title, got, want)
			}
		}
	}
}

// TestPlotIntervals: a value with an interval is a filled mark with its bars, one
// without is hollow.
func TestPlotIntervals(t *testing.T) {
	r := []report.Report{example(t, "first", "alpha", 1)}
	l := Layout{Layout: Grid{Rows: 1, Cols: 2}, Plots: []Panel{
		{Title: "with", X: "concurrency", Y: "ttft.p90", Type: typeLine, Where: []int{0, 0}},
		{Title: "without", X: "concurrency", Y: "ttft.p99", Type: typeLine, Where: []int{0, 1}},
	}}
	figures, err := Figures(r, l, Options{})
	if err != nil {
		t.Fatal(err)
	}
	hollow := func(i int) int {
		svg := drawnSVG(t, func(b *bytes.Buffer) error { return figures[0].DrawChart(b, i, "svg") })
		return strings.Count(svg, `fill:#FFFFFF`) - 1 // the page
	}
	if got := hollow(0); got != 0 {
		t.Errorf("%d hollow marks where every value has an interval", got)
	}
	if got := hollow(1); got != 5 {
		t.Errorf("%d hollow marks, want 5: no value has an interval", got)
	}
	bars := func(i int) int {
		svg := drawnSVG(t, func(b *bytes.Buffer) error { return figures[0].DrawChart(b, i, "svg") })
		return strings.Count(svg, "stroke-opacity:0.749")
	}
	if with, without := bars(0), bars(1); with != 20 || without != 0 {
		t.Errorf("%d strokes of bars with intervals and %d without, want 20 (two ends of five values, each a stem and a cap) and 0", with, without)
	}
}

// TestPlotErrors: the error rate is that of the bundle, parted by kinds.
func TestPlotErrors(t *testing.T) {
	f := plotted(t, []report.Report{example(t, "first", "alpha", 1)}, "2x4_default", Options{})[0]
	c := f.Charts[3]
	last := c.bars.bars[4]
	if last.total.Value != .02 || len(last.parts) != 1 || last.parts[0].value != .02 || errorKinds[last.parts[0].kind-1].ID != metric.TimeoutRate.ID {
		t.Errorf("bar = %+v, want 2 %% timeouts", last)
	}
	if len(c.keys) != 1 || c.keys[0].label != "timeout" {
		t.Errorf("keys = %+v, want timeout", c.keys)
	}
	good := example(t, "good", "alpha", 1)
	for i := range good.Estimates.Rows {
		if good.Estimates.Rows[i].Metric == metric.ErrorRate.ID {
			good.Estimates.Rows[i].Value = 0
		}
	}
	f = plotted(t, []report.Report{good}, "2x4_default", Options{})[0]
	if got := f.Charts[3].Empty; got != "no errors in 1000 requests" {
		t.Errorf("a run without errors says %q", got)
	}
	unknown := example(t, "unknown", "alpha", 1)
	for i := range unknown.Estimates.Rows {
		if unknown.Estimates.Rows[i].Metric == metric.TimeoutRate.ID {
			unknown.Estimates.Rows[i].Value = .005
		}
	}
	c = plotted(t, []report.Report{unknown}, "2x4_default", Options{})[0].Charts[3]
	if parts := c.bars.bars[4].parts; len(parts) != 2 || math.Abs(parts[1].value-.015) > 1e-12 {
		t.Errorf("parts = %+v, want the rest of 1.5 %% as of unknown kind", parts)
	}
}

// TestPlotGroups looks at lines, figures and names for each way of grouping.
func TestPlotGroups(t *testing.T) {
	first, second, third := example(t, "first", "alpha", 1), example(t, "second", "beta", 1.4), example(t, "third", "beta", 1.5)
	mixed := example(t, "mixed", "alpha", 1)
	for i := range mixed.Plan.Points {
		mixed.Plan.Points[i].Scenario = []string{"D(100,20)", "D(200,20)"}[i%2]
	}
	tests := []struct {
		reports []report.Report
		preset  string
		o       Options
		want    string // figure: line | line; …
	}{
		{[]report.Report{first}, "assay", Options{}, "assay: first"},
		{[]report.Report{first, second}, "assay", Options{}, "assay: first | second"},
		{[]report.Report{first, second}, "simple_2x2", Options{}, "traffic_scenario_combined_plots_2x2: D(100,20) · first | D(100,20) · second"},
		{[]report.Report{first, second, third}, "simple_2x2", Options{GroupBy: "server_engine"},
			"D100_20_group_by_server_engine_combined_plots_2x2: server_engine: alpha | server_engine: beta · second | server_engine: beta · third"},
		{[]report.Report{mixed}, "simple_2x2", Options{}, "traffic_scenario_combined_plots_2x2: D(100,20) | D(200,20)"},
		{[]report.Report{mixed}, "simple_2x2", Options{GroupBy: "none"}, "single_analysis_D100_20_combined_plots_2x2: mixed; single_analysis_D200_20_combined_plots_2x2: mixed"},
		{[]report.Report{mixed}, "assay", Options{}, "assay: D(100,20) | D(200,20)"},
		{[]report.Report{mixed}, "assay", Options{GroupBy: "spec.target.model"}, "assay_D100_20: spec.target.model: m; assay_D200_20: spec.target.model: m"},
		{[]report.Report{mixed}, "assay", Options{Filter: []string{"scenario=D(200,20)"}}, "assay: mixed"},
		{[]report.Report{first, second}, "assay", Options{Filter: []string{"server_engine=beta"}}, "assay: second"},
		{[]report.Report{first, second}, "simple_2x2", Options{GroupBy: "concurrency", Filter: []string{"concurrency=2", "concurrency=4", "name=first"}},
			"group_by_concurrency_combined_plots_2x2: concurrency: 2 | concurrency: 4"},
		{[]report.Report{first, second}, "assay", Options{GroupBy: "run"}, "assay: " + first.RunID + " | " + second.RunID},
	}
	for _, tt := range tests {
		var got []string
		for _, f := range plotted(t, tt.reports, tt.preset, tt.o) {
			var lines []string
			for _, k := range f.keys {
				lines = append(lines, k.label)
			}
			got = append(got, f.File+": "+strings.Join(lines, " | "))
		}
		if strings.Join(got, "; ") != tt.want {
			t.Errorf("%s of %d runs, %+v:\n got %s\nwant %s", tt.preset, len(tt.reports), tt.o, strings.Join(got, "; "), tt.want)
		}
	}
}

// TestPlotRefuses names what is wrong with what was asked.
func TestPlotRefuses(t *testing.T) {
	r := example(t, "first", "alpha", 1)
	tests := []struct {
		reports []report.Report
		o       Options
		want    string
	}{
		{[]report.Report{r, r}, Options{}, "is given twice"},
		{[]report.Report{r}, Options{GroupBy: "server_gpu"}, `--group-by "server_gpu": run ` + r.RunID + " has no such field; want scenario, none"},
		{[]report.Report{r}, Options{Filter: []string{"concurrency"}}, "want FIELD=VALUE"},
		{[]report.Report{r}, Options{Filter: []string{"concurrency=3"}}, "leaves no point"},
		{[]report.Report{r}, Options{TimeUnit: "min"}, "want s or ms"},
		{[]report.Report{r}, Options{Statistic: "p42"}, "want one of mean, p50"},
	}
	for _, tt := range tests {
		l, _ := FindPreset("assay")
		if _, err := Figures(tt.reports, l, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.want)
		}
	}
}

// TestPlotNotes: a picture says who vouches for it and what voids it.
func TestPlotNotes(t *testing.T) {
	r := example(t, "first", "alpha", 1)
	r.Source = &bundle.Source{Tool: "genai-bench", Version: "0.0.5"}
	r.Findings = []finding.Finding{{Check: "client-error", Severity: finding.Void}, {Check: "short-run", Severity: finding.Caution}}
	f := plotted(t, []report.Report{r}, "assay", Options{})[0]
	svg := drawnSVG(t, func(b *bytes.Buffer) error { return f.Draw(b, "svg") })
	for _, want := range []string{r.RunID + ": 4 launches, as genai-bench 0.0.5, UNSIGNED", "VOID, not to be quoted: client-error<", "objective: p99 ≤ 200 ms", "95 % interval"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
}

// TestPlotLabels puts thirty points close to each other: no two levels are
// written over each other, and some are.
func TestPlotLabels(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	c := Chart{Title: "dense"}
	s := Series{look: lookOf(0), interval: "bars", joined: true, dotted: true}
	for i := range 30 {
		s.Marks = append(s.Marks, Mark{X: exactly(100 + 20*random.Float64()), Y: exactly(50 + 9*random.Float64()), Label: strconv.Itoa(100 + i)})
	}
	c.Series = []Series{s}
	c.X, c.Y = Axis{factor: 1}, Axis{factor: 1}
	c.fit("")
	f := Figure{Rows: 1, Cols: 1, Width: 8, Height: 6, Charts: []Chart{c}}
	svg := drawnSVG(t, func(b *bytes.Buffer) error { return f.Draw(b, "svg") })
	type box struct{ left, right, low, high float64 }
	var boxes []box
	for _, m := range svgTexts.FindAllStringSubmatch(svg, -1) {
		size, _ := strconv.ParseFloat(m[3], 64)
		if n, err := strconv.Atoi(m[4]); err != nil || n < 100 || math.Abs(size-markSize*f.scaleOfOne()) > .01 {
			continue
		}
		x, _ := strconv.ParseFloat(m[1], 64)
		y, _ := strconv.ParseFloat(m[2], 64)
		boxes = append(boxes, box{x, x + 3*.55*size, -y, -y + .7*size})
	}
	if len(boxes) < 5 {
		t.Fatalf("%d of 30 levels are written, want some", len(boxes))
	}
	for i, a := range boxes {
		for _, b := range boxes[:i] {
			if a.left < b.right && b.left < a.right && a.low < b.high && b.low < a.high {
				t.Errorf("two levels overlap: %+v and %+v", a, b)
			}
		}
	}
}

// scaleOfOne is the scale at which a figure of one panel is drawn.
func (f Figure) scaleOfOne() float64 {
	return max(.75, min(1.5, f.Width/5.6, f.Height/4.4))
}

// TestPlotFormats draws in every format.
func TestPlotFormats(t *testing.T) {
	f := plotted(t, []report.Report{example(t, "first", "alpha", 1)}, "simple_2x2", Options{})[0]
	var b bytes.Buffer
	if err := f.Draw(&b, "png"); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X != 16*dpi || size.Y != 12*dpi {
		t.Errorf("PNG of %v, want 16 × 12 inches", size)
	}
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := f.Draw(b, "pdf"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.HasPrefix(first.Bytes(), []byte("%PDF-")) || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("not a PDF, or not the same one twice")
	}
	if err := f.Draw(&b, "jpeg"); err == nil || !strings.Contains(err.Error(), "want svg, png, pdf") {
		t.Errorf("jpeg: %v", err)
	}
}

// BenchmarkPlot draws the page of a sweep of 45 points in each format.
func BenchmarkPlot(b *testing.B) {
	r := example(b, "first", "alpha", 1)
	rows, points := r.Estimates.Rows, r.Plan.Points
	for k := 1; k < 9; k++ {
		for _, p := range points {
			p.Index, p.Concurrency, p.Scenario = p.Index+k*len(points), p.Concurrency+k, fmt.Sprintf("D(%d,20)", 100*k)
			r.Plan.Points = append(r.Plan.Points, p)
		}
		for _, row := range rows {
			row.Point += k * len(points)
			r.Estimates.Rows = append(r.Estimates.Rows, row)
		}
	}
	l, err := FindPreset("2x4_default")
	if err != nil {
		b.Fatal(err)
	}
	for _, format := range Formats {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				figures, err := Figures([]report.Report{r}, l, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if err := figures[0].Draw(&bytes.Buffer{}, format); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
