package accuracy

import (
	"cmp"

	"assay/unit"
)

// Unit is that of the score: a share of what could be reached, or a plain number where the
// grader has a scale of its own.
func (s Score) Unit() unit.Unit {
	g, err := Find(s.Grader)
	if err != nil {
		return unit.Share
	}
	return cmp.Or(g.Unit, unit.Share)
}
