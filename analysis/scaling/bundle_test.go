package scaling

import (
	"path/filepath"
	"strings"
	"testing"

	"assay/analysis/overlap"
	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

const training = `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: growing}
spec:
  intent: {workloadType: training}
  workload: {model: transformer, sequenceLengthMix: [{inputTokens: 1, outputTokens: 1, weight: 1}]}
  train: {ranks: [1, 2, 4], batchSize: 8, single: true}
  trials: {minReplicates: 3}
`

func planned(t *testing.T, text string) plan.Plan {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", []byte(text))
	if !spec.Valid(faults) {
		t.Fatalf("the test's document has faults: %v", faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// measured is a bundle of p in which a step of a point takes step milliseconds on
// rank 0 and a tenth less on the others; 1000 tokens in all.
func measured(t *testing.T, p plan.Plan, step func(plan.Point) float64) *bundle.Bundle {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	for launch := range 3 {
		l, err := w.StartLaunch(bundle.LaunchStart{Index: launch, Clock: record.ClockID})
		if err != nil {
			t.Fatal(err)
		}
		for _, point := range p.Points {
			ms := step(point) * (1 + .001*float64(launch))
			for i := range int64(6) {
				for rank := range point.Ranks {
					took := ms * 1e6
					if rank > 0 {
						took *= .9 // only the slowest counts
					}
					row := record.Step{
						Rank: int32(rank), Step: i, Point: int32(point.Index), Phase: record.Measure, End: int64(took),
						Synced: i != 5, Tokens: int64(1000 / point.Ranks),
					}
					if i == 0 {
						row.Phase, row.End = record.Warmup, 100*row.End
					}
					if err := l.Steps.Append(row); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if err := l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A bundle of training is a study: throughput by the slowest rank, launches as
// repeats, and the better of the two programs on one rank as its base.
func TestFromBundle(t *testing.T) {
	tests := []struct {
		name   string
		single float64 // milliseconds of a step of the plain program
		base   string
		first  float64 // efficiency of the distributed program on one rank
		last   float64 // on four
	}{
		{"the plain program is faster", 80, "the plain program, which was no slower", .8, .5},
		{"the plain program is slower", 125, "which was faster than the plain one", 1, .625},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := planned(t, training)
			if !Planned(p) {
				t.Fatal("three sizes are no study")
			}
			b := measured(t, p, func(point plan.Point) float64 {
				if point.Steps.Parallelism == "none" {
					return tt.single
				}
				return map[int]float64{1: 100, 2: 60, 4: 40}[point.Ranks]
			})
			r, err := FromBundle(b, p, overlap.Report{Points: []overlap.Point{
				{Point: p.Points[3].Index, Parts: []overlap.Part{{Name: "exposed_communication", Estimate: stats.Estimate{}, Share: .25}}},
			}})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Studies) != 1 || r.Studies[0].Result == nil {
				t.Fatalf("%+v", r)
			}
			got := r.Studies[0].Result
			if !strings.Contains(got.Baseline, tt.base) || got.Held != "a global batch of 8" || got.Kind != Strong {
				t.Errorf("baseline %q, held %q, kind %s", got.Baseline, got.Held, got.Kind)
			}
			near(t, "efficiency on one", got.Rows[0].Efficiency.Value, tt.first, 1e-6)
			near(t, "efficiency on four", got.Rows[2].Efficiency.Value, tt.last, 1e-6)
			near(t, "tokens a second on four", got.Rows[2].Value.Value, 25000, 50)
			if got.Rows[2].Launches != 3 || got.Rows[2].Exposed == nil {
				t.Errorf("%+v", got.Rows[2])
			}
			near(t, "exposed", got.Rows[2].Exposed.Value, 1.0/3, 1e-9)
		})
	}
}

// A knob that varies makes a curve for each of its values; a single size is none.
func TestCurves(t *testing.T) {
	p := planned(t, strings.Replace(training, "single: true", "vary: {knob: compression, values: [none, fp16]}", 1))
	b := measured(t, p, func(point plan.Point) float64 {
		if point.Ranks > 1 && point.Steps.Compression == "fp16" {
			return 60 / float64(point.Ranks)
		}
		return 100 / float64(point.Ranks)
	})
	r, err := FromBundle(b, p, overlap.Report{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Studies) != 2 || r.Studies[0].Name != "compression=none" || r.Studies[1].Name != "compression=fp16" {
		t.Fatalf("%+v", r.Studies)
	}
	var said bool
	for _, f := range r.Findings() {
		said = said || f.Check == "superlinear" && strings.HasPrefix(f.Message, "compression=fp16: ")
	}
	if !said {
		t.Errorf("no superlinear finding of the second curve in %+v", r.Findings())
	}
	if Planned(planned(t, strings.Replace(training, "[1, 2, 4]", "[1]", 1))) {
		t.Error("one size was called a study")
	}
}
