package run

import (
	"fmt"

	"assay/plan"
	"assay/workload"
	"assay/workload/arrival"
)

// recordings are the traces of a run, which are read once and serve all its
// launches.
type recordings struct {
	trace *recording

	// counter counts the tokens of prompts of traces and sessions. Nil counts
	// words.
	counter workload.Counter
}

// of is the trace of p.
func (r *recordings) of(p plan.Plan) (*recording, error) {
	if r.trace == nil {
		trace, err := readTrace(p)
		if err != nil {
			return nil, err
		}
		r.trace = trace
	}
	return r.trace, nil
}

// replaySource is what a point that replays a trace asks.
func (l *activeLaunch) replaySource(point plan.Point) (workload.Source, error) {
	r, err := l.recordings.of(l.plan)
	if err != nil {
		return nil, err
	}
	return r.source(plan.Seed(l.planned.Seed, "workload", int64(point.Index)), l.recordings.counter)
}

// arrivals is when the calls, or sessions, of an open point are due. What a
// replay uses of its trace is kept beside the schedule.
func (l *activeLaunch) arrivals(point plan.Point) (*arrival.Schedule, error) {
	if point.TraceRef == "" {
		return schedule(l.planned, point)
	}
	r, err := l.recordings.of(l.plan)
	if err != nil {
		return nil, err
	}
	s, err := r.schedule(l.plan, point)
	if err != nil {
		return nil, err
	}
	used, err := r.replayed(l.plan, point, s)
	if err != nil {
		return nil, err
	}
	data, err := used.encode()
	if err != nil {
		return nil, err
	}
	if err := l.to.attach(fmt.Sprintf("trace-%02d.json", point.Index), data); err != nil {
		return nil, &bundleError{err}
	}
	return s, nil
}

// paced gives the point of a trace the largest rate that the trace has, for
// those who open connections and prepare calls ahead.
func (l *activeLaunch) paced(point plan.Point) (plan.Point, error) {
	if point.TraceRef == "" {
		return point, nil
	}
	r, err := l.recordings.of(l.plan)
	if err != nil {
		return point, err
	}
	point.Rate = r.peak(l.plan, point.TraceScale)
	return point, nil
}

// replayable makes sure that the trace and the sessions of p are there, are what
// the plan names and can be asked.
func replayable(p plan.Plan) error {
	if p.Workload().Session != nil {
		return sessionsReadable(p)
	}
	if p.Load().TraceRef != "" {
		_, err := readTrace(p)
		return err
	}
	return nil
}
