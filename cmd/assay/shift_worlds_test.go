package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"assay/analysis/compare"
	"assay/analysis/shift"
	"assay/tests/fixture"
	"assay/tests/whole"
)

// changeOf compares two bundles of training and returns where the change of their only
// point comes from. It must add up, in kinds and in parts.
func changeOf(t *testing.T, before, after string) shift.PointShift {
	t.Helper()
	stdout, stderr, code := call(t, "compare", "--json", before, after)
	if code != exitOK {
		t.Fatalf("compare: exit %d\n%s", code, stderr)
	}
	var r compare.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Comparisons[0].Shifts) != 1 {
		t.Fatalf("shifts: %+v", r.Comparisons[0].Shifts)
	}
	s := r.Comparisons[0].Shifts[0]
	for name, list := range map[string][]shift.Part{"kinds": s.Kinds, "parts": s.Parts} {
		sum := 0.0
		for _, p := range list {
			sum += p.Change.Value
		}
		if math.Abs(sum-s.Whole.Change.Value) > 1e-9 {
			t.Errorf("%s change by %v, the job by %v", name, sum, s.Whole.Change.Value)
		}
	}
	return s
}

// In worlds that differ in one thing, that thing is named, with about its size.
func TestKnownShifts(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	const saving = "saveEvery: 1"
	dir := t.TempDir()
	base := fixture.Training{ID: "base", Train: saving, Save: 10 * time.Millisecond}
	before := base.Write(t, dir)
	f := func(id, kind string, seconds float64, change func(*fixture.Training)) {
		t.Helper()
		world := base
		world.ID = id
		change(&world)
		s := changeOf(t, before, world.Write(t, dir))
		if s.LargestKind != kind {
			t.Errorf("%s: the change is put down to %q, want %s: %+v", id, s.LargestKind, kind, s.Kinds)
		}
		for _, p := range s.Kinds {
			if p.Name == kind && math.Abs(p.Change.Value-seconds) > .05*seconds {
				t.Errorf("%s: %s changed by %v s, want %v", id, kind, p.Change.Value, seconds)
			}
			if p.Name == kind && !p.Change.Interval.Contains(p.Change.Value) {
				t.Errorf("%s: the interval %v does not hold %v", id, p.Change.Interval, p.Change.Value)
			}
		}
	}
	f("slow-checkpoints", "storage", .5, func(w *fixture.Training) { w.Save += 50 * time.Millisecond })
	f("slow-loader", "storage", .5, func(w *fixture.Training) { w.Data = 50 * time.Millisecond })
	f("slow-link", "communication", 2.58, func(w *fixture.Training) { w.Send = 60 * time.Millisecond })
	f("slow-launch", "orchestration", 3, func(w *fixture.Training) { w.Start = 3 * time.Second })
	f("slow-compute", "compute", .6, func(w *fixture.Training) { w.Forward = 20 * time.Millisecond })

	stdout, _, _ := call(t, "compare", before, dir+"/slow-launch")
	for _, want := range []string{"where the change comes from, ranks=2", "orchestration changed most", "The rows add up."} {
		if !strings.Contains(stdout, want) {
			t.Errorf("compare does not say %q:\n%s", want, stdout)
		}
	}
	if page, _, _ := call(t, "compare", "--format", "html", before, dir+"/slow-launch"); !strings.Contains(page, "Where the change comes from") {
		t.Error("the page does not say where the change comes from")
	}
	if stdout, _, _ = call(t, "diagnose", dir+"/slow-launch", before); !strings.Contains(stdout, "orchestration in all") {
		t.Errorf("diagnose does not split the job:\n%s", stdout)
	}
}

// The same with torch for real: sleeps stand in for a slow disk, loader, link, launch and
// computation, each of several seconds a job.
func TestKnownShiftsForReal(t *testing.T) {
	whole.Every(t)
	needTorch(t)
	train := func(args ...string) string {
		t.Helper()
		dir := t.TempDir()
		args = append([]string{"train", "--python", debianPython, "--device", "cpu", "--ranks", "2", "--family", "mlp", "--layers", "4", "--hidden", "64", "--bucket", "8KiB",
			"--batch", "2", "--sequence", "8", "--steps", "20", "--warmup", "1", "--save-every", "2", "--launches", "3", "--progress", "none", "-o", dir}, args...)
		if out, stderr, code := call(t, args...); code != exitOK {
			t.Fatalf("%v: exit %d\n%s%s", args, code, out, stderr)
		}
		return onlyBundle(t, dir)
	}
	base := train("--emulate-forward", "5ms")
	for _, tt := range []struct {
		kind string
		args []string
	}{
		{"storage", []string{"--emulate-save", "500ms"}},
		{"storage", []string{"--emulate-input", "250ms"}},
		{"communication", []string{"--emulate-exchange", "80ms"}},
		{"orchestration", []string{"--emulate-start", "15s"}},
		{"compute", []string{"--emulate-forward", "80ms"}},
	} {
		args := tt.args
		if args[0] != "--emulate-forward" {
			args = append(args, "--emulate-forward", "5ms")
		}
		if s := changeOf(t, base, train(args...)); s.LargestKind != tt.kind {
			t.Errorf("%v: the change is put down to %q, want %s: %+v", tt.args, s.LargestKind, tt.kind, s.Kinds)
		}
	}
}
