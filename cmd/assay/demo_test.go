package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"assay/bundle"
	"assay/report"
)

// The whole line, small: simulator, launches, report, signed bundle, verified.
func TestDemo(t *testing.T) {
	out := t.TempDir()
	stdout, stderr, code := call(t, "demo", "--out", out, "--duration", "1s")
	if code != exitOK {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	for _, want := range []string{
		"completed, 3 of 3 planned launches completed",
		"concurrency=1\n", "concurrency=4\n", "concurrency=16\n",
		"TTFT", "ITL (chunk)", "TPOT", "E2E", "output throughput", "error rate",
		"not certifiable (need n ≥ 368)", "signed by key", "bundle " + out,
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the demo does not print %q:\n%s", want, stdout)
		}
	}
	if !regexp.MustCompile(`TTFT +[\d.]+ m?s \[[\d.]+, [\d.]+\]`).MatchString(stdout) {
		t.Errorf("no TTFT with an interval:\n%s", stdout)
	}
	dirs, err := filepath.Glob(filepath.Join(out, "*__run__demo"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("bundles %v, %v; want one", dirs, err)
	}
	verification, _, code := call(t, "verify", dirs[0], "--key", filepath.Join(out, "demo.key.pub"))
	if code != exitOK {
		t.Errorf("verify: exit %d\n%s", code, verification)
	}
	if text, stderr, code := call(t, "report", dirs[0]); code != exitOK || !strings.Contains(text, "concurrency=16") {
		t.Errorf("report: exit %d\n%s\n%s", code, text, stderr)
	}
	text, _, code := call(t, "report", "--json", dirs[0])
	var r report.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil || code != exitOK {
		t.Fatalf("report --json: exit %d, %v", code, err)
	}
	if r.Status != bundle.Completed || len(r.Estimates.Launches) != 3 {
		t.Errorf("status %s over launches %v", r.Status, r.Estimates.Launches)
	}
	for _, row := range r.Estimates.Rows {
		if row.Metric == "error_rate.v1" && row.Value != 0 {
			t.Errorf("error rate %v at point %d, want 0: %+v", row.Value, row.Point, r.Estimates.Outcomes)
		}
	}
}
