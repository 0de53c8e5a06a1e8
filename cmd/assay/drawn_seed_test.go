package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/sim"
	"assay/sim/simtest"
	"assay/tests/whole"
)

// A document without a seed is asked with other prompts each time, and its bundle holds
// the seed that was drawn; the two runs still ask the same question.
func TestRunDrawsASeed(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "seedless.yaml")
	text := fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: seedless}
spec:
  # words of the author stay
  workload: {model: sim, sequenceLengthMix: [{inputTokens: 8, outputTokens: 4, weight: 1}]}
  target: {url: %q}
  load: {calibrate: false, concurrency: [2], warmup: {}, duration: 1m, requests: 20}
`, simtest.Serve(t, sim.Config{Engine: sim.Engine{Cost: sim.Cost{Base: time.Millisecond}}}))
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var seeds []int64
	var digests []string
	for _, name := range []string{"one", "two"} {
		out := filepath.Join(dir, name)
		if stdout, stderr, code := call(t, "run", file, "--quick", "--out", out); code != exitOK {
			t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
		}
		folder := onlyBundle(t, out)
		data, err := os.ReadFile(filepath.Join(folder, bundle.PlanFile))
		if err != nil {
			t.Fatal(err)
		}
		var p plan.Plan
		if err := json.Unmarshal(data, &p); err != nil {
			t.Fatal(err)
		}
		seeds, digests = append(seeds, p.Seed()), append(digests, p.WorkloadDigest)
		frozen, err := os.ReadFile(filepath.Join(folder, bundle.SpecFile))
		if err != nil || !strings.Contains(string(frozen), fmt.Sprintf("seed: %d\n  seedDrawn: true\n  trials: {quick: true}\n  # words of the author stay", p.Seed())) {
			t.Errorf("the frozen document (%v):\n%s", err, frozen)
		}
	}
	if seeds[0] == seeds[1] || digests[0] != digests[1] {
		t.Errorf("seeds %v, want two; digests of the workload %v, want one", seeds, digests)
	}
}
