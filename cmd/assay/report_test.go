package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/analysis/scene"
	"assay/report/faces"
	"assay/tests/whole"
)

func TestReportCommand(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	dir := t.TempDir()
	base := buildScene(t, dir, "base", scene.Noise(4, 1, .005, 1))
	stream := buildScene(t, dir, "stream", []float64{1, 1, 1}, "concurrency: [1], duration: 1s", "mlperf: {scenario: single_stream, minDuration: 1s, minQueries: 10, percentile: 60}")
	file := func(name string) string { return filepath.Join(dir, name) }
	tests := []struct {
		name     string
		args     []string
		code     int
		out, err string
	}{
		{"text", []string{base}, exitOK, "details  assay report --all " + base, ""},
		{"all of the text", []string{"--all", base}, exitOK, "\nconcurrency=1\n", ""},
		{"JSON", []string{"--json", base}, exitOK, `"runID": "base"`, ""},
		{"Markdown", []string{"--format", "md", base}, exitOK, "## m · openai-chat", ""},
		{"CSV", []string{"--format", "csv", base}, exitOK, "base,concurrency=1,0,1,", ""},
		{"JUnit", []string{"--format", "junit", base}, exitOK, `<testcase classname="launch" name="launch 1">`, ""},
		{"short JSON", []string{"--format", "results", base}, exitOK, `"world_size": null`, ""},
		{"a file by its ending", []string{"-o", file("run.md"), base}, exitOK, "", "wrote "},
		{"a file by its format", []string{"-o", file("run.out"), "--format", "csv", base}, exitOK, "", "wrote "},
		{"a file that says nothing", []string{"-o", file("run.odd"), base}, exitUsage, "", "want --format"},
		{"no such format", []string{"--format", "pdf", base}, exitUsage, "", "want one of text, json, md"},
		{"two formats", []string{"--format", "md", "--json", base}, exitUsage, "", "want one of them"},
		{"two bundles", []string{base, base}, exitUsage, "", "assay compare " + base + " " + base},
		{"none", nil, exitUsage, "", "missing argument: a bundle"},
		{"no bundle", []string{dir}, exitUsage, "", "is not a bundle"},
		{"no scenario", []string{"--format", "mlperf", base}, exitFailed, "", "set load.mlperf"},
		{"a scenario", []string{"--format", "mlperf", stream}, exitOK, "NO MLPerf RESULT", ""},
		{"a scenario's verdict", []string{"-o", file("summary.txt"), "--format", "mlperf", stream}, exitOK, "", "wrote "},
		{"adding to a file", []string{"--write", "-o", file("x.md"), base}, exitUsage, "", "want --write alone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, story, code := call(t, append([]string{"report"}, tt.args...)...)
			if code != tt.code || !strings.Contains(out, tt.out) || !strings.Contains(story, tt.err) {
				t.Errorf("code %d, want %d\nstdout %s\nwant %q\nstderr %s\nwant %q", code, tt.code, out, tt.out, story, tt.err)
			}
		})
	}
	if got := read(t, file("run.md")); !strings.HasPrefix(got, "## m · openai-chat") {
		t.Errorf("run.md holds %.80q", got)
	}
	if got := read(t, file("summary.txt")); strings.Count(got, "Result is : VALID") != 3 || !strings.Contains(got, "p50 latency (ns) : 5") {
		t.Errorf("three launches by the rules of a scenario:\n%s", got)
	}
	if got := read(t, file("run.out")); !strings.HasPrefix(got, "run,point,") {
		t.Errorf("run.out holds %.80q", got)
	}
}

// A bundle gets the faces that it lacks once, keeps those that it has, and still
// verifies.
func TestReportWrite(t *testing.T) {
	base := buildScene(t, t.TempDir(), "base", []float64{1, 1.01, .99})
	for _, want := range []int{len(faces.All), 0} {
		out, story, code := call(t, "report", "--write", base)
		if got := strings.Count(out, "\n"); code != exitOK || got != want {
			t.Fatalf("code %d, wrote %d files, want %d:\n%s%s", code, got, want, out, story)
		}
	}
	for _, f := range faces.All {
		if info, err := os.Stat(filepath.Join(base, "report", f.File)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f.File, err)
		}
	}
	if out, story, code := call(t, "verify", base); code != exitOK {
		t.Errorf("verify ends with %d:\n%s%s", code, out, story)
	}
}

// pandas reads the CSV as the guide says: numbers as numbers, and nothing where a
// figure has no bound.
func TestPandasReadsCSV(t *testing.T) {
	whole.Only(t)
	python := os.Getenv("ASSAY_PYTHON")
	if python == "" {
		python = filepath.Join("..", "..", ".venv", "bin", "python")
	}
	if _, err := os.Stat(python); err != nil {
		t.Skipf("needs the Python environment that make test installs: %v", err)
	}
	dir := t.TempDir()
	base := buildScene(t, dir, "base", scene.Noise(4, 1, .005, 1))
	file := filepath.Join(dir, "run.csv")
	if _, story, code := call(t, "report", "-o", file, base); code != exitOK {
		t.Fatal(story)
	}
	answer, err := exec.Command(python, "-c", `
import pandas, sys
table = pandas.read_csv(sys.argv[1], float_precision="round_trip") # its default may lose the last digit
ttft = table[(table.metric == "ttft.v2")].set_index("statistic")
assert ttft.lo["p50"] < ttft.value["p50"] < ttft.hi["p50"], ttft
assert pandas.isna(ttft.lo["p99"]) and "too few requests" in ttft.warnings["p99"], ttft
print(ttft.value["p50"], ttft.launches["p50"], table.value.dtype)`, file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, answer)
	}
	j, err := trustFlags{}.show(Env{Environ: func() []string { return nil }}, base)
	if err != nil {
		t.Fatal(err)
	}
	row, _ := j.Estimates.Find("ttft.v2", "p50", 0)
	if want := fmt.Sprintf("%v 4 float64\n", row.Value); string(answer) != want {
		t.Errorf("pandas has %q, want %q", answer, want)
	}
}

func TestTerminal(t *testing.T) {
	f := func(path string, want bool) {
		t.Helper()
		file, err := os.Open(path)
		if err != nil {
			t.Skipf("this machine has no %s: %v", path, err)
		}
		defer file.Close()
		if got := terminal(file); got != want {
			t.Errorf("terminal(%s) = %v, want %v", path, got, want)
		}
	}
	f(os.DevNull, false)
	f(os.Args[0], false)
	if terminal(&strings.Builder{}) {
		t.Error("a string is a terminal")
	}
	f("/dev/ptmx", true)
}
