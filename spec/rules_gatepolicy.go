package spec

import (
	"reflect"
	"slices"
)

// gatePolicyRules are the rules of a GatePolicy.
var gatePolicyRules = []Rule{
	{ID: "A65", Path: "spec.metrics[].margin", Doc: "A gated metric has a margin or an absoluteMargin, not both.", check: gateMargins},
	{ID: "A66", Path: "spec.metrics", Doc: "No metric, statistic and point is gated twice, and no accuracy.", check: gatedOnce},
	{ID: "A67", Path: "spec.guards", Doc: "A guard that is changed has a margin or is off, not both.", check: guardsChanged},
}

func parsePolicy(root *node) (*GatePolicy, []Fault) {
	d := &decoder{}
	policy := new(GatePolicy)
	d.value(root, reflect.ValueOf(policy).Elem(), member{}, "")

	c := newChecker(root, d.faults)
	c.policy, _ = ResolvePolicy(*policy)
	c.doc = toNode(c.policy)
	c.apply(gatePolicyRules)
	return policy, merge(d.faults, c)
}

func gateMargins(c *checker) {
	for i, m := range c.policy.Spec.Metrics {
		path := itemPath("spec.metrics", i)
		switch {
		case m.Margin > 0 && m.AbsoluteMargin > 0:
			c.fail(path+".absoluteMargin", "is given beside margin: want one of them")
		case m.Margin == 0 && m.AbsoluteMargin == 0 && !c.anyUnread(path+".margin", path+".absoluteMargin"):
			c.fail(path+".margin", "says by how much the metric may be worse: want it, or absoluteMargin")
		}
	}
}

func gatedOnce(c *checker) {
	s := c.policy.Spec
	for i, m := range s.Metrics {
		for _, other := range s.Metrics[:i] {
			if m.Metric == other.Metric && m.Statistic == other.Statistic && sharePoints(m.Points, other.Points) {
				c.fail(itemPath("spec.metrics", i)+".metric", "is gated with the same statistic at the same point above: want it once")
			}
		}
	}
	for i, a := range s.Accuracy {
		if slices.ContainsFunc(s.Accuracy[:i], func(other GatedAccuracy) bool { return other.Metric == a.Metric }) {
			c.fail(itemPath("spec.accuracy", i)+".metric", "is gated above: want it once")
		}
	}
}

func guardsChanged(c *checker) {
	g := c.policy.Spec.Guards
	for _, of := range []struct {
		name  string
		guard *GateGuard
	}{{"errorRate", g.ErrorRate}, {"outputTokens", g.OutputTokens}, {"completedRequests", g.CompletedRequests}} {
		path := "spec.guards." + of.name
		if of.guard != nil && of.guard.Off == (of.guard.Margin > 0) && !c.anyUnread(path+".margin", path+".off") {
			c.fail(path+".margin", "says what becomes of the guard: want either it or off")
		}
	}
}

// sharePoints reports whether two selections of points overlap; an empty one is
// all of them.
func sharePoints(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	return slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}
