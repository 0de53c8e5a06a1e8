package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/finding"
	"assay/judge"
	"assay/lint"
	"assay/metric"
	"assay/record"
)

// publicationRun carries out the example of a publication-grade run of the
// simulator, shortened, and returns its bundle and what lint says about it.
func publicationRun(t *testing.T) (*bundle.Bundle, bundleAudit) {
	t.Helper()
	text, err := os.ReadFile("../../examples/publication-simulator.yaml")
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	short := strings.NewReplacer("127.0.0.1:8102", addr, "[assay,", "["+self+",", "duration: 10s", "duration: 2500ms",
		"duration: 4s", "duration: 1500ms", "minReplicates: 5", "minReplicates: 3").Replace(string(text))
	dir := t.TempDir()
	path, key, out := filepath.Join(dir, "publication.yaml"), filepath.Join(dir, "run.key"), filepath.Join(dir, "runs")
	if err := os.WriteFile(path, []byte(short), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := call(t, "keygen", "--out", key); code != exitOK {
		t.Fatal(stderr)
	}
	if stdout, stderr, code := call(t, "run", path, "--key", key, "--out", out); code != exitOK {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	made := onlyBundle(t, out)
	b, err := bundle.Open(made)
	if err != nil {
		t.Fatal(err)
	}
	var report lintReport
	stdout, stderr, _ := call(t, "lint", "--json", made)
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || len(report.Audits) != 1 {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return b, report.Audits[0]
}

// A clean publication-grade run has no finding worse than a note, but for what the
// host's own noise did to it, which the samples must show.
func TestCleanPublication(t *testing.T) {
	t.Parallel() // it mostly waits
	b, audit := publicationRun(t)
	noise := hostNoise(t, b)
	for _, f := range audit.Findings {
		if f.Severity == finding.Note {
			continue
		}
		excuse, known := noise[f.Check]
		switch {
		case !known:
			t.Errorf("%s %s: %s", f.Severity, f.Check, f.Message)
		case !excuse:
			t.Errorf("%s %s: %s; nothing in the records is over its limit", f.Severity, f.Check, f.Message)
		default:
			t.Logf("the host: %s %s: %s", f.Severity, f.Check, f.Message)
		}
	}
	for _, r := range audit.Results {
		if r.State == lint.NotChecked && r.Severity == finding.Void {
			t.Errorf("%s was not checked: %s is missing", r.Check, r.Missing)
		}
	}
	simulated := slices.IndexFunc(audit.Findings, func(f finding.Finding) bool { return f.Check == "simulated-target" })
	if simulated < 0 || audit.Findings[simulated].Severity != finding.Note {
		t.Errorf("that the subject is the simulator is not said: %+v", audit.Findings)
	}
}

// hostNoise says, for every check that a busy host can trip, whether the records
// are really over its limit. It looks at them itself.
func hostNoise(t *testing.T, b *bundle.Bundle) map[string]bool {
	t.Helper()
	late, middle, drift := false, 1.0, false
	j, err := judge.Of(b, judge.Options{Version: version()})
	if err != nil {
		t.Fatal(err)
	}
	if row, ok := j.Estimates.Find(metric.ITL.ID, "p50", 0); ok {
		middle = row.Value
	}
	coarse := false
	var gaps, firsts []int64
	for _, info := range b.Launches() {
		lags := []int64{}
		for r, err := range bundle.Rows[record.Request](b, info.Index, bundle.Requests) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Phase == record.Measure {
				lags = append(lags, r.Sent-r.Due)
			}
		}
		slices.Sort(lags)
		late = late || lags[len(lags)*99/100] > 1e6 || over(t, b, info.Index, "client gc.pause.max", 10e-3) ||
			grown(t, b, info.Index, "client cgroup.throttled.total") > 0
		for _, when := range []string{record.CalibrationBefore, record.CalibrationAfter} {
			data, err := b.ReadFile(fmt.Sprintf("raw/launch-%02d/%s", info.Index, record.CalibrationFile(when)))
			if err != nil {
				continue // only the first and the last launch have one
			}
			var c record.Calibration
			if err := json.Unmarshal(data, &c); err != nil {
				t.Fatal(err)
			}
			gaps, firsts = append(gaps, c.Gap.P99), append(firsts, c.TTFT.Max)
			coarse = coarse || c.Lost+c.Failed > 0
		}
	}
	for _, errors := range [][]int64{gaps, firsts} {
		coarse = coarse || float64(slices.Max(errors))/1e9 > .05*middle
		drift = drift || slices.Max(errors) > 3*slices.Min(errors)
	}
	busy := false
	for _, info := range b.Launches() {
		seconds := spanned(t, b, info.Index, "host cpu.psi.some.total")
		busy = busy || grown(t, b, info.Index, "host cpu.psi.some.total") > .05*seconds || grown(t, b, info.Index, "host cpu.steal.total") > 0
	}
	return map[string]bool{"client-limit": late, "client-error": coarse, "client-drift": drift, "noisy-neighbours": busy}
}

// readingsOf lists the readings of a gauge, and when each was made.
func readingsOf(t *testing.T, b *bundle.Bundle, launch int, gauge string) (values []float64, at []int64) {
	t.Helper()
	for s, err := range bundle.Rows[record.Sample](b, launch, bundle.Samples) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Source+" "+s.Name == gauge && s.Value != nil {
			values, at = append(values, *s.Value), append(at, s.At)
		}
	}
	return values, at
}

func over(t *testing.T, b *bundle.Bundle, launch int, gauge string, limit float64) bool {
	values, _ := readingsOf(t, b, launch, gauge)
	return slices.ContainsFunc(values, func(v float64) bool { return v > limit })
}

func grown(t *testing.T, b *bundle.Bundle, launch int, gauge string) float64 {
	values, _ := readingsOf(t, b, launch, gauge)
	if len(values) < 2 {
		return 0
	}
	return values[len(values)-1] - values[0]
}

func spanned(t *testing.T, b *bundle.Bundle, launch int, gauge string) float64 {
	_, at := readingsOf(t, b, launch, gauge)
	if len(at) < 2 {
		return 0
	}
	return float64(at[len(at)-1]-at[0]) / 1e9
}

// The gate itself is looked at where its policy and history are given.
func TestLintGate(t *testing.T) {
	a, b := lintedRun(t, "gate-a", "bf16"), lintedRun(t, "gate-b", "bf16")
	dir := t.TempDir()
	history := filepath.Join(dir, "history.jsonl")
	line := `{"version":"1.0","time":"2026-03-0%[1]dT00:00:00Z","rule":"gate.v1","policy":"p","alpha":0.05,"baseline":"sha256:b%[2]d","candidate":"c","passed":false,"verdicts":{},"alerts":["x"]}` + "\n"
	lines := fmt.Sprintf(line, 1, 3) + fmt.Sprintf(line, 2, 9)
	if err := os.WriteFile(history, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := call(t, "lint", "--policy", "../../examples/gate/policy.yaml", "--history", history, a, b)
	for _, want := range []string{"moved-baseline (G-07): the baseline moved from sha256:b3 to sha256:b9", "gate-self-check (G-06): of 2 verdicts"} {
		if code != exitVerdict || !strings.Contains(stdout, want) {
			t.Errorf("exit %d, %q is not in\n%s\n%s", code, want, stdout, stderr)
		}
	}
	for _, tt := range []struct{ flag, file, want string }{
		{"--history", filepath.Join(dir, "none"), "no verdict in it"},
		{"--policy", filepath.Join(dir, "none"), "no such file"},
		{"--policy", "../../examples/minimal.yaml", "got a BenchmarkRun, want a GatePolicy"},
	} {
		if _, stderr, code := call(t, "lint", tt.flag, tt.file, a); code != exitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s %s: exit %d, %q; want %d and %q", tt.flag, tt.file, code, stderr, exitUsage, tt.want)
		}
	}
}
