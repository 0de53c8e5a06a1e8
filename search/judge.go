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
		if miss, counts := o.Misses(r, chunks); counts {
			s.judged[i] = append(s.judged[i], judged{r.Due, miss})
		}
	}
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

// leans reports whether the shares seen are within what is allowed, whatever
// their bounds.
func leans(evidence []Evidence) bool {
	for _, e := range evidence {
		if e.N == 0 || e.Share > e.Allowed {
			return false
		}
	}
	return true
}
