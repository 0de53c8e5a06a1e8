package claim

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/objective"
	"assay/finding"
	"assay/metric"
	"assay/spec"
)

// markHeadline marks the claim that the spec chose before the run. A throughput is the
// highest one. A latency is of the highest load that keeps every objective, or of the
// lowest load where there are no objectives; its sentence names the load, and the one that
// would lead if its latency were not refused.
func (c Claims) markHeadline(e Evidence) {
	var best *Claim
	for i := range c.Claims {
		one := &c.Claims[i]
		switch e.Plan.Intent().Headline {
		case spec.HeadlineThroughput:
			if one.Metric == metric.OutputThroughput.ID && (best == nil || one.Value > best.Value) {
				best = one
			}
		case spec.HeadlineLatency:
			if one.Metric == metric.TTFT.ID && one.Statistic == "p50" && (best == nil || c.leads(e, one.result(), best.result())) {
				best = one
			}
		}
	}
	if best == nil {
		return
	}
	best.Headline = true
	if first := c.leading(e); best.Metric == metric.TTFT.ID && !slices.ContainsFunc(c.Claims, func(one Claim) bool { return one.result() == first }) {
		where := first.Point
		if first.Side != "" {
			where += " of " + first.Side
		}
		best.Sentence = fmt.Sprintf("%s, in place of p50 TTFT at %s, which is refused.", strings.TrimSuffix(best.Sentence, "."), where)
	}
}

// result names what is claimed as findings do.
func (c Claim) result() finding.Result {
	return finding.Result{Subject: finding.Speed, Metric: c.Metric, Statistic: c.Statistic, Point: c.Point, Side: c.Side}
}

// leading is the latency to lead with, whether or not it may be quoted.
func (c Claims) leading(e Evidence) (first finding.Result) {
	for _, row := range e.Estimates.Rows {
		r := OfRow(row, e.Plan)
		if r.Metric == metric.TTFT.ID && r.Statistic == "p50" && r.Point != "" && (first.Point == "" || c.leads(e, r, first)) {
			first = r
		}
	}
	return first
}

// leads reports whether the latency a is the headline rather than b: loads that keep the
// objectives come first, the highest of them; of the others the lowest.
func (c Claims) leads(e Evidence, a, b finding.Result) bool {
	keeps := c.keeps(e, a)
	switch {
	case keeps != c.keeps(e, b):
		return keeps
	case keeps:
		return e.load(a) > e.load(b)
	}
	return e.load(a) < e.load(b)
}

// load is how much was asked of the system where r was measured: users, or requests per
// second.
func (e Evidence) load(r finding.Result) float64 {
	for _, point := range e.Plan.Points {
		if point.Name == r.Point {
			return max(float64(point.Concurrency), point.Rate)
		}
	}
	return 0
}

// keeps reports whether the objectives of the spec, of which there are some, hold
// where r was measured.
func (c Claims) keeps(e Evidence, r finding.Result) bool {
	for _, point := range e.Plan.Points {
		if point.Name == r.Point && objective.Worst(objective.Judge(e.Estimates.Of(r.Side), e.Plan.Objectives(), point, c.Reasons)) != objective.Kept {
			return false
		}
	}
	return len(e.Plan.Objectives()) > 0
}
