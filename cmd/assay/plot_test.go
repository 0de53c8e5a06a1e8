package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/analysis/scene"
	"assay/tests/whole"
)

// TestPlotCommand draws two runs and looks at the names of the files, and at what
// is refused.
func TestPlotCommand(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	dir := t.TempDir()
	base := buildScene(t, dir, "base", scene.Noise(4, 1, .005, 1), "[1]", "[1, 2, 4]")
	other := buildScene(t, dir, "other", scene.Noise(4, 1.2, .005, 2), "[1]", "[1, 2, 4]", "name: scene", "name: slow, labels: {server_engine: x}")
	layout := filepath.Join(dir, "layout.json")
	wrong := filepath.Join(dir, "wrong.yaml")
	for name, text := range map[string]string{
		layout: `{"layout": {"rows": 1, "cols": 1}, "plots": [{"title": "TTFT", "x_field": "num_concurrency", "y_field": "stats.ttft.p90", "position": [0, 0]}]}`,
		wrong:  "layout: {rows: 1, cols: 1}\nplots: [{title: T, x_field: rate, y_field: tfft.p95, position: [0, 0]}]\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := func(name string) string { return filepath.Join(dir, "out", name) }
	tests := []struct {
		name  string
		args  []string
		code  int
		says  []string
		files []string
	}{
		{"ours", []string{"plot", base, other, "-o", out("ours")}, exitOK, []string{"assay.svg"}, []string{"ours/assay.svg", "ours/assay_TTFT vs output throughput.svg"}},
		{"theirs", []string{"plot", base, "--preset", "simple_2x2", "--format", "png", "-o", out("theirs")}, exitOK, nil,
			[]string{"theirs/traffic_scenario_combined_plots_2x2.png", "theirs/traffic_scenario_RPS vs Error Rate.png"}},
		{"a file", []string{"plot", base, "--layout", layout, "--format", "svg,pdf", "-o", out("file")}, exitOK, nil, []string{"file/traffic_scenario_TTFT.svg", "file/traffic_scenario_combined_plots_1x1.pdf"}},
		{"presets", []string{"plot", "--list-presets"}, exitOK, []string{"2x4_default", "single_scenario_analysis", "timeline"}, nil},
		{"fields", []string{"plot", base, "--list-fields"}, exitOK, []string{"ttft.p95", "stats.ttft.p95"}, nil},
		{"valid", []string{"plot", "--layout", layout, "--validate-only"}, exitOK, []string{"can be drawn: 1 panels"}, nil},
		{"a wrong field", []string{"plot", "--layout", wrong, "--validate-only"}, exitUsage, []string{"wrong.yaml", "did you mean ttft.p95"}, nil},
		{"no bundle", []string{"plot"}, exitUsage, []string{"got no bundle"}, nil},
		{"a wrong preset", []string{"plot", base, "--preset", "3x3"}, exitUsage, []string{"want one of assay, per_gpu, timeline, scaling, 2x4_default"}, nil},
		{"a wrong format", []string{"plot", base, "--format", "gif"}, exitUsage, []string{"want svg, png, pdf"}, nil},
		{"a label that one has not", []string{"plot", base, other, "--group-by", "server_engine"}, exitUsage, []string{"run base has no such field"}, nil},
		{"the same twice", []string{"plot", base, base}, exitUsage, []string{"given twice"}, nil},
		{"no layout", []string{"plot", base, "--layout", filepath.Join(dir, "none")}, exitUsage, []string{"no such file"}, nil},
	}
	for _, tt := range tests {
		stdout, stderr, code := call(t, tt.args...)
		if code != tt.code {
			t.Errorf("%s: exit code %d, want %d\n%s%s", tt.name, code, tt.code, stdout, stderr)
		}
		for _, want := range tt.says {
			if !strings.Contains(stdout+stderr, want) {
				t.Errorf("%s: does not say %q:\n%s%s", tt.name, want, stdout, stderr)
			}
		}
		for _, name := range tt.files {
			if info, err := os.Stat(out(name)); err != nil || info.Size() == 0 {
				t.Errorf("%s: %s is missing or empty: %v", tt.name, name, err)
			}
			if !strings.Contains(stdout, filepath.Base(name)+"\n") {
				t.Errorf("%s: %s is not among the printed names:\n%s", tt.name, name, stdout)
			}
		}
	}
}

// TestPlotJSON: the data of the panels are those of the report, to the last digit.
func TestPlotJSON(t *testing.T) {
	dir := t.TempDir()
	base := buildScene(t, dir, "base", scene.Noise(4, 1, .005, 1), "[1]", "[1, 2, 4]")
	stdout, stderr, _ := call(t, "plot", base, "--json", "--percentile", "p50", "-o", filepath.Join(dir, "out"))
	var got struct {
		Files   []string
		Figures []struct {
			Charts []struct {
				Title  string
				Series []struct {
					Marks []struct{ X, Y struct{ Value float64 } }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	stdout, _, _ = call(t, "report", base, "--json")
	var report struct {
		Estimates struct {
			Rows []struct {
				Metric, Statistic string
				Point             int
				Value             float64
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	chart := got.Figures[0].Charts[0]
	if len(chart.Series) != 1 || len(chart.Series[0].Marks) != 3 {
		t.Fatalf("%s has series %+v, want one of three marks", chart.Title, chart.Series)
	}
	for i, m := range chart.Series[0].Marks {
		for id, v := range map[string]float64{"ttft.v2 p50": m.Y.Value, "output_throughput.v1 value": m.X.Value} {
			k := slices.IndexFunc(report.Estimates.Rows, func(r struct {
				Metric, Statistic string
				Point             int
				Value             float64
			}) bool {
				return r.Metric+" "+r.Statistic == id && r.Point == i
			})
			if k < 0 || report.Estimates.Rows[k].Value != v {
				t.Errorf("point %d: %s is drawn at %v, and the report says something else", i, id, v)
			}
		}
	}
}
