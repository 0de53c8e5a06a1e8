package accuracy

import (
	"cmp"
	"fmt"

	"assay/unit"
)

// Unit is that of the score: a share of what could be reached, or a plain number where the
// grader has a scale of its own.
func (s Score) Unit() unit.Unit { return UnitOf(s.Grader) }

// UnitOf is the unit of the scores that a grader gives.
func UnitOf(grader string) unit.Unit {
	g, err := Find(grader)
	if err != nil {
		return unit.Share
	}
	return cmp.Or(g.Unit, unit.Share)
}

// DifferenceText prints the difference of two scores of a grader with its bounds. Shares
// differ by points: "-9.01 points [-11.8, -6.15]".
func DifferenceText(grader string, v, lo, hi float64) string {
	if UnitOf(grader) == unit.Share {
		return fmt.Sprintf("%+.3g points [%+.3g, %+.3g]", 100*v, 100*lo, 100*hi)
	}
	return fmt.Sprintf("%+.3g [%+.3g, %+.3g]", v, lo, hi)
}

// MarginText prints a distance between two scores of a grader.
func MarginText(grader string, v float64) string {
	switch {
	case UnitOf(grader) != unit.Share:
		return fmt.Sprintf("%.3g", v)
	case v == .01:
		return "1 point"
	}
	return fmt.Sprintf("%.3g points", 100*v)
}
