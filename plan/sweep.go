package plan

import (
	"fmt"
	"strings"

	"assay/spec"
)

// swept lists the points of a run: every level of the load, for every scenario
// and batch size of a sweep. Points of one shape follow each other, so that a
// curve of load is measured in one piece.
func swept(run spec.Run, base Point, open bool) []Point {
	var list []Point
	for _, one := range shapes(run.Spec) {
		for _, p := range loads(run.Spec, base, open) {
			p.Index, p.Scenario, p.BatchSize = len(list), one.Scenario, one.BatchSize
			p.Name = one.shape() + p.Name
			if session := run.Spec.Workload.Session; session != nil {
				p.Requests = session.Limit // a point of sessions counts sessions
			}
			list = append(list, p)
		}
	}
	return list
}

// shapes are the scenarios and batch sizes of a sweep, as points without load;
// one empty point where there is none.
func shapes(s spec.RunSpec) []Point {
	scenarios, sizes := s.Workload.Prompt.Scenarios, s.Load.BatchSizes
	if len(scenarios) == 0 {
		scenarios = []string{""}
	}
	if len(sizes) == 0 {
		sizes = []int{0}
	}
	var list []Point
	for _, scenario := range scenarios {
		for _, size := range sizes {
			list = append(list, Point{Scenario: scenario, BatchSize: size})
		}
	}
	return list
}

// shape is what scenario and batch size put before the name of a load.
func (p Point) shape() string {
	var b strings.Builder
	if p.Scenario != "" {
		b.WriteString(p.Scenario + " ")
	}
	if p.BatchSize > 0 {
		fmt.Fprintf(&b, "batch=%d ", p.BatchSize)
	}
	return b.String()
}

// loads are the levels of load that the spec asks for, of one shape of request.
func loads(s spec.RunSpec, base Point, open bool) []Point {
	var list []Point
	add := func(name string, set func(*Point)) {
		p := base
		set(&p)
		p.Name = name
		list = append(list, p)
	}
	load := s.Load
	if !open {
		for _, users := range load.Concurrency {
			add(fmt.Sprintf("concurrency=%d", users), func(p *Point) { p.Concurrency = users })
		}
	} else {
		for _, rate := range load.Rate {
			add(fmt.Sprintf("rate=%g/s", rate), func(p *Point) { p.Rate = rate })
		}
	}
	if len(load.Stages) > 0 {
		add("stages", func(p *Point) {
			p.Stages, p.Duration = load.Stages, stagesTime(load.Stages)
			if !open {
				p.Concurrency = mostUsers(load.Stages)
			}
		})
	}
	if open && load.TraceRef != "" {
		add("trace", func(p *Point) { p.TraceRef, p.TraceScale = load.TraceRef, load.TraceScale })
	}
	return list
}

// WorkloadOf is what point asks: the workload of the run, or in a sweep that of
// the point's own scenario and batch size.
func (p Plan) WorkloadOf(point Point) spec.Workload {
	return p.Run.Spec.Workload.At(point.Scenario, point.BatchSize)
}
