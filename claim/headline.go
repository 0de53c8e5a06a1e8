package claim

import (
	"assay/analysis/objective"
	"assay/metric"
	"assay/spec"
)

// markHeadline marks the claim that the spec chose before the run. A throughput is the
// highest one. A latency is of the highest load that keeps every objective, or of the
// lowest load where there are no objectives; its sentence names the load.
func markHeadline(e Evidence, list []Claim) {
	var best *Claim
	for i := range list {
		c := &list[i]
		switch e.Plan.Intent().Headline {
		case spec.HeadlineThroughput:
			if c.Metric == metric.OutputThroughput.ID && (best == nil || c.Value > best.Value) {
				best = c
			}
		case spec.HeadlineLatency:
			if c.Metric == metric.TTFT.ID && c.Statistic == "p50" && (best == nil || e.leads(*c, *best)) {
				best = c
			}
		}
	}
	if best != nil {
		best.Headline = true
	}
}

// leads reports whether the latency c is the headline rather than best: loads that keep
// the objectives come first, the highest of them; of the others the lowest.
func (e Evidence) leads(c, best Claim) bool {
	keeps := e.keeps(c)
	switch {
	case keeps != e.keeps(best):
		return keeps
	case keeps:
		return e.load(c) > e.load(best)
	}
	return e.load(c) < e.load(best)
}

// load is how much was asked of the system where c was measured: users, or requests per
// second.
func (e Evidence) load(c Claim) float64 {
	for _, point := range e.Plan.Points {
		if point.Name == c.Point {
			return max(float64(point.Concurrency), point.Rate)
		}
	}
	return 0
}

// keeps reports whether the objectives of the spec, of which there are some, hold
// where c was measured.
func (e Evidence) keeps(c Claim) bool {
	for _, point := range e.Plan.Points {
		if point.Name != c.Point {
			continue
		}
		for _, v := range objective.Judge(e.Estimates.Of(c.Side), e.Plan.Objectives(), point.Index) {
			if v.State == objective.Broken || v.State == objective.Uncertain {
				return false
			}
		}
	}
	return len(e.Plan.Objectives()) > 0
}
