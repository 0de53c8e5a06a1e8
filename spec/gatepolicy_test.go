package spec

import "testing"

const policyExample = "gate/policy.yaml"

func TestGatePolicyRules(t *testing.T) {
	twice := []any{
		map[string]any{"metric": "ttft.v2", "statistic": "p99", "margin": .05, "points": []string{"a"}},
		map[string]any{"metric": "ttft.v2", "statistic": "p99", "margin": .1},
	}
	accuracy := []any{
		map[string]any{"metric": "gsm8k", "tolerance": 0},
		map[string]any{"metric": "gsm8k", "tolerance": .1},
	}
	tests := []struct {
		rule    string
		patches []patch
		path    string
		message string
	}{
		{"A65", []patch{{"spec.metrics[0].absoluteMargin", .5}}, "spec.metrics[0].absoluteMargin", "is given beside margin: want one of them"},
		{"A65", []patch{{"spec.metrics", []any{map[string]any{"metric": "ttft.v2", "statistic": "p99"}}}}, "spec.metrics[0].margin", "says by how much the metric may be worse: want it, or absoluteMargin"},
		{"A66", []patch{{"spec.metrics", twice}}, "spec.metrics[1].metric", "is gated with the same statistic at the same point above: want it once"},
		{"A66", []patch{{"spec.accuracy", accuracy}}, "spec.accuracy[1].metric", "is gated above: want it once"},
		{"A67", []patch{{"spec.guards", map[string]any{"errorRate": map[string]any{"reason": "why not"}}}}, "spec.guards.errorRate.margin", "says what becomes of the guard: want either it or off"},
		{"A67", []patch{{"spec.guards", map[string]any{"outputTokens": map[string]any{"margin": .2, "off": true, "reason": "both"}}}}, "spec.guards.outputTokens.margin", "says what becomes of the guard: want either it or off"},
	}
	tested := map[string]bool{}
	for _, tt := range tests {
		tested[tt.rule] = true
		t.Run(tt.rule+" "+tt.path, func(t *testing.T) {
			wantFault(t, patched(t, example(t, policyExample), tt.patches...), tt.rule, tt.path, tt.message)
		})
	}
	wantAllTested(t, gatePolicyRules, tested)
}

func TestGatePolicy(t *testing.T) {
	doc, faults := Parse(policyExample, example(t, policyExample))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	policy, _ := ResolvePolicy(*doc.Policy)
	if s := policy.Spec; !*s.Controlled || s.Grade != "publication" || len(s.Metrics) != 4 || s.Metrics[0].Margin != .05 {
		t.Errorf("resolved %+v", s)
	}
	const look = "gate/first-look.yaml"
	if _, faults := Parse(look, example(t, look)); len(faults) > 0 {
		t.Error(faults)
	}
	for _, broken := range []string{"treshold: 1", "alpha: 1"} {
		text := string(example(t, policyExample)) + "  " + broken + "\n"
		if _, faults := Parse(policyExample, []byte(text)); Valid(faults) {
			t.Errorf("a policy with %s is valid", broken)
		}
	}
}
