package main

import (
	"assay/accuracy"
	"assay/accuracy/changes"
	"assay/accuracy/parity"
)

// alignAnswers is side b of a comparison with the names that side a has for the same
// questions, where one of them was asked by another tool.
func alignAnswers(a, b changes.Side, toolA, toolB string) changes.Side {
	base := parity.Side{Label: a.Place.Bundle, Tasks: a.Report.Tasks, Grades: a.Grades, Tool: toolA}
	own := parity.Side{Label: b.Place.Bundle, Tasks: b.Report.Tasks, Grades: b.Grades, Tool: toolB}
	aligned, _ := own.Aligned(base)
	type question struct{ task, item string }
	names := map[question]question{}
	for i, g := range b.Grades {
		names[question{g.Task, g.Item}] = question{aligned.Grades[i].Task, aligned.Grades[i].Item}
	}
	answers := append([]accuracy.Answer(nil), b.Answers...)
	for i := range answers {
		if name, known := names[question{answers[i].Task, answers[i].Item}]; known {
			answers[i].Task, answers[i].Item = name.task, name.item
		}
	}
	b.Report.Tasks, b.Grades, b.Answers = aligned.Tasks, aligned.Grades, answers
	return b
}
