package lint

import (
	"testing"

	"assay/plan"
	"assay/spec"
)

// What prompts declare to share depends on how long those of the point are.
func TestSharingOfASweep(t *testing.T) {
	var p plan.Plan
	p.Run.Spec.Workload.Prompt = spec.Prompt{Scenarios: []string{"D(100,10)", "D(1000,10)"}, PrefixTokens: 50}
	for scenario, want := range map[string]float64{"D(100,10)": 0.5, "D(1000,10)": 0.05} {
		if got, known := declaredSharing(p.WorkloadOf(plan.Point{Scenario: scenario})); got != want || !known {
			t.Errorf("%s: %v, want %v", scenario, got, want)
		}
	}
}
