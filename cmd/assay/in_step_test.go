package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/sim"
	"assay/sim/simtest"
	"assay/tests/whole"
)

// Users who begin together and get answers of one length are in step, and a finding says
// so; those who begin as by default are not. A host that stalls can part the ones and
// gather the others, so each may be tried again.
func TestUsersInStep(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	for _, tt := range []struct {
		start string
		want  bool
	}{{"together", true}, {"spread", false}} {
		t.Run(tt.start, func(t *testing.T) {
			t.Parallel()
			said := ""
			for range 3 {
				said = lintStart(t, tt.start)
				eight, many := strings.Contains(said, "users-in-step: concurrency=8:"), strings.Contains(said, "users-in-step: concurrency=32:")
				if eight == tt.want && many == tt.want {
					return
				}
			}
			if strings.Contains(said, "client-limit") {
				t.Skip("the host was too busy, run it on an idle one: the client was a limit in all three tries")
			}
			t.Errorf("in step %v at both loads is wanted:\n%s", tt.want, said)
		})
	}
}

// lintStart runs users who begin as start says against the simulator, and returns what
// lint says.
func lintStart(t *testing.T, start string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "step.yaml")
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: step},
spec: {workload: {model: sim, sequenceLengthMix: [{inputTokens: 8, outputTokens: 60, weight: 1}]}, target: {url: %q},
  load: {calibrate: false, concurrency: [8, 32], start: %s, warmup: {duration: 1s}, duration: 1200ms}}}`, batchingServer(t), start)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "runs")
	if stdout, stderr, code := call(t, "run", file, "--out", out); code != exitOK {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	stdout, _, _ := call(t, "lint", onlyBundle(t, out))
	return stdout
}

// batchingServer is a simulated engine whose answers of 60 tokens take about 0.35 s.
func batchingServer(t *testing.T) string {
	t.Helper()
	return simtest.Serve(t, sim.Config{Engine: sim.Engine{Cost: sim.Cost{Base: 5 * time.Millisecond, PerDecode: 10 * time.Microsecond}}})
}
