package plan

import (
	"fmt"

	"assay/spec"
	"assay/unit"
)

// A sessionShape is what a session is expected to take.
type sessionShape struct {
	requests float64
	seconds  float64
}

// shapeOf is the shape of the sessions of run when a request takes service
// seconds. Without sessions each request stands alone; how long those of a file
// are is not known before it is read, and one turn stands in.
func shapeOf(run spec.Run, service, thinkTime float64) sessionShape {
	s := run.Spec.Workload.Session
	if s == nil {
		return sessionShape{1, service + thinkTime}
	}
	turns := float64(max(1, s.Turns))
	shape := sessionShape{turns, turns*service + (turns-1)*s.ThinkTime.Seconds()}
	if s.Tool != nil && s.Tool.Every > 0 {
		calls := float64((max(1, s.Turns) - 1) / s.Tool.Every)
		shape.seconds += calls * s.Tool.Time.Seconds()
	}
	if s.Fork != nil && s.Fork.Every > 0 {
		forks := float64(max(1, s.Turns) / s.Fork.Every)
		if s.Fork.Every == 1 {
			forks-- // nothing parts before the first turn
		}
		shape.requests += forks * float64(s.Fork.Branches)
		shape.seconds += forks * service // branches run beside each other
	}
	return shape
}

// assumption says what the expected counts rest on, or nothing when they rest
// on the plan alone.
func assumption(p Plan, service float64, closed bool) string {
	session := p.Run.Spec.Workload.Session
	fromFile := session != nil && session.From != spec.SessionSynthetic
	switch {
	case p.Run.Spec.Load != nil && p.Run.Spec.Load.TraceRef != "" && !closed:
		return "a trace says itself how many requests it holds; they are not counted here"
	case fromFile:
		return "the sessions of a file are not counted beforehand: one turn each is assumed"
	case closed:
		return fmt.Sprintf("a closed loop sends as fast as the target answers; the counts assume %s per request (%s to the first token, %s for each further one)",
			unit.Format(service, unit.Second), unit.Format(assumedFirstToken, unit.Second), unit.Format(assumedPerToken, unit.Second))
	}
	return ""
}
