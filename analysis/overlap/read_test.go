package overlap

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// trained writes a bundle of three launches of two points, the second of which ran
// out of memory.
func trained(t *testing.T, w truth) (*bundle.Bundle, plan.Plan) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	doc, faults := spec.Parse("test.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
spec: {workload: {model: m}, train: {ranks: [2], shape: {family: mlp, layers: 6, hidden: 512}, vary: {knob: batchSize, values: ["8", "16"]}}}}`))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	must(err)
	encoded, err := p.Encode()
	must(err)
	trace, err := os.ReadFile(filepath.Join("..", "trace", "testdata", "kineto.json"))
	must(err)
	dir := filepath.Join(t.TempDir(), "b")
	out, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: encoded})
	must(err)
	for _, planned := range p.Launches {
		l, err := out.StartLaunch(bundle.LaunchStart{Index: planned.Index, Clock: record.ClockID})
		must(err)
		for world, one := range p.Worlds(planned) {
			index := int32(one.Points[0].Index)
			for rank := range int32(2) {
				zero := int64(0)
				must(l.Ranks.Append(record.Rank{World: int32(world), Rank: rank, Ranks: 2, Offset: &zero, Bound: &zero}))
			}
			if one.Points[0].Steps.Value == "16" {
				must(l.Memory.Append(record.Memory{Rank: 1, Point: index, Device: "cpu", Outcome: "out_of_memory"}))
				continue
			}
			point := w.point(uint64(planned.Index))
			for i := range point.Ranked.Steps {
				point.Ranked.Steps[i].Point = index
			}
			for i := range point.Ranked.Buckets {
				point.Ranked.Buckets[i].Point = index
			}
			must(l.Steps.Append(point.Ranked.Steps...))
			must(l.Buckets.Append(point.Ranked.Buckets...))
			must(l.Events.Append(
				record.Event{Name: record.WindowBegin, Point: index}, record.Event{Name: record.WindowEnd, At: point.End, Point: index},
				record.Event{Name: record.RankCheck, Point: index, Detail: fmt.Sprintf(`{"rank": 0, "point": %d, "name": "reference_loss", "passed": true}`, index)},
			))
			if planned.Index == 0 {
				must(l.Attach(fmt.Sprintf("world-%02d-trace-rank-00001.json", world), trace))
			}
		}
		must(l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}))
	}
	if _, err := out.Seal(t.Context(), bundle.Completed, bundle.SealOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(dir)
	must(err)
	return b, p
}

func TestReadBundle(t *testing.T) {
	b, p := trained(t, truth{forward: 10, backward: 20, send: [2]int64{22, 22}, late: 60})
	r, err := Read(b, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Points) != 2 {
		t.Fatalf("points = %+v, want that which ran out of memory too", r.Points)
	}
	first, second := r.Points[0], r.Points[1]
	if v := first.Verdict; v.Limit != LimitLateStart || number(v.Rank) != 1 {
		t.Errorf("verdict = %+v, want a late start of rank 1", v)
	}
	if want := 10 * len(p.Launches); first.Steps != want || len(first.PerRank) != 2 || len(first.Parts) != len(partNames)-2 {
		t.Errorf("%d steps of %d ranks in %d parts, want %d of 2", first.Steps, len(first.PerRank), len(first.Parts), want)
	}
	named := func(name string) bool {
		return slices.ContainsFunc(first.Checks, func(c Check) bool { return c.Name == name && c.Passed })
	}
	if !named("reference_loss") || !named("gradient_checksum") {
		t.Errorf("checks = %+v", first.Checks)
	}
	if len(first.Traces) != 1 || first.Traces[0].Kernels != 7 || *first.Traces[0].Rank != 1 {
		t.Errorf("traces = %+v", first.Traces)
	}
	if first.RanOut() || first.OnCPU || !second.RanOut() || !second.OnCPU {
		t.Errorf("ran out %v and %v, on processors %v and %v", first.RanOut(), second.RanOut(), first.OnCPU, second.OnCPU)
	}
	if second.Verdict.Limit != LimitUnknown || !slices.Contains(checkNames(second.Findings), "training-out-of-memory") {
		t.Errorf("point without memory = %+v, %v", second.Verdict, checkNames(second.Findings))
	}
}
