package foreign

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/unit"
)

// plan is the plan that the results are laid out by: what the tool was asked for,
// as far as it is known, with the points and launches that there are.
func (m Import) plan() (plan.Plan, error) {
	if err := m.check(); err != nil {
		return plan.Plan{}, err
	}
	p, err := plan.New(m.Run)
	if err != nil {
		return plan.Plan{}, err
	}
	arrival := ""
	if load := p.Load(); load != nil && p.Workload().ConcurrencyModel != spec.ClosedLoop {
		arrival = load.Arrival
	}
	p.Points, p.Search = nil, nil
	for i, point := range m.Points {
		made := plan.Point{
			Index: i, Name: m.pointName(i), Concurrency: point.Concurrency, Rate: point.Rate,
			Scenario: point.Scenario, BatchSize: point.BatchSize, Arrival: arrival,
			Duration: unit.Duration(m.longest(i)),
		}
		p.Points = append(p.Points, made)
	}
	p.Launches = nil
	for i, l := range m.Launches {
		planned := plan.Launch{Index: i, Order: []int{}}
		for _, at := range l.Points {
			planned.Order = append(planned.Order, at.Point)
		}
		p.Launches = append(p.Launches, planned)
	}
	// Nothing is expected of what is over, and assay did not choose the sample.
	p.Expected = plan.Expected{Assumption: "the results of " + m.Source.Tool + ": nothing was planned by assay"}
	p.Precision = plan.Precision{Confidence: p.Precision.Confidence, Launches: len(m.Launches)}
	return p, nil
}

// check wants an import that can be written. What it refuses is a fault of the
// reader of the tool or, mostly, a result that holds nothing.
func (m Import) check() error {
	if len(m.Launches) == 0 || len(m.Points) == 0 {
		return fmt.Errorf("the results of %s hold nothing: no request and no figure", m.Source.Tool)
	}
	if faults := spec.Check(m.Run); !spec.Valid(faults) {
		var errs []error
		for _, f := range faults {
			errs = append(errs, f)
		}
		return fmt.Errorf("the results of %s do not make a valid BenchmarkRun: %w", m.Source.Tool, errors.Join(errs...))
	}
	for i, l := range m.Launches {
		seen := map[int]bool{}
		for _, at := range l.Points {
			if at.Point < 0 || at.Point >= len(m.Points) || seen[at.Point] {
				return fmt.Errorf("launch %d: point %d of %d is unknown or comes twice", i+1, at.Point, len(m.Points))
			}
			if at.Duration < 0 {
				return fmt.Errorf("launch %d, %s: a window of %v", i+1, m.Points[at.Point].name(), at.Duration)
			}
			seen[at.Point] = true
		}
		for j, other := range m.Launches[:i] {
			if sameRequests(l, other) {
				return fmt.Errorf("launches %d and %d have the same requests to the nanosecond: one result was given twice, which is no repetition", j+1, i+1)
			}
		}
	}
	return nil
}

// sameRequests reports whether two launches are one measurement. Two of a hundred
// requests agree in their times by accident, all of them never; requests without times
// agree in nothing.
func sameRequests(a, b Launch) bool {
	timed := 0
	same := slices.EqualFunc(a.Points, b.Points, func(x, y Measured) bool {
		return x.Point == y.Point && x.Duration == y.Duration && slices.EqualFunc(x.Requests, y.Requests, func(r, s record.Request) bool {
			if r.Done > r.Sent {
				timed++
			}
			return r.Sent == s.Sent && r.Done == s.Done && r.Result == s.Result
		})
	})
	return same && timed > 0
}

// longest is how long a point was measured, in the launch that took longest.
func (m Import) longest(point int) (most time.Duration) {
	for _, l := range m.Launches {
		for _, at := range l.Points {
			if at.Point == point {
				most = max(most, at.Duration)
			}
		}
	}
	return most
}

// pointName is what a point is called. A scenario that all share is left out, so
// that the point has the name that a plan of assay's would give it.
func (m Import) pointName(index int) string {
	p := m.Points[index]
	if !slices.ContainsFunc(m.Points, func(other Point) bool { return other.Scenario != p.Scenario }) {
		p.Scenario = ""
	}
	return p.name()
}

// name is the load, after the scenario.
func (p Point) name() string {
	if p.Name != "" {
		return p.Name
	}
	var parts []string
	if p.Scenario != "" {
		parts = append(parts, p.Scenario)
	}
	if p.BatchSize > 0 {
		parts = append(parts, fmt.Sprintf("batch=%d", p.BatchSize))
	}
	switch {
	case p.Concurrency > 0:
		parts = append(parts, fmt.Sprintf("concurrency=%d", p.Concurrency))
	case p.Rate > 0:
		parts = append(parts, fmt.Sprintf("rate=%g/s", p.Rate))
	}
	if len(parts) == 0 {
		return "all"
	}
	return strings.Join(parts, " ")
}

// unknown reports whether the source does not tell id.
func (m Import) unknown(id string) bool {
	return bundle.Manifest{Source: &m.Source}.Unknown(id)
}
