package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/metric"
	"assay/report"
)

const genaiErrors = "../../foreign/testdata/genai-bench/errors"

// importJSON imports paths and returns the report and the bundle's folder.
func importJSON(t *testing.T, args ...string) (report.Report, string) {
	t.Helper()
	out := t.TempDir()
	stdout, stderr, code := call(t, append([]string{"import", "--json", "-o", out}, args...)...)
	if code != exitOK {
		t.Fatalf("import %v: exit %d\n%s", args, code, stderr)
	}
	matchesSchema(t, "report", stdout)
	var r report.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r, strings.TrimSpace(strings.TrimPrefix(stderr, "bundle "))
}

// value is a figure of a report; NaN when it is not there.
func value(r report.Report, m metric.Metric, statistic string, point int) float64 {
	row, ok := r.Estimates.Find(m.ID, statistic, point)
	if !ok {
		return math.NaN()
	}
	return row.Value
}

// What rows tell is computed anew, what they do not tell is absent, and what the
// tool got wrong is marked.
func TestImportJudged(t *testing.T) {
	t.Parallel()
	r, dir := importJSON(t, genaiErrors)
	for _, tt := range []struct {
		metric    metric.Metric
		statistic string
		want      float64
	}{
		{metric.ErrorRate, "value", 13. / 45},
		{metric.RequestThroughput, "value", 6.385547278},
		{metric.OutputThroughput, "value", 638.5547278},
		{metric.TTFT, "mean", .0772881734},
		{metric.TPOTDone, "mean", .0100245056},
		{metric.E2E, "mean", 1.0697142247},
	} {
		if got := value(r, tt.metric, tt.statistic, 0); !(math.Abs(got-tt.want) <= 1e-8*tt.want) {
			t.Errorf("%s %s = %v, want %v", tt.metric.ID, tt.statistic, got, tt.want)
		}
	}
	for _, m := range []metric.Metric{metric.TPOT, metric.ITL, metric.Lag, metric.Concurrency, metric.LongestGap, metric.OfferedRate} {
		for _, statistic := range []string{"mean", "value"} {
			if got := value(r, m, statistic, 0); !math.IsNaN(got) {
				t.Errorf("%s = %v, want none: the source cannot tell", m.ID, got)
			}
		}
	}
	if r.Claims == nil || r.Claims.Grade != "exploratory" || !strings.Contains(strings.Join(r.Claims.Downgrades, " "), "genai-bench") {
		t.Errorf("claims %+v, want exploratory because of genai-bench", r.Claims)
	}
	if len(r.Client.Launches) > 0 || r.Client.Bounds != nil {
		t.Errorf("client %+v, want nothing: it is not known", r.Client)
	}
	for range r.Steady.Judged {
		t.Error("a point without send times was judged for steady state")
	}
	wrong := 0
	for _, f := range r.Reported {
		if f.Wrong != "" {
			wrong++
			if f.Name != "error_rate" || f.Value != 0 || !strings.Contains(f.Wrong, "0.288889") {
				t.Errorf("%+v is called wrong, want error_rate 0 beside 0.288889 alone", f)
			}
		}
	}
	if wrong != 1 || r.Source == nil || r.Source.Tool != "genai-bench" {
		t.Errorf("%d wrong figures of source %+v, want one of genai-bench", wrong, r.Source)
	}
	if _, stderr, code := call(t, "verify", dir); code != exitOK {
		t.Errorf("verify: exit %d\n%s", code, stderr)
	}
	if stdout, stderr, code := call(t, "report", "--all", dir); code != exitOK || !strings.Contains(stdout, "source: genai-bench") {
		t.Errorf("report: exit %d, %s\n%s", code, stdout, stderr)
	}
	if stdout, _, _ := call(t, "claim", dir); !strings.Contains(stdout, "no-variance") {
		t.Errorf("claim does not say that one launch has no variance: %s", stdout)
	}
}

// An API key that genai-bench wrote into its metadata does not get into a bundle.
func TestImportRedacts(t *testing.T) {
	from := t.TempDir()
	if err := os.CopyFS(from, os.DirFS(genaiErrors)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(from, "experiment_metadata.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "--api-key K ", "--api-key zebra horse battery --aws-session-token tango42 ", 1)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, dir := importJSON(t, from)
	kept := 0
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, secret := range []string{"zebra", "battery", "tango42"} {
			if strings.Contains(string(data), secret) {
				t.Errorf("%s holds %q", path, secret)
			}
		}
		if strings.Contains(string(data), "--api-base http://127.0.0.1:18083 --api-key [redacted] --aws-session-token [redacted] --api-model-name m") {
			kept++
		}
		return err
	})
	if err != nil || kept != 1 {
		t.Errorf("%d files keep the command without its secrets (%v), want 1", kept, err)
	}
}

func TestImportErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"nothing", nil, exitUsage, "got no path"},
		{"tool alone", []string{"genai-bench"}, exitUsage, "want experiment folders"},
		{"unknown tool", []string{"jmeter", genaiErrors}, exitUsage, `no tool "jmeter": want one of genai-bench`},
		{"missing", []string{"missing"}, exitUsage, "no such file"},
		{"another folder", []string{t.TempDir()}, exitUsage, "no tool knows this as its own result"},
		{"named, another folder", []string{"genai-bench", t.TempDir()}, exitUsage, "has no experiment_metadata.json"},
		{"format", []string{"--format", "doc", genaiErrors}, exitUsage, `--format "doc"`},
		{"name", []string{"--name", "../x", genaiErrors}, exitFailed, "metadata.name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := t.TempDir()
			_, stderr, code := call(t, append([]string{"import", "-o", out}, tt.args...)...)
			if code != tt.code || !strings.Contains(stderr, tt.want) {
				t.Errorf("exit %d, %q; want %d, %q", code, stderr, tt.code, tt.want)
			}
			if left, _ := os.ReadDir(out); len(left) > 0 {
				t.Errorf("%s is left behind", left[0].Name())
			}
		})
	}
	if stdout, _, code := call(t, "import", "--list"); code != exitOK || !strings.Contains(stdout, "genai-bench") {
		t.Errorf("--list: exit %d, %q", code, stdout)
	}
}

// What an import could not have is no accusation: its plan is made afterwards, and
// summaries have no requests. What was filled in is not shown as asked.
func TestImportIsNotAccused(t *testing.T) {
	t.Parallel()
	for _, sample := range []string{"vllm/c2.json", "vegeta/rate10-report.json", "lm-eval", "nccl-tests/all_gather.json"} {
		path := filepath.Join("../../foreign/testdata", sample)
		tool, _, _ := strings.Cut(sample, "/")
		if tool == sample { // the only results of the folder
			files, err := filepath.Glob(path + "/results*")
			if err != nil || len(files) != 1 {
				t.Fatalf("%s holds %v (%v), want one file", path, files, err)
			}
			path = files[0]
		}
		stdout, stderr, code := call(t, "import", tool, path, "-o", t.TempDir())
		if code != exitOK {
			t.Fatalf("%s: exit code %d:\n%s", sample, code, stderr)
		}
		for _, wrong := range []string{"chosen-after", "unexplained-subset", "512 tokens in"} {
			if strings.Contains(stdout, wrong) {
				t.Errorf("%s: the report says %s:\n%s", sample, wrong, stdout)
			}
		}
	}
}
