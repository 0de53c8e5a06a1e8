package search

import (
	"cmp"
	"slices"

	"assay/plan"
	"assay/record"
	"assay/stats"
)

// A Sample is what the measured requests of the probes at one level did about
// the objectives.
type Sample struct {
	rule   plan.Search
	judged [][]judged // by objective
}

type judged struct {
	due  int64
	miss bool
}

// NewSample is empty.
func NewSample(rule plan.Search) *Sample {
	return &Sample{rule: rule, judged: make([][]judged, len(rule.Objectives))}
}

// Add judges one request. Those outside the measured window do not count.
func (s *Sample) Add(r *record.Request, chunks []record.Chunk) {
	if r.Phase != record.Measure {
		return
	}
	for i, o := range s.rule.Objectives {
		if miss, counts := misses(o, r, chunks); counts {
			s.judged[i] = append(s.judged[i], judged{r.Due, miss})
		}
	}
}

// misses says whether r misses o, and whether it counts at all: what was cut by
// the end of the run or given up on purpose does not. A request that failed, or
// whose answer cannot tell what o limits, misses it.
func misses(o plan.Objective, r *record.Request, chunks []record.Chunk) (miss, counts bool) {
	switch {
	case r.Result == record.Cut || r.Result == record.Cancelled:
		return false, false
	case r.Result != record.OK:
		return true, true
	case o.E2E > 0 && r.Done-r.Due > int64(o.E2E):
		return true, true
	case o.TTFT == 0 && o.TPOT == 0:
		return false, true
	}
	first, last := int64(-1), int64(-1)
	for _, c := range chunks {
		if c.Kind.Output() {
			if first < 0 {
				first = c.At
			}
			last = c.At
		}
	}
	if first < 0 || o.TTFT > 0 && first-r.Due > int64(o.TTFT) {
		return true, true
	}
	if o.TPOT == 0 || r.UsageOutput != nil && *r.UsageOutput < 2 {
		return false, true // one token has no pace to keep
	}
	return r.UsageOutput == nil || last-first > int64(o.TPOT)*int64(*r.UsageOutput-1), true
}

// Evidence is what a sample says about one objective.
type Evidence struct {
	Objective string  `json:"objective"`
	N         int     `json:"n"`
	Misses    int     `json:"misses"`
	Share     float64 `json:"share"`   // misses / n
	Allowed   float64 `json:"allowed"` // the share that may miss

	// DesignEffect is how many successive requests are worth one independent
	// one; misses come in bursts. The bounds are those of the counts divided by
	// it.
	DesignEffect float64 `json:"designEffect"`
	AtLeast      float64 `json:"atLeast"` // the exact lower bound of the share
	AtMost       float64 `json:"atMost"`  // the exact upper bound
	Verdict      Verdict `json:"verdict"`
}

// Judge decides a level from the probes so far. All objectives must hold, each
// at the full level: where one does not, saying that all do is wrong with that
// chance at most. One that fails is enough to fail, and that any of m does by
// chance is m times as likely, so each has an m-th of the level.
func (s *Sample) Judge() (Verdict, []Evidence) {
	alpha := s.rule.Alpha()
	var list []Evidence
	verdict := Holds
	for i, o := range s.rule.Objectives {
		e := Evidence{Objective: o.Name, Allowed: o.Allowed, DesignEffect: 1, AtMost: 1, Verdict: Undecided}
		if e.N = len(s.judged[i]); e.N > 0 {
			e.count(s.judged[i], alpha, alpha/float64(len(s.rule.Objectives)))
		}
		switch {
		case e.Verdict == Fails:
			verdict = Fails
		case e.Verdict == Undecided && verdict != Fails:
			verdict = Undecided
		}
		list = append(list, e)
	}
	return verdict, list
}

// count fills in the bounds and the verdict.
func (e *Evidence) count(requests []judged, holdAlpha, failAlpha float64) {
	slices.SortStableFunc(requests, func(a, b judged) int { return cmp.Compare(a.due, b.due) })
	series := make([]float64, len(requests))
	for i, j := range requests {
		if j.miss {
			e.Misses++
			series[i] = 1
		}
	}
	n := float64(e.N)
	e.Share = float64(e.Misses) / n
	e.DesignEffect = stats.DesignEffect(series)
	hits, trials := float64(e.Misses)/e.DesignEffect, n/e.DesignEffect
	e.AtMost = stats.ShareAtMost(hits, trials, holdAlpha)
	e.AtLeast = stats.ShareAtLeast(hits, trials, failAlpha)
	switch {
	case e.AtMost <= e.Allowed:
		e.Verdict = Holds
	case e.AtLeast > e.Allowed:
		e.Verdict = Fails
	}
}
