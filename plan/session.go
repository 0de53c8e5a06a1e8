package plan

import (
	"math"

	"assay/spec"
)

// A sessionShape is what a session is expected to take.
type sessionShape struct {
	requests float64
	seconds  float64
}

// shapeOf is the shape of the sessions of run when a request takes service
// seconds. How long those of a file are is not known before it is read, and one
// turn stands in.
func shapeOf(run spec.Run, service float64) sessionShape {
	s := run.Spec.Workload.Session
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

// sessionRequests is how many requests a point of sessions expects.
func sessionRequests(run spec.Run, point Point, service float64) int64 {
	shape := shapeOf(run, service)
	begun := point.Rate * point.Duration.Seconds()
	if point.Concurrency > 0 {
		begun = float64(point.Concurrency) / shape.seconds * point.Duration.Seconds()
	}
	for i, before := 0, 0.0; i < len(point.Stages); i++ {
		one := point.Stages[i]
		begun += stageMean(one, before) * one.Duration.Seconds()
		before = one.Rate
	}
	if limit := float64(point.Requests); limit > 0 && limit < begun {
		begun = limit
	}
	return int64(begun * shape.requests)
}

// stageMean is the mean rate of a stage that begins at the rate before.
func stageMean(s spec.Stage, before float64) float64 {
	switch {
	case s.Ramp == spec.RampLinear:
		return (before + s.Rate) / 2
	case s.Ramp == spec.RampExponential && s.Rate != before:
		return (s.Rate - before) / math.Log(s.Rate/before)
	}
	return s.Rate
}

// fileAssumption says what the counts of a trace or of the sessions of a file
// rest on; nothing for others.
func fileAssumption(p Plan) string {
	session, load := p.Run.Spec.Workload.Session, p.Run.Spec.Load
	switch {
	case load != nil && load.TraceRef != "" && p.Run.Spec.Workload.ConcurrencyModel == spec.OpenLoop:
		return "a trace says itself how many requests it holds; they are not counted here"
	case session != nil && session.From != spec.SessionSynthetic:
		return "the sessions of a file are not counted beforehand: one turn each is assumed"
	}
	return ""
}
