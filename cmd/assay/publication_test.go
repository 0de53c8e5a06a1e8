package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/analysis/scene"
	"assay/bundle"
	"assay/finding"
	"assay/lint"
	"assay/tests/whole"
)

// publicationRun carries out the example of a publication-grade run of the
// simulator, shortened, and returns what lint says about it.
func publicationRun(t *testing.T) bundleAudit {
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
	dir := t.TempDir()
	short := strings.NewReplacer("127.0.0.1:8102", addr, "pathTemplate: runs/", "pathTemplate: "+filepath.Join(dir, "kept")+"/", "[assay,", "["+self+",", "duration: 10s", "duration: 2500ms",
		"duration: 4s", "duration: 1500ms", "minReplicates: 10", "minReplicates: 3").Replace(string(text))
	baseline := buildScene(t, dir, "published", scene.Noise(3, 1, .005, 1))
	published, err := bundle.Open(baseline)
	if err != nil {
		t.Fatal(err)
	}
	short = regexp.MustCompile("published-simulator@sha256:[0-9a-f]{64}").ReplaceAllString(short, published.Manifest.Digest)
	path, key, out := filepath.Join(dir, "publication.yaml"), filepath.Join(dir, "run.key"), filepath.Join(dir, "runs")
	if err := os.WriteFile(path, []byte(short), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := call(t, "keygen", "--out", key); code != exitOK {
		t.Fatal(stderr)
	}
	if stdout, stderr, code := call(t, "run", path, "--key", key, "--out", out, "--baseline", baseline); code != exitOK {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	var report lintReport
	stdout, stderr, _ := call(t, "lint", "--json", onlyBundle(t, out))
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || len(report.Audits) != 1 {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return report.Audits[0]
}

// timed are the checks whose answer depends on how fast things went: on a busy host
// they may have something to say about any run, and be right.
var timed = []string{
	lint.ClientLimit.ID, lint.ClientError.ID, lint.ClientDrift.ID, lint.ClientUnmeasured.ID, lint.NoisyNeighbours.ID, lint.OwnContention.ID, lint.GapsLeftOut.ID,
	lint.InsufficientWarmup.ID, lint.NotSteady.ID, lint.OutlierLaunches.ID, lint.Normality.ID, lint.OpeningWave.ID, lint.UsersInStep.ID,
	lint.StreamBursts.ID, lint.GapsLeftOut.ID, lint.Clock.ID, lint.Survivors.ID, lint.Censored.ID, lint.SLOViolation.ID, lint.NewConnections.ID,
}

// A clean publication-grade run has no finding worse than a note from any check that
// is not about the host's speed, and every check that could void it was made. What
// the checks of times find is theirs to prove on runs of a known clock, in package
// lint.
func TestCleanPublication(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits
	audit := publicationRun(t)
	for _, f := range audit.Findings {
		switch {
		case f.Severity == finding.Note:
		case slices.Contains(timed, f.Check):
			t.Logf("the host: %s %s: %s", f.Severity, f.Check, f.Message)
		default:
			t.Errorf("%s %s: %s", f.Severity, f.Check, f.Message)
		}
	}
	for _, r := range audit.Results {
		if r.State == lint.NotChecked && r.Severity == finding.Void && !slices.Contains(timed, r.Check) {
			t.Errorf("%s was not checked: %s is missing", r.Check, r.Missing)
		}
	}
	simulated := slices.IndexFunc(audit.Findings, func(f finding.Finding) bool { return f.Check == lint.SimulatedTarget.ID })
	if simulated < 0 || audit.Findings[simulated].Severity != finding.Note {
		t.Errorf("that the subject is the simulator is not said: %+v", audit.Findings)
	}
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
