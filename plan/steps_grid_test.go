package plan

import (
	"strings"
	"testing"
)

const gridSpec = `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: grid}
spec:
  intent: {workloadType: training}
  workload: {model: m}
  train: {ranks: [1, 2], vary: {knob: parameters, values: [1M, 10M]}, across: {knob: batchSize, values: ["8", "16"]}}
`

// Two knobs make every pair of their values a point.
func TestStepsOfAGrid(t *testing.T) {
	p, err := New(parse(t, gridSpec))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	sizes := map[int64]bool{}
	for _, point := range p.Points {
		names = append(names, point.Name)
		total, _ := Count(point.Steps.Shape)
		sizes[total] = true
		if got := point.Steps.GlobalBatch; got != 8 && point.Steps.AcrossValue == "8" || got != 16 && point.Steps.AcrossValue == "16" {
			t.Errorf("%s trains a batch of %d", point.Name, got)
		}
	}
	if len(names) != 8 || names[0] != "ranks=1 parameters=1M batchSize=8" || names[7] != "ranks=2 parameters=10M batchSize=16" {
		t.Errorf("points %q", names)
	}
	if len(sizes) != 2 {
		t.Errorf("models of %v parameters, want two sizes", sizes)
	}
}

// A model that cannot be as small as asked for is refused, not replaced by another.
func TestTooFewParameters(t *testing.T) {
	_, err := New(parse(t, strings.Replace(gridSpec, "[1M, 10M]", "[10k]", 1)))
	if err == nil || !strings.Contains(err.Error(), "spec.train.shape.parameters: got 10000, and the least model with a vocabulary of 4096 has ") {
		t.Errorf("10000 parameters: %v", err)
	}
}
