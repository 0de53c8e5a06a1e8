package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"assay/bundle"
	"assay/metric"
	"assay/record"
	"assay/report"
	"assay/tests/whole"
)

// demo is the demo, carried out once for all tests that only read what it leaves.
var demo = sync.OnceValues(func() (printed string, err error) {
	var out, errs bytes.Buffer
	code := Main(context.Background(), Env{Args: []string{"demo", "--out", demoOut(), "--duration", "1s"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: environ})
	if code != exitOK {
		err = fmt.Errorf("demo: exit %d\n%s\n%s", code, &out, &errs)
	}
	return out.String(), err
})

// demoOut is where the demo leaves its bundle and its keys; TestMain removes it.
var demoOut = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "assay-demo-")
	if err != nil {
		panic(err)
	}
	return dir
})

// demoBundle is the bundle of the demo. Nobody may write to it.
func demoBundle(t *testing.T) string {
	t.Helper()
	if _, err := demo(); err != nil {
		t.Fatal(err)
	}
	bundles, err := filepath.Glob(filepath.Join(demoOut(), "*__run__demo"))
	if err != nil || len(bundles) != 1 {
		t.Fatalf("bundles %v (%v), want one", bundles, err)
	}
	return bundles[0]
}

// The whole line, small: simulator, launches, report, signed bundle, verified.
func TestDemo(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits for what it measures
	dir := demoBundle(t)
	stdout, _ := demo()
	for _, want := range []string{
		"sim · assay-sim", "256 in / 32 out", "3 launches × 1s", "TTFT p50", "TPOT p50", "E2E p50",
		"p99 needs 368 requests per launch: use --duration", "report/report.html", "assay report --all " + demoOut(), "verified: ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the demo does not print %q:\n%s", want, stdout)
		}
	}
	if !regexp.MustCompile(`\n +16 +[\d.]+ +\d+ \[\d+, \d+\] +[\d.]+ ms`).MatchString(stdout) {
		t.Errorf("no row of 16 users with an interval:\n%s", stdout)
	}
	verification, _, code := call(t, "verify", dir, "--key", filepath.Join(demoOut(), "demo.key.pub"))
	if code != exitOK {
		t.Errorf("verify: exit %d\n%s", code, verification)
	}
	if text, stderr, code := call(t, "report", dir); code != exitOK || !strings.Contains(text, "TTFT p50") {
		t.Errorf("report: exit %d\n%s\n%s", code, text, stderr)
	}
	all, stderr, code := call(t, "report", "--all", dir)
	for _, want := range []string{
		metric.LongestGap.Name, "completed, 3 of 3 planned launches completed", "concurrency=1\n", "concurrency=4\n", "concurrency=16\n",
		"ITL (chunk)", "output throughput", "error rate", "too few requests (", "signed by key",
		"a known stream, closed loop of 16, before and after the run", "client error", "lag p99",
	} {
		if code != exitOK || !strings.Contains(all, want) {
			t.Errorf("report --all: exit %d, want %q in\n%s\n%s", code, want, all, stderr)
		}
	}
	text, _, code := call(t, "report", "--json", dir)
	matchesSchema(t, "report", text)
	var r report.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil || code != exitOK {
		t.Fatalf("report --json: exit %d, %v", code, err)
	}
	if r.Status != bundle.Completed || len(r.Estimates.Launches) != 3 {
		t.Errorf("status %s over launches %v", r.Status, r.Estimates.Launches)
	}
	checkClient(t, r.Client)
	checks, err := os.ReadFile(filepath.Join(dir, "derived", version(), "checks.json"))
	if err != nil || !strings.Contains(string(checks), `"check": "no-variance"`) {
		t.Errorf("checks.json: %v\n%s", err, checks)
	}
	for _, row := range r.Estimates.Rows {
		if row.Metric == "error_rate.v1" && row.Value != 0 {
			t.Errorf("error rate %v at point %d, want 0: %+v", row.Value, row.Point, r.Estimates.Outcomes)
		}
	}
}

// checkClient wants both calibrations with nothing lost, and samples of every
// launch. How exact the client was depends on who else uses the machine.
func checkClient(t *testing.T, c metric.Client) {
	t.Helper()
	for _, made := range []*record.Calibration{c.Before, c.After} {
		if made == nil {
			t.Fatalf("a calibration is missing: %+v", c)
		}
		if made.Unavailable != "" || made.Lost != 0 || made.Failed != 0 || made.Requests < 16 || made.Gap.N == 0 || made.Lag.N != made.Requests {
			t.Errorf("%s the run: %+v", made.When, made)
		}
	}
	if c.Bounds == nil || c.Bounds.TTFT.Seconds <= 0 || c.Bounds.Gap.Seconds <= 0 || c.Bounds.Gap.N == 0 {
		t.Errorf("bounds %+v", c.Bounds)
	}
	if len(c.Launches) != 3 {
		t.Fatalf("health of %d launches, want 3", len(c.Launches))
	}
	for _, h := range c.Launches {
		for name, v := range map[string]*float64{
			"lag": h.LagP99, "CPU": h.CPUShare, "memory": h.ResidentMax, "files": h.OpenFilesMax,
			"run queue": h.RunQueue, "scheduling": h.SchedP99Max, "shared reads": h.SharedRead,
		} {
			if v == nil {
				t.Errorf("launch %d: no %s", h.Launch, name)
			}
		}
		if h.Requests == 0 || h.MostInFlight != 16 {
			t.Errorf("launch %d: %d requests, %d in flight", h.Launch, h.Requests, h.MostInFlight)
		}
	}
}

// A run that is told not to calibrate makes no claim about its client.
func TestUncalibrated(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	out := t.TempDir()
	stdout, stderr, code := call(t, "run", writeSpec(t, simulator(), "{concurrency: [1], duration: 1m, requests: 5, warmup: {}}"), "--out", out)
	if code != exitOK {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	stdout, _, _ = call(t, "report", "--all", onlyBundle(t, out))
	for _, want := range []string{"own error  not measured", "client-unmeasured", "load.calibrate is false"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report does not say %q:\n%s", want, stdout)
		}
	}
	files, err := filepath.Glob(filepath.Join(out, "*", "raw", "*", "calibration-*"))
	if err != nil || len(files) != 0 {
		t.Errorf("calibrations %v, %v; want none", files, err)
	}
}
