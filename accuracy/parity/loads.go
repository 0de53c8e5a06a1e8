package parity

import (
	"fmt"

	"assay/bundle"
	"assay/plan"
)

// LoadsOf is Loads for every side of a run whose answers are all in one: a report for each,
// by its label.
func LoadsOf(all Side, m bundle.Manifest, p plan.Plan, options Options) (list []LoadReport, err error) {
	names := []string{""}
	if sides := p.Sides(); len(sides) > 1 {
		names = nil
		for _, s := range sides {
			names = append(names, s.Name)
		}
	}
	for _, name := range names {
		side := all.Of(m, p, name).byLoad(p)
		r, err := Loads(side, options)
		if err != nil {
			return nil, err
		}
		list = append(list, LoadReport{Side: side.Label, Report: r})
	}
	return list, nil
}

// A LoadReport is what load does to the answers of one side.
type LoadReport struct {
	Side string `json:"side"`
	Report
}

// Loads holds every point of one system to its first, item by item: a server that answers
// rightly when few ask it and wrongly when many do is caught at the load where it begins.
// The points of each task are in the order of the load.
func Loads(side Side, options Options) (Report, error) {
	o := options.withDefaults()
	r := o.report()
	cells := side.cells()
	for _, t := range side.Tasks {
		for i := 1; i < len(t.Points); i++ {
			at := placeOf(t.Points[0], t.Points[i])
			if len(at.graders) > 1 {
				at.graders = at.graders[:1] // the others would say it again
			}
			if err := r.add(t, at, side, side, cells, cells, o); err != nil {
				return Report{}, fmt.Errorf("task %s at %s: %w", t.Name, at.name, err)
			}
		}
	}
	return r, r.settle()
}
