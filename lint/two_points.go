package lint

import (
	"fmt"

	"assay/finding"
)

// TwoPoints fires when a law is drawn through too few points, or beyond them.
var TwoPoints = Check{
	ID: "line-through-two-points", Code: "P-24", Severity: finding.Caution,
	Doc:     "A trend is drawn through fewer than three numbers of workers, or beyond the largest that was measured.",
	When:    "a line or projection from fewer than 3 numbers of workers, or beyond the largest",
	Applies: statedWith(statesScaling),
	Run:     twoPoints,
}

// Two points fit every law of two parameters.
const fewestForLine = 3

func twoPoints(f *Facts) Answer {
	var list []finding.Finding
	for _, s := range f.Statements {
		var measured []int
		most, projected := 0, 0
		for _, p := range scalingPoints(s) {
			if p.Projected {
				projected = max(projected, p.Workers)
				continue
			}
			measured, most = append(measured, p.Workers), max(most, p.Workers)
		}
		drawn := projected > 0 || s.Chart != nil && s.Chart.Lines
		switch {
		case s.Scaling == nil:
		case drawn && len(measured) < fewestForLine:
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s: a line through %d measured numbers of workers, %v%s", said(s), len(measured), measured, projectedTo(projected)),
				Why:      "two points lie on every line, and on every law of two parameters",
				Fix:      "measure at least three numbers of workers, or show the points alone",
			})
		case projected > most:
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s: projected to %d workers from at most %d measured ones", said(s), projected, most),
				Why:      "what stops scaling shows up at the size where it stops",
				Fix:      "measure there, or mark the figure as a projection with its model",
			})
		}
	}
	return found(list...)
}

func projectedTo(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", projected to %d", n)
}
