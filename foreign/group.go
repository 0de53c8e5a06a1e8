package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/record"
	"assay/spec"
	"assay/unit"
)

// A result is what one file, or one part of it, says about one load.
type result struct {
	point    Point
	measured Measured
}

// group lays results out: those at different loads are points, those at one load
// are launches, in the order in which they were given.
func group(results []result) ([]Point, []Launch) {
	var points []Point
	for _, r := range results {
		if !slices.Contains(points, r.point) {
			points = append(points, r.point)
		}
	}
	slices.SortStableFunc(points, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.BatchSize, b.BatchSize),
			cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Concurrency, b.Concurrency), cmp.Compare(a.Name, b.Name))
	})
	var launches []Launch
	seen := make([]int, len(points))
	for _, r := range results {
		at := slices.Index(points, r.point)
		r.measured.Point = at
		r.measured.cover()
		for i := range r.measured.Reported {
			r.measured.Reported[i].Point = at
		}
		if seen[at] == len(launches) {
			launches = append(launches, Launch{})
		}
		l := &launches[seen[at]]
		l.Points = append(l.Points, r.measured)
		seen[at]++
	}
	for i := range launches {
		slices.SortFunc(launches[i].Points, func(a, b Measured) int { return a.Point - b.Point })
	}
	return points, launches
}

// cover makes the window long enough for every request that was made in it. Tools
// end their clocks with the last token or begin them with the first send; a
// request that ends a moment later would not count as one of the window.
func (m *Measured) cover() {
	for _, r := range m.Requests {
		if r.Result != record.Cut && r.Result != record.Cancelled {
			m.Duration = max(m.Duration, time.Duration(r.Done)+1) // its end is outside of it
		}
	}
}

// An asked is what the files of a tool tell about the question.
type asked struct {
	name, model, url, arrival string
	requests                  int
}

// same wants another result to be of the same question.
func (a asked) same(file string, other asked, otherFile string) error {
	if a.model != other.model {
		return fmt.Errorf("%s is of model %q and %s of %q: import them one by one", file, a.model, otherFile, other.model)
	}
	return nil
}

// run is the question as a document. Loads of both kinds in one result, as a
// sweep of GuideLLM has them, make it an open loop; the points say which is which.
func (a asked) run(points []Point, launches []Launch) spec.Run {
	no := false
	out := spec.Run{APIVersion: spec.APIVersion, Kind: spec.KindBenchmarkRun}
	out.Metadata.Name = plainName(a.name)
	out.Spec.Workload.Model, out.Spec.Workload.ConcurrencyModel = "unknown", spec.ClosedLoop
	load := &spec.Load{Duration: unit.Duration(time.Second), Warmup: &spec.Warmup{}, Calibrate: &no}
	for _, l := range launches {
		for _, m := range l.Points {
			load.Duration = max(load.Duration, unit.Duration(m.Duration))
		}
	}
	for _, p := range points {
		if p.Rate > 0 && !slices.Contains(load.Rate, p.Rate) {
			load.Rate = append(load.Rate, p.Rate)
		}
		if n := max(1, p.Concurrency); p.Rate == 0 && !slices.Contains(load.Concurrency, n) {
			load.Concurrency = append(load.Concurrency, n)
		}
	}
	if load.Rate != nil {
		out.Spec.Workload.ConcurrencyModel, load.Concurrency = spec.OpenLoop, nil
	}
	out.Spec.Load = load
	// What the document has no words for stays out of it.
	try(&out, func(r *spec.Run) { r.Spec.Workload.Model = a.model })
	try(&out, func(r *spec.Run) { r.Spec.Workload.Prompt.Scenario = lengths(launches) })
	for _, change := range []func(*spec.Load){
		func(l *spec.Load) { l.Requests = a.requests },
		func(l *spec.Load) { l.Arrival = a.arrival },
	} {
		try(&out, func(r *spec.Run) {
			changed := *r.Spec.Load
			change(&changed)
			r.Spec.Load = &changed
		})
	}
	if a.url != "" {
		try(&out, func(r *spec.Run) { r.Spec.Target = &spec.Target{URL: a.url, Model: a.model} })
	}
	return out
}

// nothing refuses a call without paths.
func nothing(paths []string, want string) error {
	if len(paths) == 0 {
		return errors.New("nothing to read: want " + want)
	}
	return nil
}
