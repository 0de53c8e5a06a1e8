package claim

import (
	"slices"
	"testing"

	"assay/plan"
	"assay/spec"
)

// A number of a sweep holds for the lengths of its own point.
func TestConditionsOfASweep(t *testing.T) {
	var e Evidence
	w := &e.Plan.Run.Spec.Workload
	w.Prompt = spec.Prompt{Task: spec.TextToEmbeddings, Scenarios: []string{"E(64)", "E(128)"}}
	point := plan.Point{Name: "E(128) batch=8 concurrency=1", Scenario: "E(128)", BatchSize: 8, Concurrency: 1}
	got := conditions(e, point, spec.Side{})
	if want := (Condition{"lengths", "scenario E(128) with 8 documents a request"}); !slices.Contains(got, want) {
		t.Errorf("conditions %v lack %v", got, want)
	}
}
