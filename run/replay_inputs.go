package run

import (
	"fmt"

	"assay/bundle"
	"assay/plan"
	"assay/spec"
	"assay/workload"
	"assay/workload/arrival"
)

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
		return newSource(l.plan, l.in, seed)
	}
	r, err := l.in.recording(l.plan)
	if err != nil {
		return nil, err
	}
	return r.source(seed, l.in.words())
}

// arrivals is when the calls, or sessions, of an open point are due. What a
// replay uses of its trace is kept beside the schedule.
func (l *launching) arrivals(point plan.Point) (*arrival.Schedule, error) {
	if point.TraceRef == "" {
		return schedule(l.planned, point)
	}
	r, err := l.in.recording(l.plan)
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
	r, err := l.in.recording(l.plan)
	if err != nil {
		return point, err
	}
	point.Rate = r.peak(l.plan, point.TraceScale)
	return point, nil
}

// makes makes sure that what p asks can be made.
func (in *inputs) makes(p plan.Plan) error {
	if p.Run.Spec.Workload.Session != nil {
		return sessionsReadable(p, in)
	}
	if p.Run.Spec.Load.TraceRef != "" {
		_, err := in.recording(p)
		return err
	}
	if in.kind == spec.TokenizerServer {
		return nil // what words cost is learned when the server runs
	}
	_, err := newSource(p, in, 0)
	return err
}
