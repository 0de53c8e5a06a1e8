package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/metric"
	"assay/report"
	"assay/tests/whole"
)

// demoBundle makes a small run against the simulator.
func export(t *testing.T, bundle string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "exported")
	if _, stderr, code := call(t, "export", "genai-bench", bundle, "-o", folder); code != exitOK {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	return folder
}

// What a run by assay says survives the way into genai-bench's format and back.
func TestExportNative(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits for what it measures
	dir := demoBundle(t)
	stdout, stderr, code := call(t, "report", "--json", dir)
	if code != exitOK {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	var native report.Report
	if err := json.Unmarshal([]byte(stdout), &native); err != nil {
		t.Fatal(err)
	}
	folder := export(t, dir)
	back, _ := importJSON(t, folder)
	if len(back.Plan.Points) != len(native.Plan.Points) || back.Plan.Run.Spec.Workload.Model != native.Plan.Run.Spec.Workload.Model {
		t.Fatalf("%d points of %s, want %d of %s", len(back.Plan.Points), back.Plan.Run.Spec.Workload.Model, len(native.Plan.Points), native.Plan.Run.Spec.Workload.Model)
	}
	for i := range native.Plan.Points {
		for _, pair := range []struct{ ours, theirs metric.Metric }{
			{metric.TTFTService, metric.TTFT}, {metric.ServiceTime, metric.E2E}, {metric.TPOTDone, metric.TPOTDone},
		} {
			row, ok := native.Estimates.Find(pair.ours.ID, "p50", i)
			if !ok {
				t.Fatalf("the run has no %s", pair.ours.ID)
			}
			want, got := row.PerLaunch[0].Value, value(back, pair.theirs, "p50", i)
			if !(math.Abs(got-want) <= 1e-9) {
				t.Errorf("point %d: p50 of %s is %v, that of %s was %v", i, pair.theirs.ID, got, pair.ours.ID, want)
			}
		}
	}
	t.Run("genai-bench", func(t *testing.T) {
		_, imported := importJSON(t, genaiErrors)
		genaiBenchReads(t, export(t, imported), folder)
	})
}

func TestExportErrors(t *testing.T) {
	t.Parallel()
	_, dir := importJSON(t, genaiErrors)
	taken := t.TempDir()
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"genai-bench"}, exitUsage, "want a format and a bundle"},
		{[]string{"locust", dir, "-o", "x"}, exitUsage, `format "locust": want genai-bench`},
		{[]string{"genai-bench", dir}, exitUsage, "--out: want the folder to make"},
		{[]string{"genai-bench", taken, "-o", "x"}, exitUsage, "is not a bundle"},
		{[]string{"genai-bench", dir, "-o", taken}, exitFailed, "want a folder that does not exist"},
		{[]string{"genai-bench", dir, "-o", filepath.Join(taken, "x"), "--launch", "7"}, exitUsage, "--launch 7: the bundle has [1]"},
	} {
		if _, stderr, code := call(t, append([]string{"export"}, tt.args...)...); code != tt.code || !strings.Contains(stderr, tt.want) {
			t.Errorf("export %v: exit %d, %q; want %d, %q", tt.args, code, stderr, tt.code, tt.want)
		}
	}
}

// genai-bench itself reads what is exported, of its own results and of a run by
// assay, and makes its workbook and its plots. One process reads both: it takes
// seconds to start.
func genaiBenchReads(t *testing.T, imported, native string) {
	python := os.Getenv("ASSAY_GENAI_PYTHON")
	if python == "" {
		python = filepath.Join("..", "..", ".venv-genai", "bin", "python")
	}
	if _, err := os.Stat(python); err != nil {
		t.Skipf("needs the environment with genai-bench that make test installs: %v", err)
	}
	var stderr strings.Builder
	cmd := exec.Command(python, filepath.Join("..", "..", "tests", "genai_read.py"), imported, native)
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(string(stdout)), "\n")
	var read map[string][]struct {
		Scenario  string  `json:"scenario"`
		Level     int     `json:"level"`
		Requests  int     `json:"num_requests"`
		ErrorRate float64 `json:"error_rate"`
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &read); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if len(read[native]) != 3 || len(read[imported]) != 1 {
		t.Fatalf("genai-bench read %+v, want three runs and one", read)
	}
	if first := read[imported][0]; first.Requests != 45 || math.Abs(first.ErrorRate-13./45) > 1e-12 {
		t.Errorf("genai-bench read %+v, want 45 requests and an error rate of 13/45", first)
	}
	for _, folder := range []string{imported, native} {
		for _, pattern := range []string{"book.xlsx", "*combined_plots_2x4.png"} {
			if made, _ := filepath.Glob(filepath.Join(folder, pattern)); len(made) != 1 {
				t.Errorf("genai-bench made %d of %s in %s, want 1", len(made), pattern, folder)
			}
		}
	}
}
