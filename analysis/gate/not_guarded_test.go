package gate

import (
	"slices"
	"testing"

	"assay/analysis/compare"
	"assay/analysis/diff"
	"assay/plan"
	"assay/spec"
)

// A verdict lists what the policy did not look at, metric by metric and load by load.
func TestNotGuarded(t *testing.T) {
	ttft := spec.GatedMetric{Metric: "ttft.v2", Statistic: "p50"}
	tail := spec.GatedMetric{Metric: "ttft.v2", Statistic: "p90"}
	tpot := spec.GatedMetric{Metric: "tpot.v1", Statistic: "p50"}
	rate := spec.GatedMetric{Metric: "output_throughput.v1", Statistic: "value"}
	at := func(m spec.GatedMetric, points ...string) spec.GatedMetric { m.Points = points; return m }
	tests := []struct {
		name    string
		metrics []spec.GatedMetric
		guards  spec.GateGuards
		want    []string
	}{
		{"everything", []spec.GatedMetric{ttft, tail, rate}, spec.GateGuards{}, nil},
		{"nothing", nil, spec.GateGuards{}, nil},
		{"the tail of another time", []spec.GatedMetric{tail, tpot, rate}, spec.GateGuards{}, []string{"tails: of TPOT no percentile above p50 is judged"}},
		{"one load", []spec.GatedMetric{at(tail, "a"), at(rate, "a")}, spec.GateGuards{}, []string{"loads: no metric is judged at b"}},
		{"times at one load, rates at both", []spec.GatedMetric{at(tail, "a"), rate}, spec.GateGuards{}, []string{"loads: no time is judged at b"}},
		{"rates at one load, times at both", []spec.GatedMetric{tail, at(rate, "b")}, spec.GateGuards{}, []string{"loads: no rate is judged at a"}},
		{"a wider guard", []spec.GatedMetric{tail, rate}, spec.GateGuards{OutputTokens: &spec.GateGuard{Margin: .5, Reason: "it talks"}},
			[]string{"output tokens per answer: a change of up to 0.5, where the guard's own margin is 0.1 (it talks)"}},
		{"a narrower guard", []spec.GatedMetric{tail, rate}, spec.GateGuards{OutputTokens: &spec.GateGuard{Margin: .05, Reason: "strict"}}, nil},
	}
	for _, tt := range tests {
		in := Input{}
		in.Policy.Spec.Metrics, in.Policy.Spec.Guards = tt.metrics, tt.guards
		side := compare.Side{Side: diff.Side{Plan: plan.Plan{Points: []plan.Point{{Name: "a"}, {Name: "b"}}}}}
		in.Baseline, in.Candidate = side, side
		if got := notGuarded(in); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
