package metric

import (
	"cmp"
	"fmt"
	"slices"

	"assay/record"
	"assay/stats"
)

// External is what one kind of work of the sessions of a point took: the calls of one
// tool, or the model's own answers. A tool is what a session waits for outside of the
// target, such as a search or a database.
type External struct {
	Point int    `json:"point"`
	Side  string `json:"side,omitempty"` // empty in a run of one side
	Tool  string `json:"tool,omitempty"` // empty for the model

	// Real says that a program ran, or the model; otherwise the time was injected, and says
	// nothing about any system.
	Real bool `json:"real"`

	Calls  int `json:"calls"`  // measured ones that ended well, over all launches
	Failed int `json:"failed"` // measured ones that did not

	// PerCall is the time of a call from when it was due, Longest the longest of all.
	PerCall stats.Estimate `json:"perCall"`
	Longest float64        `json:"longest"`

	// PerSession is the time of all its calls in a complete session, each counted in full
	// also where branches run at once. Waited is the part of session_time.v1 that the
	// session waited for it: over all rows, and session_think.v1, they add up to
	// session_time.v1. Both are missing where no session was complete.
	PerSession *stats.Estimate `json:"perSession,omitempty"`
	Waited     *stats.Estimate `json:"waited,omitempty"`
}

// callSums are what a launch has of one row.
type callSums struct {
	key
	calls, failed      int
	took, longest      float64 // of the measured calls that ended well
	inSessions, waited float64 // sums over complete sessions
	sessions           int     // complete ones of the point
}

// A key says which calls belong together.
type key struct {
	tool string
	real bool
}

func keyOf(s record.SessionStep) key {
	if s.Kind != record.StepTool {
		return key{real: true}
	}
	return key{cmp.Or(s.Tool, "tool"), s.Real}
}

// calls sums the steps of a point's sessions by what they called.
func (p *Point) calls() []callSums {
	sums := map[key]*callSums{}
	of := func(s record.SessionStep) *callSums {
		k := keyOf(s)
		if sums[k] == nil {
			sums[k] = &callSums{key: k}
		}
		return sums[k]
	}
	for _, s := range p.Sessions {
		for _, step := range s.Steps {
			if step.Phase == record.Measure {
				of(step).add(step)
			}
		}
	}
	sessions := 0
	for s := range p.measuredSessions {
		sessions++
		for _, step := range s.Steps {
			of(step).inSessions += seconds(step.End - step.Due)
		}
		for at := s.last(); at >= 0; at = s.waitedFor(at) {
			of(s.Steps[at]).waited += seconds(s.Steps[at].End - s.Steps[at].Due)
		}
	}
	var list []callSums
	for _, one := range sums {
		one.sessions = sessions
		list = append(list, *one)
	}
	return list
}

func (c *callSums) add(step record.SessionStep) {
	switch took := seconds(step.End - step.Due); {
	case step.Result == record.OK:
		c.calls, c.took, c.longest = c.calls+1, c.took+took, max(c.longest, took)
	case step.Result.Failure():
		c.failed++
	}
}

// externals estimates the rows of a point over launches: the model first, then tools by
// name. Sessions that call nothing have none.
func externals(samples []judgedPoint, confidence float64) ([]External, error) {
	found, tools := map[key][]callSums{}, false
	for _, s := range samples {
		for _, c := range s.calls {
			found[c.key], tools = nil, tools || c.tool != ""
		}
	}
	if !tools {
		return nil, nil
	}
	for _, s := range samples {
		for k := range found {
			found[k] = append(found[k], k.in(s.calls)...)
		}
	}
	var list []External
	for k, sums := range found {
		row, err := k.estimate(sums, confidence)
		if err != nil {
			return nil, fmt.Errorf("calls of %q: %w", k.tool, err)
		}
		list = append(list, row)
	}
	slices.SortFunc(list, func(a, b External) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(fmt.Sprint(a.Real), fmt.Sprint(b.Real)))
	})
	return list, nil
}

// in is what a launch has of k: nothing of it where its sessions called others alone, and
// no value where it has no sessions.
func (k key) in(list []callSums) []callSums {
	if len(list) == 0 {
		return nil
	}
	if i := slices.IndexFunc(list, func(c callSums) bool { return c.key == k }); i >= 0 {
		return list[i : i+1]
	}
	return []callSums{{key: k, sessions: list[0].sessions}}
}

func (k key) estimate(sums []callSums, confidence float64) (row External, err error) {
	row = External{Tool: k.tool, Real: k.real}
	var perCall, perSession, waited []float64
	for _, c := range sums {
		row.Calls, row.Failed, row.Longest = row.Calls+c.calls, row.Failed+c.failed, max(row.Longest, c.longest)
		if c.calls > 0 {
			perCall = append(perCall, c.took/float64(c.calls))
		}
		if c.sessions > 0 {
			perSession = append(perSession, c.inSessions/float64(c.sessions))
			waited = append(waited, c.waited/float64(c.sessions))
		}
	}
	if len(perCall) > 0 {
		if row.PerCall, err = launchMean(perCall, confidence); err != nil {
			return row, err
		}
	}
	if len(perSession) == 0 {
		return row, nil
	}
	both := [2]stats.Estimate{}
	for i, values := range [][]float64{perSession, waited} {
		if both[i], err = launchMean(values, confidence); err != nil {
			return row, err
		}
	}
	row.PerSession, row.Waited = &both[0], &both[1]
	return row, nil
}

// launchMean is the mean over launches: plain, so that what adds up in every launch adds up
// over all of them. Times are not below zero.
func launchMean(values []float64, confidence float64) (stats.Estimate, error) {
	est, err := stats.Mean(values, confidence)
	est.Interval.Lo = max(0, est.Interval.Lo)
	return est, err
}
