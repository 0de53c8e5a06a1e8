package fleet

import (
	"fmt"
	"slices"
	"strings"

	"assay/plan"
)

// oneShape are the points of the requests that are asked for. A knee belongs to
// one shape of request: the points of a sweep are several curves.
func oneShape(p plan.Plan, ask Ask) ([]plan.Point, error) {
	var shapes []string
	var points []plan.Point
	for _, point := range p.Points {
		name := shapeName(point)
		if name != "" && !slices.Contains(shapes, name) {
			shapes = append(shapes, name)
		}
		if (ask.Scenario == "" || ask.Scenario == point.Scenario) && (ask.BatchSize == 0 || ask.BatchSize == point.BatchSize) {
			points = append(points, point)
		}
	}
	switch {
	case len(points) == 0:
		return nil, fmt.Errorf("the run measured no scenario %q with batch size %d: want %s", ask.Scenario, ask.BatchSize, orNone(shapes))
	case slices.ContainsFunc(points, func(q plan.Point) bool { return shapeName(q) != shapeName(points[0]) }):
		return nil, fmt.Errorf("the run swept over several shapes of request, and a fleet is sized for one: name its scenario and batch size, of %s", orNone(shapes))
	}
	return points, nil
}

func shapeName(p plan.Point) string {
	var words []string
	if p.Scenario != "" {
		words = append(words, p.Scenario)
	}
	if p.BatchSize > 0 {
		words = append(words, fmt.Sprintf("batch=%d", p.BatchSize))
	}
	return strings.Join(words, " ")
}

func orNone(shapes []string) string {
	if len(shapes) == 0 {
		return "neither: it was no sweep over them"
	}
	return strings.Join(shapes, ", ")
}
