package run

import (
	"fmt"

	"assay/bundle"
	"assay/plan"
	"assay/workload"
	"assay/workload/arrival"
)

// inputs are the files that a run reads once and all its launches share.
type inputs struct{ trace *recording }

// recording is the trace of p.
func (in *inputs) recording(p plan.Plan) (*recording, error) {
	if in.trace == nil {
		r, err := readTrace(p)
		if err != nil {
			return nil, err
		}
		in.trace = r
	}
	return in.trace, nil
}

// named lists what p reads for the manifest.
func (in *inputs) named(p plan.Plan) ([]bundle.Input, error) {
	list := datasets(p)
	if p.Run.Spec.Load.TraceRef == "" {
		return list, nil
	}
	r, err := in.recording(p)
	if err != nil {
		return nil, err
	}
	return append(list, r.input()), nil
}

// source is what a point asks.
func (l *launching) source(point plan.Point) (workload.Source, error) {
	seed := plan.Seed(l.planned.Seed, "workload", int64(point.Index))
	if point.TraceRef == "" {
		return newSource(l.plan, seed)
	}
	r, err := l.inputs.recording(l.plan)
	if err != nil {
		return nil, err
	}
	return r.source(seed)
}

// arrivals is when the calls, or sessions, of an open point are due. What a
// replay uses of its trace is kept beside the schedule.
func (l *launching) arrivals(point plan.Point) (*arrival.Schedule, error) {
	if point.TraceRef == "" {
		return schedule(l.planned, point)
	}
	r, err := l.inputs.recording(l.plan)
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
	if err := l.out.Attach(fmt.Sprintf("trace-%02d.json", point.Index), data); err != nil {
		return nil, &bundleError{err}
	}
	return s, nil
}

// paced gives the point of a trace the largest rate that the trace has, for
// those who open connections and prepare calls ahead.
func (l *launching) paced(point plan.Point) (plan.Point, error) {
	if point.TraceRef == "" {
		return point, nil
	}
	r, err := l.inputs.recording(l.plan)
	if err != nil {
		return point, err
	}
	point.Rate = r.peak(l.plan, point.TraceScale)
	return point, nil
}

// readable makes sure that what p asks can be made, and that what it reads is
// there and is what the plan names.
func readable(p plan.Plan) error {
	if p.Run.Spec.Workload.Session != nil {
		return sessionsReadable(p)
	}
	if p.Run.Spec.Load.TraceRef != "" {
		_, err := readTrace(p)
		return err
	}
	_, err := newSource(p, 0)
	return err
}
