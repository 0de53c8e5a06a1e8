package shift

import (
	"errors"
	"fmt"
	"slices"

	"assay/analysis/breakdown"
	"assay/metric"
	"assay/plan"
)

// A PointShift is the change at one point that two runs have.
type PointShift struct {
	Point string `json:"point"`
	Shift
}

// A Side is one of two runs.
type Side struct {
	Plan      plan.Plan
	Estimates metric.Estimates // of one side alone
}

// Points decomposes the change of every point that both sides have by name: of an answer,
// or of a training job. A point whose time is not known in parts on both sides has none.
func Points(before, after Side, confidence float64) ([]PointShift, error) {
	var list []PointShift
	for _, point := range after.Plan.Points {
		i := slices.IndexFunc(before.Plan.Points, func(p plan.Point) bool { return p.Name == point.Name })
		if i < 0 {
			continue
		}
		was, is, ok := split(before.Estimates, before.Plan.Points[i].Index, after.Estimates, point.Index)
		if !ok {
			continue
		}
		s, err := Between(was, is, confidence)
		if errors.Is(err, ErrOtherParts) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", point.Name, err)
		}
		list = append(list, PointShift{point.Name, s})
	}
	return list, nil
}

func split(a metric.Estimates, pointA int, b metric.Estimates, pointB int) (before, after breakdown.Breakdown, ok bool) {
	if before, after, ok = breakdown.ServingAlike(a, pointA, b, pointB); ok {
		return before, after, true
	}
	was, okWas := breakdown.Job(a, pointA)
	is, okIs := breakdown.Job(b, pointB)
	before, after = breakdown.Alike(was, is)
	return before, after, okWas && okIs
}
