package metric

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

// A Session is the steps of one session that were recorded, in its order.
type Session struct {
	Phase record.Phase // in which it began
	Steps []record.SessionStep
}

// Complete reports whether every step of the session ended well.
func (s *Session) Complete() bool {
	if len(s.Steps) == 0 || len(s.Steps) != int(s.Steps[0].Steps) {
		return false
	}
	return !slices.ContainsFunc(s.Steps, func(step record.SessionStep) bool { return step.Result != record.OK })
}

// failed reports whether a step ended badly. One that the end of the run cut off
// did not.
func (s *Session) failed() bool {
	return slices.ContainsFunc(s.Steps, func(step record.SessionStep) bool { return step.Result.Failure() })
}

// last is the index of the step that ended last.
func (s *Session) last() int {
	last := 0
	for i, step := range s.Steps {
		if step.End > s.Steps[last].End {
			last = i
		}
	}
	return last
}

// seconds is the time from when the session was due to begin to its last end.
func (s *Session) seconds() float64 { return seconds(s.Steps[s.last()].End - s.Steps[0].Start) }

// A share is where the time of a session went.
type share struct{ generation, tool, think float64 }

// shares follows the longest chain of a complete session from its end to its
// beginning: the parts sum to the session's time.
func (s *Session) shares() share {
	var out share
	for at := s.last(); at >= 0; at = s.waitedFor(at) {
		step := s.Steps[at]
		took := seconds(step.End - step.Due)
		if step.Kind == record.StepTool {
			out.tool += took
		} else {
			out.generation += took
		}
		out.think += seconds(step.Think)
	}
	return out
}

// waitedFor is the step whose end made the given one due; -1 for none.
func (s *Session) waitedFor(step int) int {
	latest := -1
	for name := range strings.FieldsSeq(s.Steps[step].Parents) {
		// Parents come before their step; a row that says otherwise is no chain.
		before, err := strconv.Atoi(name)
		if err == nil && before < step && (latest < 0 || s.Steps[before].End > s.Steps[latest].End) {
			latest = before
		}
	}
	return latest
}

// readSessions gives points and requests the steps of their sessions.
func readSessions(b *bundle.Bundle, launch int, points map[int32]*Point, byID map[int64]*Timeline) error {
	type key struct {
		point   int32
		session int64
	}
	found := map[key]*Session{}
	for step, err := range bundle.Rows[record.SessionStep](b, launch, bundle.Sessions) {
		if err != nil {
			return err
		}
		p := points[step.Point]
		if p == nil {
			continue
		}
		k := key{step.Point, step.Session}
		s := found[k]
		if s == nil {
			s = &Session{Phase: step.Began}
			found[k] = s
			p.Sessions = append(p.Sessions, s)
		}
		s.Steps = append(s.Steps, step)
	}
	for _, s := range found {
		slices.SortFunc(s.Steps, func(a, b record.SessionStep) int { return cmp.Compare(a.Step, b.Step) })
		for i := range s.Steps {
			step := &s.Steps[i]
			if step.Request != nil && byID[*step.Request] != nil {
				byID[*step.Request].Step = step
			}
		}
	}
	return nil
}

// measuredSessions yields the complete sessions that began in the measured
// window.
func (p *Point) measuredSessions(yield func(*Session) bool) {
	for _, s := range p.Sessions {
		if s.Phase == record.Measure && s.Complete() && !yield(s) {
			return
		}
	}
}

// perSession is a distribution over the complete measured sessions.
func perSession(value func(*Session) float64) func(*Point) []float64 {
	return func(p *Point) (list []float64) {
		for s := range p.measuredSessions {
			list = append(list, value(s))
		}
		return list
	}
}

// perStep is a distribution over the measured steps of one kind that ended well.
func perStep(kind string) func(*Point) []float64 {
	return func(p *Point) (list []float64) {
		for _, s := range p.Sessions {
			for _, step := range s.Steps {
				if step.Phase == record.Measure && step.Kind == kind && step.Result == record.OK {
					list = append(list, seconds(step.End-step.Due))
				}
			}
		}
		return list
	}
}

// turnTTFT is TTFT of the first turn of sessions, or of all later ones.
func turnTTFT(first bool) func(*Timeline) []float64 {
	return func(t *Timeline) []float64 {
		if t.Step == nil || (t.Step.Turn == 0) != first {
			return nil
		}
		return TTFT.Each(t)
	}
}

// The metrics of sessions.
var (
	FirstTurnTTFT = Metric{
		ID: "ttft_first_turn.v2", Name: "TTFT, first turn", Unit: unit.Second, Better: Lower, Scope: only(Sessions),
		Doc: "ttft.v2 of the requests that begin a conversation.",
		Of:  Each(turnTTFT(true)),
	}
	LaterTurnTTFT = Metric{
		ID: "ttft_later_turn.v2", Name: "TTFT, later turns", Unit: unit.Second, Better: Lower, Scope: only(Sessions),
		Doc: "ttft.v2 of the requests that continue a conversation. Below the first turn's where a server keeps what it has read.",
		Of:  Each(turnTTFT(false)),
	}
	SessionTime = Metric{
		ID: "session_time.v1", Name: "session time", Unit: unit.Second, Better: Lower, Scope: only(Sessions),
		Doc: "Time from when a session was due to begin to the end of its last step, over complete sessions.",
		Of:  Many(perSession((*Session).seconds)),
	}
	SessionGeneration = Metric{
		ID: "session_generation.v1", Name: "  of it generation", Unit: unit.Second, Better: Lower, Scope: only(Sessions),
		Doc: "The part of session_time.v1 in which the chain of steps that ended last was generating.",
		Of:  Many(perSession(func(s *Session) float64 { return s.shares().generation })),
	}
	SessionTool = Metric{
		ID: "session_tool.v1", Name: "  of it tools", Unit: unit.Second, Better: Lower, Scope: only(Sessions),
		Doc: "The part of session_time.v1 in which that chain was in a tool.",
		Of:  Many(perSession(func(s *Session) float64 { return s.shares().tool })),
	}
	SessionThink = Metric{
		ID: "session_think.v1", Name: "  of it thinking", Unit: unit.Second, Better: Lower, Scope: only(Sessions),
		Doc: "The part of session_time.v1 in which that chain waited for the user.",
		Of:  Many(perSession(func(s *Session) float64 { return s.shares().think })),
	}
	StepGeneration = Metric{
		ID: "step_generation.v1", Name: "generation step", Unit: unit.Second, Better: Lower, Scope: only(Sessions),
		Doc: "Time from when a generation was due to the end of its answer, over the measured steps of all sessions.",
		Of:  Many(perStep(record.StepGenerate)),
	}
	StepTool = Metric{
		ID: "step_tool.v1", Name: "tool step", Unit: unit.Second, Better: Lower, Scope: only(Sessions),
		Doc: "Time from when a tool was due to its end, over the measured steps of all sessions; injected or real, as the spec says.",
		Of:  Many(perStep(record.StepTool)),
	}
	SessionTurns = Metric{
		ID: "session_turns.v1", Name: "turns per session", Unit: unit.Ratio, Better: Higher, Scope: only(Sessions),
		Doc: "Generations of a complete session, branches counted.",
		Of: Many(perSession(func(s *Session) float64 {
			n := 0
			for _, step := range s.Steps {
				if step.Kind == record.StepGenerate {
					n++
				}
			}
			return float64(n)
		})),
	}
	SessionRate = Metric{
		ID: "session_rate.v2", Name: "session throughput", Unit: unit.SessionPerSecond, Better: Higher, Scope: only(Sessions),
		Doc: "Complete sessions, each counted with the share of its time, from its first step to its last end, that lies inside the measured window, divided by its length.",
		Of: Whole(func(p *Point) (float64, bool) {
			n := 0.0
			for _, s := range p.Sessions {
				if s.Complete() {
					n += shareOfTime(s.Steps[0].Start, s.Steps[s.last()].End, p.Begin, p.End)
				}
			}
			return n / p.Seconds(), len(p.Sessions) > 0 && p.Seconds() > 0
		}),
	}
	SessionOffered = Metric{
		ID: "session_offered_rate.v1", Name: "offered sessions", Unit: unit.SessionPerSecond, Better: Higher, Scope: only(Sessions, OpenLoop),
		Doc: "Open loop: sessions that were due to begin in the measured window, divided by its length, whatever became of them.",
		Of: Whole(func(p *Point) (float64, bool) {
			n, open := 0, false
			for _, s := range p.Sessions {
				if s.Phase == record.Measure {
					n, open = n+1, s.Steps[0].User < 0
				}
			}
			return float64(n) / p.Seconds(), open && p.Seconds() > 0
		}),
	}
	SessionErrorRate = Metric{
		ID: "session_error_rate.v1", Name: "session error rate", Unit: unit.Share, Better: Lower, Scope: only(Sessions),
		Doc: "Measured sessions that a failed step ended, divided by those and the complete ones.",
		Of: Share(func(p *Point) (failed, all int) {
			for _, s := range p.Sessions {
				switch {
				case s.Phase != record.Measure:
				case s.failed():
					failed, all = failed+1, all+1
				case s.Complete():
					all++
				}
			}
			return failed, all
		}),
	}
)
