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
