package workbook

import (
	"fmt"

	"assay/accuracy"
	"assay/report"
)

// accuracy are the sheets of an evaluation: scores and what became of the questions, and
// every mark up to a bound.
func (b *workbook) accuracy(r report.Report) {
	if r.Accuracy == nil {
		return
	}
	s := b.sheet("Accuracy")
	s.table([]bookColumn{
		{head: "task", width: 28}, {head: "point", width: 20}, {head: "side"}, {head: "grader", width: 22}, {head: "score"}, {head: "low"}, {head: "high"}, {head: "unit"},
		{head: "low, had all that failed been wrong"}, {head: "high, had it been right"}, {head: "items (1)"}, {head: "asked (1)"}, {head: "answered (1)"}, {head: "truncated (1)"}, {head: "empty (1)"},
		{head: "failed (1)"}, {head: "cut off by the end (1)"}, {head: "right (1)"}, {head: "graded (1)"}, {head: "unparsed (1)"}, {head: "launches (1)"}, {head: "what the score means", width: 80},
	})
	for _, t := range r.Accuracy.Tasks {
		for _, p := range t.Points {
			for _, score := range p.Scores {
				s.add(append(b.scoreCells(t, p, score), t.Identity)...)
			}
		}
	}
	s.ended(2)
	b.turns(r)
	b.groups(r)
	b.grades(r)
}

func (b *workbook) scoreCells(t accuracy.Task, p accuracy.Point, s accuracy.Score) []any {
	cells := []any{t.Name, p.Name, cellText(p.Side), s.Grader}
	if s.Unavailable != "" {
		cells = append(cells, s.Unavailable, nil, nil, nil, nil, nil)
	} else {
		u := s.Unit()
		cells = append(cells, cellQuantity{s.Estimate.Value, u}, cellQuantity{s.Estimate.Interval.Lo, u}, cellQuantity{s.Estimate.Interval.Hi, u}, b.unitName(u),
			cellQuantity{s.Bounds.Lo, u}, cellQuantity{s.Bounds.Hi, u})
	}
	cells = append(cells, p.Items, p.Asked)
	for _, state := range accuracy.States {
		cells = append(cells, p.States[state])
	}
	return append(cells, s.Right, s.Graded, s.Unparsed, p.Launches)
}

// groups is the sheet of the parts of tasks; there is none where no task has parts.
func (b *workbook) groups(r report.Report) {
	var rows [][]any
	for _, t := range r.Accuracy.Tasks {
		for _, p := range t.Points {
			for _, s := range p.Scores {
				for _, g := range s.Groups {
					rows = append(rows, []any{t.Name, p.Name, cellText(p.Side), s.Grader, g.Name, g.N, cellQuantity{g.Score, s.Unit()}, b.unitName(s.Unit())})
				}
			}
		}
	}
	if len(rows) == 0 {
		return
	}
	s := b.sheet("Groups")
	s.table([]bookColumn{{head: "task", width: 28}, {head: "point", width: 20}, {head: "side"}, {head: "grader", width: 22}, {head: "group", width: 28}, {head: "items (1)"}, {head: "score"}, {head: "unit"}})
	for _, row := range rows {
		s.add(row...)
	}
	s.ended(2)
}

// grades is the sheet of single marks: as many as there are requests on theirs. The file of
// grades has all of them.
func (b *workbook) grades(r report.Report) {
	if len(r.Grades) == 0 {
		return
	}
	shown := r.Grades[:min(len(r.Grades), b.options.Requests)]
	s := b.sheet("Grades")
	s.line(gradesHead(len(shown), len(r.Grades)), cellLook{bold: true})
	s.table([]bookColumn{
		{head: "task", width: 28}, {head: "item", width: 20}, {head: "group", width: 20}, {head: "launch (1)"}, {head: "side"}, {head: "point", width: 20}, {head: "sample (1)"}, {head: "grader", width: 22},
		{head: "state"}, {head: "score (1)"}, {head: "extracted", width: 40}, {head: "unparsed"}, {head: "why", width: 40},
	})
	for _, g := range shown {
		var score, unparsed any
		if g.Score != nil {
			score = *g.Score
		}
		if g.Unparsed {
			unparsed = "yes"
		}
		s.add(g.Task, g.Item, cellText(g.Group), g.Launch+1, cellText(g.Side), r.PointName(int(g.Point)), int(g.Sample)+1, g.Grader, string(g.State), score, cellText(g.Extracted), unparsed, cellText(g.Why))
	}
	s.ended(2)
}

func gradesHead(shown, all int) string {
	if shown == all {
		return fmt.Sprintf("all %d marks, as in derived/VERSION/grades.json of the bundle", all)
	}
	return fmt.Sprintf("the first %d of %d marks; derived/VERSION/grades.json of the bundle has all", shown, all)
}
