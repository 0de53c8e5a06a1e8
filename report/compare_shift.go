package report

import (
	"fmt"

	"assay/analysis/compare"
	"assay/analysis/shift"
	"assay/unit"
)

// ShiftTitle is how the blocks begin that say where a change comes from; the name of the
// candidate stands before it, that of the point after it.
const ShiftTitle = ": where the change comes from, "

// wholes are the times that are split, in words.
var wholes = map[string]string{"E2E": "an answer, end to end", "job": "a job, from asking for ranks to the last measured step", "step": "a step"}

// shiftBlocks show where the change of each point's time comes from.
func shiftBlocks(c compare.Comparison) (list []Block) {
	for _, s := range c.Shifts {
		b := Block{
			Title: c.Candidate.Label + ShiftTitle + s.Point,
			Lines: []string{ShiftSentence(s.Shift)},
			Head:  []string{"", "baseline", "candidate", "change", "share", ""},
		}
		for _, p := range s.Kinds {
			b.Rows = append(b.Rows, shiftRow(p, p.Name))
		}
		b.Rows = append(b.Rows, shiftRow(s.Whole, "in all"))
		for _, p := range s.Parts {
			b.Rows = append(b.Rows, shiftRow(p, fmt.Sprintf("  %s (%s)", p.Name, p.Class.Kind())))
		}
		for _, m := range s.Missing {
			b.Points = append(b.Points, "missing: "+m)
		}
		list = append(list, b)
	}
	return list
}

func shiftRow(p shift.Part, name string) []string {
	mark := ""
	if !p.Clear {
		mark = "not clear of zero"
	}
	share := ""
	if p.Share != 0 {
		share = fmt.Sprintf("%.0f %%", 100*p.Share)
	}
	return []string{name, unit.Format(p.Before, unit.Second), unit.Format(p.After, unit.Second), estimated(p.Change, unit.Second), share, mark}
}

// ShiftSentence says in one sentence what a change is put down to.
func ShiftSentence(s shift.Shift) string {
	what := wholes[s.Of]
	if what == "" {
		what = s.Of
	}
	if !s.Whole.Change.Interval.Bounded() {
		return fmt.Sprintf("Of %s one launch of a side says nothing about what would come again: the changes have no interval.", what)
	}
	if s.LargestKind == "" {
		return fmt.Sprintf("Of %s no part changed by more than launches differ anyway.", what)
	}
	for _, p := range s.Kinds {
		if p.Name == s.LargestKind {
			return fmt.Sprintf("Of %s, %s changed most: %s, of %s in all. The rows add up.", what, p.Name,
				estimated(p.Change, unit.Second), unit.Format(s.Whole.Change.Value, unit.Second))
		}
	}
	return ""
}
