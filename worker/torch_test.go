package worker_test

import (
	"errors"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"assay/launch"
	"assay/plan"
	"assay/spec"
	"assay/tests/whole"
	"assay/worker"
)

const python = "/usr/bin/python3"

// TestTorch holds the controller against real ranks of the Python worker: what they
// measure arrives whole, and of a killed one and its victim the killed one is named.
func TestTorch(t *testing.T) {
	whole.Only(t) // importing torch takes seconds
	if err := exec.Command(python, "-c", "import torch").Run(); err != nil {
		t.Skip(python + " has no torch: make torch installs it")
	}
	w := start(t, worker.Options{Ranks: 2, Hang: 20 * time.Second}, launch.Job{
		Command: []string{python, "-u", "../workers/assay_worker"}, Env: []string{"OMP_NUM_THREADS=1"},
	})
	must(t, w.Gather(t.Context()))
	must(t, w.Sync(t.Context(), worker.Before, 5))
	point := func(index, steps int) plan.Point {
		return plan.Point{Index: index, Name: "ranks=2", Ranks: 2, Steps: &plan.Steps{
			Backend: "gloo", Device: "cpu", Parallelism: "ddp", Precision: "fp32", Scaling: "weak",
			Shape:       spec.ModelShape{Family: "mlp", Layers: 4, Hidden: 128, Heads: 1, SequenceLength: 1, Vocabulary: 1},
			GlobalBatch: 8, RankBatch: 4, Accumulation: 1, Steps: steps, Warmup: 1, BucketBytes: 1 << 16,
			Compression: "none", Optimizer: "sgd", Reference: true,
		}}
	}
	world := worker.WorldLine{Timeout: int64(2 * time.Minute), Seed: 1}
	var s everything
	must(t, w.Run(t.Context(), point(0, 4), world, &s))
	if len(s.steps) < 2*(1+4) || len(s.buckets) == 0 || len(s.memory) != 2 || len(s.checks) == 0 {
		t.Errorf("%d steps, %d buckets, %d readings of memory, %d checks", len(s.steps), len(s.buckets), len(s.memory), len(s.checks))
	}
	for _, row := range s.steps {
		if row.Start < 0 || row.End <= row.Start || row.Start > int64(10*time.Minute) || row.Forward == nil || row.BackwardEnd == nil {
			t.Fatalf("step %+v", row)
		}
	}
	for _, row := range w.Ranks(0) {
		if row.Backend != "gloo" || row.Bound == nil || *row.Bound != 0 || row.Dropped != 0 {
			t.Errorf("rank %+v", row)
		}
	}
	victim, _ := w.PID(1)
	time.AfterFunc(2*time.Second, func() { _ = syscall.Kill(victim, syscall.SIGKILL) })
	err := w.Run(t.Context(), point(1, 1<<20), world, &s)
	var failure *worker.Failure
	if !errors.As(err, &failure) || failure.Rank != 1 || failure.Verdict != worker.VerdictDied {
		t.Errorf("Run = %v, want the death of rank 1", err)
	}
	w.Stop(2 * time.Second)
	<-w.exited
	if got := w.Ranks(0)[0].Verdict; !slices.Contains([]string{worker.VerdictVictim, worker.VerdictStopped}, got) {
		t.Errorf("rank 0: verdict %s", got)
	}
	t.Log(err)
}
