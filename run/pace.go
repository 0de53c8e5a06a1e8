package run

import (
	"fmt"
	"math"
	"slices"

	"assay/plan"
	"assay/record"
	"assay/unit"
)

// A pace is how fast the one answer before a run came, in seconds.
type pace struct {
	first float64 // until the first token
	each  float64 // the median gap: the first steps of a server are its slowest
}

// paceOf is the pace of an answer; false for one that is too short to tell.
func paceOf(r record.Request, chunks []record.Chunk) (pace, bool) {
	var gaps []int64
	first, last := int64(-1), int64(-1)
	for _, c := range chunks {
		if !c.Kind.Output() {
			continue
		}
		if last >= 0 {
			gaps = append(gaps, c.At-last)
		} else {
			first = c.At
		}
		last = c.At
	}
	if len(gaps) < preflightTokens/2 {
		return pace{}, false
	}
	slices.Sort(gaps)
	return pace{float64(first-r.Sent) / 1e9, float64(gaps[len(gaps)/2]) / 1e9}, true
}

// answer is how long an answer of so many tokens takes.
func (p pace) answer(tokens int) float64 { return p.first + p.each*float64(tokens) }

// longest is the longest answer that a point asks for, in seconds.
func (p pace) longest(of plan.Plan, point plan.Point) (seconds float64, tokens int) {
	for _, l := range of.WorkloadOf(point).SequenceLengthMix {
		if took := p.answer(l.OutputTokens); took > seconds {
			seconds, tokens = took, l.OutputTokens
		}
	}
	return seconds, tokens
}

// fewAnswers is how many answers of one user a window should hold.
const fewAnswers = 3

// notePace notes a window in which a user gets a few answers at most.
func (s *side) notePace(p plan.Plan, pace pace) {
	if p.Workload().Session != nil {
		return
	}
	for _, point := range p.Points {
		answer, tokens := pace.longest(p, point)
		if point.Duration <= 0 || fewAnswers*answer <= point.Duration.Seconds() {
			continue
		}
		s.notes = append(s.notes, fmt.Sprintf("an answer of %d tokens will take about %.0f s by the pace of the first one, and points are measured for %s: few answers will count; use --duration %.0fs (load.duration in a spec)",
			tokens, answer, point.Duration, math.Ceil(2*fewAnswers*answer)))
		return
	}
}

// muchLonger is the part of a run's planned time from which on waiting for the last
// answers of its points is worth a word.
const muchLonger = .1

// noteDrain corrects the time that the plan expects by what only the server could tell:
// each point of a closed loop waits for the answers that are under way when its window
// ends.
func (s *side) noteDrain(p plan.Plan, pace pace) {
	if p.Workload().Session != nil || p.Search != nil || p.Expected.Seconds <= 0 {
		return
	}
	drain, longest := 0., 0.
	for _, point := range p.Points {
		if point.Kind() != plan.KindServing || point.Open() || point.Requests > 0 {
			continue
		}
		answer, _ := pace.longest(p, point)
		drain, longest = drain+answer*float64(len(p.Launches)), max(longest, answer)
	}
	if drain < muchLonger*p.Expected.Seconds {
		return
	}
	s.notes = append(s.notes, fmt.Sprintf("the run takes about %s, not %s: by the pace of the first answer one takes up to %s, and each point waits for its last ones",
		about(p.Expected.Seconds+drain), about(p.Expected.Seconds), unit.Format(longest, unit.Second)))
}

// about is a time in whole minutes, or seconds below two of them.
func about(seconds float64) string {
	if seconds < 120 {
		return fmt.Sprintf("%.0f s", seconds)
	}
	return fmt.Sprintf("%.0f min", seconds/60)
}
