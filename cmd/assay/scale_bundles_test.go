package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/analysis/scaling"
	"assay/tests/fixture"
)

// sizesOf writes bundles of 1, 2 and 4 ranks, the last of them changed.
func sizesOf(t *testing.T, last fixture.Training) []string {
	t.Helper()
	dir := t.TempDir()
	var args []string
	for _, ranks := range []int{1, 2, 4} {
		run := fixture.Training{Send: 20 * time.Millisecond}
		if ranks == 4 {
			run = last
			run.Send = 20 * time.Millisecond
		}
		run.ID, run.Ranks = fmt.Sprintf("ranks%d", ranks), ranks
		if run.Train == "" {
			run.Train = "scaling: weak, batchSize: 8"
		}
		args = append(args, fmt.Sprintf("%d=%s", ranks, run.Write(t, dir)))
	}
	return args
}

// Bundles of one problem make a curve; of different ones none, by name.
func TestScaleBundles(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := call(t, append([]string{"scale", "--baseline", "one_worker", "--json"}, sizesOf(t, fixture.Training{})...)...)
	var r scaling.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != exitOK {
		t.Fatalf("exit %d: %s %v", code, stderr, err)
	}
	if r.Kind != scaling.Weak || r.Held != "a batch of 8 of each worker" || r.Window != "10 steps after 5 of warm-up, in every launch of every size" || len(r.Rows) != 3 {
		t.Errorf("%s scaling, held %q, measured %q, %d sizes", r.Kind, r.Held, r.Window, len(r.Rows))
	}
	if r.Rows[2].Exposed == nil || len(r.Fits) == 0 || len(r.Fits[0].Curve) < 10 {
		t.Errorf("no exposed communication or no drawn law: %+v", r.Rows[2])
	}
	tests := []struct {
		name, said string
		last       fixture.Training
		flags      []string
		code       int
	}{
		{"precision", "no curve through different problems: spec.workload.precision is fp32 at 1, bf16 at 4", fixture.Training{Workload: "precision: bf16"}, nil, exitUsage},
		{"optimizer", "spec.train.optimizer is adamw at 1, sgd at 4", fixture.Training{Train: "scaling: weak, batchSize: 8, optimizer: sgd"}, nil, exitUsage},
		{"batch rule", "--kind weak:", fixture.Training{Train: "scaling: strong, batchSize: 8"}, nil, exitUsage},
		{"loaders", "scaling-held: the sizes differ in more than their workers: spec.train.loaderWorkers is not given at 1, 4 at 4", fixture.Training{Train: "scaling: weak, batchSize: 8, loaderWorkers: 4"}, nil, exitOK},
		{"loaders, to be published", "spec.train.loaderWorkers", fixture.Training{Train: "scaling: weak, batchSize: 8, loaderWorkers: 4"}, []string{"--publication"}, exitVerdict},
		{"warm-up", "spec.train.warmupSteps is 5 at 1, 7 at 4", fixture.Training{Train: "scaling: weak, batchSize: 8, warmupSteps: 7"}, nil, exitOK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := call(t, append(append([]string{"scale", "--baseline", "one_worker"}, tt.flags...), sizesOf(t, tt.last)...)...)
			if code != tt.code || !strings.Contains(stdout+stderr, tt.said) {
				t.Errorf("exit %d, want %d and %q:\n%s%s", code, tt.code, tt.said, stdout, stderr)
			}
		})
	}
}

// A speed-up of as many times as there are workers is no result until somebody has
// looked at the base.
func TestScaleAudit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fast.csv")
	text := "workers,value,steps\n1,1,50\n1,1.01,50\n1,1.02,50\n2,0.4,50\n2,0.41,50\n2,0.42,50\n4,0.2,50\n4,0.21,50\n4,0.22,50\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"scale", path, "--kind", "strong", "--quantity", "time", "--baseline", "one_worker"}
	stdout, stderr, code := call(t, args...)
	if code != exitVerdict || !strings.Contains(stdout, "void  superlinear") || !strings.Contains(stdout, "measured: 50 steps") {
		t.Errorf("exit %d, want %d and void superlinear:\n%s%s", code, exitVerdict, stdout, stderr)
	}
	stdout, stderr, code = call(t, append(args, "--audited", "K. Lee: one worker swaps, its batch does not fit")...)
	if code != exitOK || !strings.Contains(stdout, "base audited: K. Lee") || !strings.Contains(stdout, "note  superlinear") {
		t.Errorf("exit %d, want 0 and a note:\n%s%s", code, stdout, stderr)
	}
}

// Curves are drawn, of a study and by assay plot.
func TestScaleDrawn(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := call(t, "scale", "../../examples/data/scaling.json", "--format", "svg")
	for _, want := range []string{"<svg", "Speed-up by number of workers", "Efficiency by number of workers", "ideal", "Amdahl", "Universal Scalability Law"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("exit %d %s: the drawing lacks %q", code, stderr, want)
		}
	}
}
