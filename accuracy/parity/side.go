package parity

import (
	"cmp"
	"slices"

	"assay/accuracy"
	"assay/bundle"
	"assay/plan"
)

// A Side is the graded answers of one system.
type Side struct {
	Label  string
	Tasks  []accuracy.Task
	Grades []accuracy.Grade

	// Tool is the one that asked, where the answers were imported; empty for assay.
	Tool string

	// Workers is how many accelerators serve the model together; zero where nobody
	// declared it.
	Workers int
}

// Graded reports whether there is anything to compare.
func (s Side) Graded() bool { return len(s.Grades) > 0 }

// Of is the side called name of a run whose answers s are, with the plan of that side
// alone. An empty name means a run of one side.
func (s Side) Of(m bundle.Manifest, p plan.Plan, name string) Side {
	s.Label = m.RunID
	if name != "" {
		s.Label = name
	}
	own := map[int]bool{}
	for _, l := range m.Launches {
		own[l.Index] = l.Side == name
	}
	others := func(g accuracy.Grade) bool { return !own[g.Launch] }
	if slices.ContainsFunc(s.Grades, others) { // a run of one side keeps what it has: there may be millions
		s.Grades = slices.DeleteFunc(slices.Clone(s.Grades), others)
	}
	s.Tasks = slices.Clone(s.Tasks)
	for i, t := range s.Tasks {
		s.Tasks[i].Points = slices.DeleteFunc(slices.Clone(t.Points), func(p accuracy.Point) bool { return p.Side != "" && p.Side != name })
	}
	if m.Source != nil {
		s.Tool = m.Source.Tool
	}
	s.Workers = p.Run.SystemOf(p.Target()).GPUCount
	return s
}

// byLoad is the side with the points of each task from the lowest load to the highest.
func (s Side) byLoad(p plan.Plan) Side {
	s.Tasks = slices.Clone(s.Tasks)
	for i := range s.Tasks {
		s.Tasks[i].Points = slices.Clone(s.Tasks[i].Points)
		slices.SortStableFunc(s.Tasks[i].Points, func(a, b accuracy.Point) int {
			x, _ := p.PointByIndex(int(a.Point))
			y, _ := p.PointByIndex(int(b.Point))
			return cmp.Or(cmp.Compare(x.Concurrency, y.Concurrency), cmp.Compare(x.Rate, y.Rate))
		})
	}
	return s
}

func (s Side) task(name string) (accuracy.Task, bool) {
	for _, t := range s.Tasks {
		if t.Name == name {
			return t, true
		}
	}
	return accuracy.Task{}, false
}
