package main

import (
	"strings"
	"testing"
	"time"

	"assay/tests/fixture"
)

// The all-gather and the stability of exchanges that another run measured over the same
// links are the second sign of a run that waits for its communication.
func TestDiagnoseLinks(t *testing.T) {
	t.Parallel()
	run := fixture.Training{Send: 90 * time.Millisecond}.Write(t, t.TempDir())
	alone, stderr, code := call(t, "diagnose", run)
	if code != exitOK || !strings.Contains(alone, "limited by communication (likely") || !strings.Contains(alone, "missing: all-gathers and the stability of exchanges") {
		t.Errorf("exit %d %s\n%s", code, stderr, alone)
	}
	dir := t.TempDir()
	if _, stderr, code := call(t, "comm", "--ranks", "2", "--sizes", "64KiB", "--ops", "all_gather,all_reduce", "--iterations", "5", "--stability", "20",
		"--link-rate", "100TB", "--progress", "none", "-o", dir); code != exitOK {
		t.Fatalf("comm: exit %d\n%s", code, stderr)
	}
	links := onlyBundle(t, dir)
	beside, stderr, code := call(t, "diagnose", run, "--collectives", links)
	if code != exitOK || !strings.Contains(beside, "limited by communication (clear") || !strings.Contains(beside, "all_gather 64KiB ranks=2") || strings.Contains(beside, "missing: all-gathers") {
		t.Errorf("exit %d %s\n%s", code, stderr, beside)
	}
	if _, stderr, code := call(t, "diagnose", run, "--collectives", run); code != exitUsage || !strings.Contains(stderr, "has neither all-gathers") {
		t.Errorf("a run without collectives: exit %d %s", code, stderr)
	}
}
