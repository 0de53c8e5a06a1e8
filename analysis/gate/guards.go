package gate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"assay/analysis/compare"
	"assay/metric"
	"assay/plan"
	"assay/spec"
)

// A GuardDecision is what a guard of the gate says at one point.
type GuardDecision struct {
	Guard string `json:"guard"` // as the policy writes it, such as errorRate
	Decision

	// Changed is the policy's reason for another margin than the guard's own, or
	// for none; Default is that margin.
	Changed string  `json:"changed,omitempty"`
	Default float64 `json:"default"`
}

// A guard is what every gate watches besides the metrics of its policy: a candidate
// that answers fewer requests, or answers them shorter, is faster for the wrong
// reason. It is a tripwire and wants no proof: what lies within its margin as
// measured passes, what lies beyond it does not, significant or not.
type guard struct {
	name   string
	what   string
	of     []string // the metrics that it looks at
	metric string   // a gated metric of this id takes its place at its points
	margin float64
	better metric.Direction
	either bool // a change in any direction trips it

	// shares says that the margin counts in points of a share.
	shares bool

	// ofOffered is what it is called where a rate is offered, and the requests that arrive in a
	// second are chance: there it looks at its metric divided by them. Empty is never.
	ofOffered string

	changed func(spec.GateGuards) *spec.GateGuard
	values  func(a, b compare.Side, point string) (v compare.Values, inA, inB bool)
}

// guards lists them. The margin of outputTokens is the ±10 % of MLPerf's compliance
// test 09, and that of completedRequests the widest that the shipped policies have:
// nobody who gates a latency at 25 % would accept to lose more requests than that.
var guards = []guard{
	{
		name: "errorRate", what: "error rate", of: []string{metric.ErrorRate.ID}, metric: metric.ErrorRate.ID, margin: .01, better: metric.Lower, shares: true,
		changed: func(g spec.GateGuards) *spec.GateGuard { return g.ErrorRate }, values: valuesOf(metric.ErrorRate.ID),
	},
	{
		name: "outputTokens", what: "output tokens per answer", of: []string{metric.OutputThroughput.ID, metric.RequestThroughput.ID}, margin: .1, either: true,
		changed: func(g spec.GateGuards) *spec.GateGuard { return g.OutputTokens }, values: quotientOf(metric.OutputThroughput.ID, metric.RequestThroughput.ID),
	},
	{
		name: "completedRequests", what: "completed requests per second", of: []string{metric.RequestThroughput.ID}, metric: metric.RequestThroughput.ID, margin: .25, better: metric.Higher,
		changed: func(g spec.GateGuards) *spec.GateGuard { return g.CompletedRequests }, values: valuesOf(metric.RequestThroughput.ID), ofOffered: "completed share of offered requests",
	},
}

// valuesOf are the launches' values of a metric that is one number in a launch.
func valuesOf(id string) func(a, b compare.Side, point string) (compare.Values, bool, bool) {
	return func(a, b compare.Side, point string) (v compare.Values, inA, inB bool) {
		gated := spec.GatedMetric{Metric: id, Statistic: "value"}
		x, inA := find(a, gated, point)
		y, inB := find(b, gated, point)
		if inA && inB {
			v = compare.Match(a, b, x, y)
		}
		return v, inA, inB
	}
}

// quotientOf are one metric's values divided by another's, launch by launch. Earlier runs
// say nothing of their spread.
func quotientOf(id, by string) func(a, b compare.Side, point string) (compare.Values, bool, bool) {
	return func(a, b compare.Side, point string) (v compare.Values, inA, inB bool) {
		x, inA := quotient(a, id, by, point)
		y, inB := quotient(b, id, by, point)
		if inA && inB {
			v = compare.Match(a, b, x, y)
			v.Past = nil
		}
		return v, inA, inB
	}
}

func quotient(s compare.Side, id, by, point string) (metric.Row, bool) {
	above, has := find(s, spec.GatedMetric{Metric: id, Statistic: "value"}, point)
	below, hasBelow := find(s, spec.GatedMetric{Metric: by, Statistic: "value"}, point)
	row := compare.Per(above, below)
	return row, has && hasBelow && len(row.PerLaunch) > 0
}

// watch asks every guard at every point of the baseline. Guards share an error
// budget of their own: they take none from the metrics.
func watch(policy spec.GatePolicy, a, b compare.Side, l Levels) []GuardDecision {
	var list []GuardDecision
	var questions []Question
	var asked []int // the guards behind the questions
	for _, g := range guards {
		for _, point := range a.Plan.Points {
			if g.replaced(policy, point) {
				continue
			}
			one, q, ask := g.at(policy, a, b, point.Name)
			if one.Verdict == "" {
				continue
			}
			if ask {
				questions, asked = append(questions, q), append(asked, len(list))
			}
			list = append(list, one)
		}
	}
	for i, d := range Decide(questions, l) {
		q, one := questions[i], &list[asked[i]]
		d.Verdict, d.Reason = q.trip(d)
		one.Decision = d
	}
	return list
}

// replaced says that the policy gates the same at this point, with a margin of its
// own.
func (g guard) replaced(policy spec.GatePolicy, point plan.Point) bool {
	return slices.ContainsFunc(policy.Spec.Metrics, func(m spec.GatedMetric) bool {
		return g.metric != "" && m.Metric == g.metric && (len(m.Points) == 0 || slices.Contains(m.Points, point.Name))
	})
}

// measured is what the guard looks at, and its values.
func (g guard) measured(a, b compare.Side, point string) (what string, v compare.Values, inA, inB bool) {
	if g.ofOffered != "" {
		if v, inA, inB = quotientOf(g.metric, metric.OfferedRate.ID)(a, b, point); inA && inB {
			return g.ofOffered, v, true, true
		}
	}
	v, inA, inB = g.values(a, b, point)
	return g.what, v, inA, inB
}

// at is the guard at one point: a decision already where there is nothing to ask,
// and no verdict at all where neither side has what it watches.
func (g guard) at(policy spec.GatePolicy, a, b compare.Side, point string) (one GuardDecision, q Question, ask bool) {
	one = GuardDecision{Guard: g.name, Default: g.margin}
	what, v, inA, inB := g.measured(a, b, point)
	one.Key, one.Better = what+" at "+point, g.better
	margin, change := g.margin, g.changed(policy.Spec.Guards)
	if change != nil {
		margin, one.Changed = change.Margin, change.Reason
	}
	switch {
	case change != nil && change.Off:
		one.Verdict, one.Reason = Off, "switched off by the policy: "+change.Reason
		return one, q, false
	case !inA && !inB:
		return one, q, false
	case !inA || !inB:
		one.Verdict, one.Reason = Missing, lacks(a, b, inA, inB)
		return one, q, false
	}
	q = Question{Key: one.Key, Values: v, Better: g.better, Margin: margin}
	q.settle(policy.Spec.RunSpread, a, b)
	if g.shares {
		q.Margin, q.Absolute = 0, margin
	}
	if g.either { // whichever way it went is the wrong one
		q.Better = metric.Lower
		if stat.Mean(v.B, nil) < stat.Mean(v.A, nil) {
			q.Better = metric.Higher
		}
	}
	one.Verdict = Inconclusive // until it is decided
	return one, q, true
}

// trip is what a guard makes of a decision: it looks at what was measured first,
// and says whether that is significant.
func (q Question) trip(d Decision) (Verdict, string) {
	a, b := stat.Mean(q.Values.A, nil), stat.Mean(q.Values.B, nil)
	worse, limit := b-a, q.Absolute
	if q.relative() {
		worse, limit = math.Log(b/a), math.Log1p(q.Margin)
	}
	if q.Better == metric.Higher {
		worse = -worse
	}
	measured := fmt.Sprintf("%.4g beside %.4g", b, a)
	switch {
	case !(worse > limit): // zero beside zero has no ratio, and nothing against it
		return NotWorse, measured + ", within the guard's margin"
	case d.Verdict == Regressed:
		return Regressed, measured + ", beyond the guard's margin and significant"
	case d.unsettled:
		return Inconclusive, measured + ", beyond the guard's margin, but " + q.Runs.unsettled()
	}
	return Inconclusive, measured + ", beyond the guard's margin; whether by chance, the launches do not say"
}
