package foreign

import (
	"cmp"
	"slices"
	"time"

	"assay/spec"
	"assay/unit"
)

// summaryRun is the question behind summaries of a tool that does not ask a model
// over a network, or does not say how: a document with what is known in it.
func summaryRun(name, model string, points []Point) spec.Run {
	no := false
	out := spec.Run{APIVersion: spec.APIVersion, Kind: spec.KindBenchmarkRun}
	out.Metadata.Name = plainName(name)
	out.Spec.Workload.Model, out.Spec.Workload.ConcurrencyModel = "unknown", spec.ClosedLoop
	out.Spec.Load = &spec.Load{Concurrency: []int{1}, Duration: unit.Duration(time.Second), Warmup: &spec.Warmup{}, Calibrate: &no}
	try(&out, func(r *spec.Run) { r.Spec.Workload.Model = cmp.Or(model, "unknown") })
	var rates []float64
	for _, p := range points {
		if p.Rate > 0 && !slices.Contains(rates, p.Rate) {
			rates = append(rates, p.Rate)
		}
	}
	if len(rates) > 0 {
		try(&out, func(r *spec.Run) {
			load := *r.Spec.Load
			load.Concurrency, load.Rate = nil, rates
			r.Spec.Load, r.Spec.Workload.ConcurrencyModel = &load, spec.OpenLoop
		})
	}
	return out
}

// A summary is what one file says about one point.
type summary struct {
	point    Point
	measured Measured
}

// summaries lays results out: a point for each name, in the order in which they
// come, and a launch for each time that it comes again.
func summaries(all []summary) (points []Point, launches []Launch) {
	index, times := map[string]int{}, map[string]int{}
	for _, s := range all {
		name := s.point.name()
		at, known := index[name]
		if !known {
			at = len(points)
			index[name] = at
			points = append(points, s.point)
		}
		s.measured.Point = at
		for i := range s.measured.Reported {
			s.measured.Reported[i].Point = at
		}
		if times[name] == len(launches) {
			launches = append(launches, Launch{})
		}
		l := &launches[times[name]]
		l.Points = append(l.Points, s.measured)
		times[name]++
	}
	return points, launches
}
