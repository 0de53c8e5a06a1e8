package watch

import (
	"fmt"
	"math"
	"time"

	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// A Standing is where a point stands with one objective of the spec.
type Standing struct {
	Objective string  // such as TTFT p99 ≤ 300 ms
	Now       float64 // NaN when nothing can be said yet
	Unit      unit.Unit
	Met       bool // with Now

	// Have and Need are answers: below Need the percentile cannot be bounded, and Now
	// is NaN. Need is 0 for what is no percentile, and for what only the report judges.
	Have, Need int64
}

// Known reports whether the objective is met or missed so far.
func (s Standing) Known() bool { return !math.IsNaN(s.Now) }

// objectiveNames are the usual names of the metrics that are followed during a run; the
// report judges the others.
var objectiveNames = map[string]string{
	"ttft": "TTFT", "itl": "ITL", "tpot": "TPOT", "e2e": "E2E", "error_rate": "error rate",
	"requests_per_second": "requests", "tokens_per_second": "output tokens",
}

// standings is where the point under way stands with every objective.
func (v *Live) standings(now time.Time) []Standing {
	var list []Standing
	for _, o := range v.plan.Objectives() {
		list = append(list, v.standing(o, now))
	}
	return list
}

func (v *Live) standing(o spec.Objective, now time.Time) Standing {
	a := &v.at
	name := objectiveNames[o.Metric]
	if name == "" {
		name = o.Metric
	}
	s := Standing{Now: math.NaN(), Unit: unit.Second}
	requests, tokens := a.rates(now)
	switch o.Metric {
	case "error_rate":
		s.Objective, s.Unit = fmt.Sprintf("%s ≤ %g %%", name, 100*o.MaxRatio), unit.Share
		if n := a.judged(); n > 0 {
			s.Now = float64(a.failed) / float64(n)
			s.Met = s.Now <= o.MaxRatio
		}
		return s
	case "requests_per_second":
		s.Objective, s.Unit, s.Now = fmt.Sprintf("%s ≥ %g/s", name, o.Min), unit.RequestPerSecond, requests
		s.Met = requests >= o.Min
		return s
	case "tokens_per_second":
		s.Objective, s.Unit, s.Now = fmt.Sprintf("%s ≥ %g/s", name, o.Min), unit.TokenPerSecond, tokens
		s.Met = tokens >= o.Min
		return s
	}
	s.Objective = fmt.Sprintf("%s p%g ≤ %s", name, o.Percentile, o.Max)
	if o.Max == 0 {
		s.Objective = fmt.Sprintf("%s p%g ≥ %g", name, o.Percentile, o.Min)
	}
	of := map[string]*stats.Sketch{"ttft": a.ttft, "itl": a.itl, "tpot": a.tpot, "e2e": a.e2e}[o.Metric]
	if of == nil || a.window.IsZero() {
		return s
	}
	s.Have, s.Need = of.Count(), v.needs(o.Percentile/100)
	if s.Have >= s.Need {
		s.Now = of.Quantile(o.Percentile / 100)
		s.Met = s.Now <= o.Max.Std().Seconds()
	}
	return s
}

// needs is how many answers a percentile takes before it can be bounded at all.
func (v *Live) needs(q float64) int64 {
	confidence := v.plan.Trials().ConfidenceLevel
	if confidence == 0 {
		confidence = usualConfidence
	}
	return int64(stats.MinSamples(q, confidence))
}

// usualConfidence is that of a plan that says none.
const usualConfidence = .95
