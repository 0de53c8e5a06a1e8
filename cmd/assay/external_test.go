package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/metric"
	"assay/report"
	"assay/sim"
	"assay/sim/simtest"
)

// A session that calls a program and a tool of injected time has a row for each and for
// the model, and what it waited for adds up to its time.
func TestExternalCalls(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{TTFT: 5 * time.Millisecond, ITL: time.Millisecond, Tokens: 8}})
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: agents},
spec: {workload: {model: sim, sequenceLengthMix: [{inputTokens: 8, outputTokens: 8, weight: 1}],
    session: {turns: 3, limit: 3, thinkTime: 1ms, tools: [{name: search, command: [sleep, "0.05"]}, {name: database, every: 2, time: 20ms}]}},
  target: {url: %q}, load: {calibrate: false, concurrency: [1], duration: 5m, warmup: {duration: 1ms}}}}`, url)
	path := filepath.Join(dir, "agents.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := call(t, "run", path, "--all", "--out", filepath.Join(dir, "runs"), "--progress", "none")
	if code != exitOK {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{"what sessions waited for", "the model", "search", "really ran", "database", "time was injected"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report does not say %q:\n%s", want, stdout)
		}
	}
	stdout, _, _ = call(t, "report", "--json", onlyBundle(t, filepath.Join(dir, "runs")))
	var r report.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	rows := map[string]metric.External{}
	waited := 0.0
	for _, x := range r.Estimates.External {
		if rows[x.Tool] = x; x.Waited == nil {
			t.Fatalf("no session was complete: %+v", x)
		}
		waited += x.Waited.Value
	}
	if x := rows["search"]; !x.Real || x.PerCall.Value < .05 || !x.PerCall.Interval.Bounded() || x.Failed > 0 {
		t.Errorf("search: %+v, want a program of 50 ms or more, with an interval", x)
	}
	if x := rows["database"]; x.Real || math.Abs(x.PerCall.Value-.02) > 1e-9 || x.Calls >= rows["search"].Calls || x.Calls == 0 {
		t.Errorf("database: %+v, want 20 ms, called half as often", x)
	}
	think, _ := r.Estimates.Find(metric.SessionThink.ID, "mean", 0)
	whole, ok := r.Estimates.Find(metric.SessionTime.ID, "mean", 0)
	if sum := waited + think.Value; !ok || math.Abs(sum-whole.Value) > 1e-9 {
		t.Errorf("what sessions waited for adds up to %v, sessions take %v", sum, whole.Value)
	}
}
