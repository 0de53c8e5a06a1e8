package bottleneck

import (
	"strings"
	"testing"

	"assay/analysis/breakdown"
	"assay/analysis/overlap"
	"assay/stats"
)

// A rank that the others wait for is the limit, though their step looks like
// communication; without one the time decides.
func TestTraining(t *testing.T) {
	rank := 1
	shares := func(compute, exposed, data float64) []overlap.Part {
		var list []overlap.Part
		for name, v := range map[string]float64{"backward": compute, "exposed_communication": exposed, "data": data} {
			list = append(list, overlap.Part{Name: name, Estimate: stats.Estimate{Value: v}, Share: v, PerLaunch: []float64{v, v, v}})
		}
		return list
	}
	tests := []struct {
		name    string
		parts   []overlap.Part
		verdict overlap.Verdict
		want    breakdown.Class
		inspect string
	}{
		{"slow link", shares(.3, .7, 0), overlap.Verdict{Limit: overlap.LimitSlowLink, Text: "70.0 % of the step is exposed communication"}, breakdown.Communication, "links"},
		{"half and half, by the link", shares(.495, .49, .015), overlap.Verdict{Limit: overlap.LimitSlowLink, Text: "49.0 %"}, breakdown.Communication, "links"},
		{"computes", shares(.9, .1, 0), overlap.Verdict{Limit: overlap.LimitNone, Text: "it is computing"}, breakdown.Compute, "engine"},
		{"waits for input", shares(.3, .1, .6), overlap.Verdict{Limit: overlap.LimitInput}, breakdown.Input, "loader"},
		{"slow rank", shares(.3, .7, 0), overlap.Verdict{Limit: overlap.LimitSlowCompute, Rank: &rank}, breakdown.Compute, "rank 1: its clocks"},
		{"late rank", shares(.3, .7, 0), overlap.Verdict{Limit: overlap.LimitLateStart, Rank: &rank}, breakdown.ControlPlane, "rank 1: its data loading"},
		{"late rank, by its input", shares(.3, .7, 0), overlap.Verdict{Limit: overlap.LimitLateStart, Rank: &rank, Input: true}, breakdown.Input, "rank 1: its data loading"},
	}
	for _, tt := range tests {
		d := Training(overlap.Point{Name: "ranks=2", Ranks: 2, Launches: []int{0, 1, 2}, Parts: tt.parts, Verdict: tt.verdict}, Signs{})
		if d.Class != tt.want || !strings.Contains(d.Inspect, tt.inspect) || d.Verdict != tt.verdict.Text {
			t.Errorf("%s: %s (%s), look at %s; want %s", tt.name, d.Class, d.How, d.Inspect, tt.want)
		}
		if tt.name == "slow link" && strings.Contains(strings.Join(d.Alternatives, " "), "loader") {
			t.Errorf("%s: not excluded %v", tt.name, d.Alternatives)
		}
	}
}

// Processors that compute have no accelerator whose reading could be missing.
func TestTrainingOnCPU(t *testing.T) {
	point := overlap.Point{Name: "ranks=1", Ranks: 1, Steps: 30, Launches: []int{0}, OnCPU: true, Parts: []overlap.Part{
		{Name: "backward", Estimate: stats.Estimate{Value: 1}, Share: 1, PerLaunch: []float64{1}},
	}}
	for _, onCPU := range []bool{true, false} {
		point.OnCPU = onCPU
		d := Training(point, Signs{})
		if d.Class != breakdown.Compute || strings.Contains(strings.Join(d.Missing, " "), "accelerators") == onCPU {
			t.Errorf("on processors %v: %s, missing %q", onCPU, d.Class, d.Missing)
		}
	}
}

// A sentence never says that a run is limited by "undetermined".
func TestSentence(t *testing.T) {
	full := overlap.Point{Name: "ranks=1 batchSize=512", Memory: []overlap.Memory{{Outcome: "out_of_memory"}}}
	for _, tt := range []struct {
		d    Diagnosis
		want string
	}{
		{Training(full, Signs{}), "what limits it is not known (it did not fit into memory, so that no step was measured)"},
		{Judge("p", breakdown.Breakdown{}, Signs{}), "what limits it is not known (the time was not split)"},
		{Diagnosis{Class: breakdown.ControlPlane, How: "likely"}, "limited by control plane (likely)"},
	} {
		if got := tt.d.Sentence(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
