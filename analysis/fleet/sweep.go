package fleet

import (
	"cmp"
	"slices"

	"assay/analysis/objective"
	"assay/metric"
	"assay/plan"
)

// A Sweep is the points of one shape of request on one side, and its knee: the
// highest load that keeps every objective.
type Sweep struct {
	Side  string `json:"side,omitempty"`
	Shape string `json:"shape,omitempty"` // scenario and batch size; empty in a sweep over loads alone

	Objectives []string `json:"objectives"`     // such as p99 TTFT ≤ 300ms
	Knee       string   `json:"knee,omitempty"` // the point; empty where no load keeps all objectives
	Next       string   `json:"next,omitempty"` // the next higher load that was measured; empty for none

	// NextState is broken, or uncertain where the interval of the next load holds the
	// limit.
	NextState objective.State `json:"nextState,omitempty"`
}

// Sweeps finds the knee of every shape of request that was measured at two loads or
// more; none without objectives. Against says which figures may not be used.
func Sweeps(e metric.Estimates, p plan.Plan, against objective.Against) (list []Sweep) {
	if len(p.Objectives()) == 0 {
		return nil
	}
	sides := []string{""}
	if names := p.Sides(); len(names) > 1 {
		sides = nil
		for _, s := range names {
			sides = append(sides, s.Name)
		}
	}
	for _, side := range sides {
		own := e.Of(side)
		for _, shape := range shapes(p) {
			if s, ok := sweepOf(own, p, shape, against); ok {
				s.Side = side
				list = append(list, s)
			}
		}
	}
	return list
}

// shapes are the shapes of request of a plan, in its order.
func shapes(p plan.Plan) (list []string) {
	for _, point := range p.Points {
		if name := shapeName(point); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

func sweepOf(e metric.Estimates, p plan.Plan, shape string, against objective.Against) (Sweep, bool) {
	var levels []Level
	for _, point := range p.Points {
		if shapeName(point) != shape {
			continue
		}
		if l, ok := levelOf(e, p, point, against); ok {
			levels = append(levels, l)
		}
	}
	if len(levels) < 2 {
		return Sweep{}, false
	}
	s := Sweep{Shape: shape}
	for _, v := range levels[0].Verdicts {
		s.Objectives = append(s.Objectives, v.Name)
	}
	knee, ok := Knee(levels)
	if ok {
		s.Knee = knee.Point
	}
	above := slices.DeleteFunc(levels, func(l Level) bool { return ok && l.Requests.Value <= knee.Requests.Value })
	if len(above) > 0 {
		next := slices.MinFunc(above, func(a, b Level) int { return cmp.Compare(a.Requests.Value, b.Requests.Value) })
		s.Next, s.NextState = next.Point, next.State
	}
	return s, true
}

// levelOf judges one point; ok is false where it was not measured.
func levelOf(e metric.Estimates, p plan.Plan, point plan.Point, against objective.Against) (Level, bool) {
	row, ok := e.Find(metric.RequestThroughput.ID, "value", point.Index)
	if !ok {
		return Level{}, false
	}
	level := Level{Point: point.Name, Requests: row.Estimate, Verdicts: objective.Judge(e, p.Objectives(), point, against)}
	level.State = objective.Worst(level.Verdicts)
	if level.State == objective.Kept && len(against.Of(row, point)) > 0 {
		level.State = objective.Uncertain // what it carried is not known
	}
	if good, ok := e.Find(metric.Goodput.ID, "value", point.Index); ok {
		level.Goodput = &good.Estimate
	}
	return level, true
}
