package main

import (
	"slices"

	"assay/accuracy"
	"assay/accuracy/changes"
	"assay/accuracy/parity"
	"assay/analysis/compare"
	"assay/bundle"
)

// flippedAnswers holds the answers of each candidate against the baseline's, at every load
// at which both were compared, and lists those with another mark.
func flippedAnswers(r compare.Report, sides []compare.Side) ([]changes.Report, error) {
	read := map[*bundle.Bundle][]accuracy.Answer{}
	var list []changes.Report
	for i, c := range r.Comparisons {
		if c.Quality == nil {
			continue
		}
		both := [2]compare.Side{sides[0], sides[i+1]}
		for _, s := range both {
			if _, known := read[s.Bundle]; known {
				continue
			}
			answers, err := accuracy.Answers(s.Bundle)
			if err != nil {
				return nil, err
			}
			read[s.Bundle] = answers
		}
		a, b := both[0], both[1]
		aligned, _ := b.Quality.Aligned(a.Quality)
		for _, at := range parity.Places(a.Quality, aligned) {
			base := answersAt(a, at.Names[0], at.Points[0], read[a.Bundle])
			base.Report.Tasks = slices.DeleteFunc(slices.Clone(base.Report.Tasks), func(t accuracy.Task) bool { return !compared(c.Quality, t.Name) })
			list = append(list, changes.Between(base, alignAnswers(base, answersAt(b, at.Names[1], at.Points[1], read[b.Bundle]), a.Quality.Tool, b.Quality.Tool), changes.Filter{Only: changes.Flips}))
		}
	}
	return list, nil
}

// compared reports whether a task of this name means the same on both sides.
func compared(q *parity.Report, task string) bool {
	return slices.ContainsFunc(q.Rows, func(r parity.Row) bool { return r.Task == task })
}

// answersAt is what a side said at a point, under the name that the comparison has for it.
func answersAt(s compare.Side, name string, point int32, answers []accuracy.Answer) changes.Side {
	return changes.Side{
		Place: changes.Place{Bundle: s.Label, Side: s.Name, Point: name}, Point: point,
		Report: accuracy.Report{Tasks: s.Quality.Tasks}, Answers: answers, Grades: s.Quality.Grades,
	}
}
