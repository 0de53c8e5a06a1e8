package workbook

import "assay/report"

// turns is the sheet of the turns of conversations; there is none where questions stand
// alone.
func (b *workbook) turns(r report.Report) {
	var rows [][]any
	for _, t := range r.Accuracy.Tasks {
		for _, p := range t.Points {
			for _, s := range p.Scores {
				for _, turn := range s.Turns {
					u, e := s.Unit(), turn.Estimate
					row := []any{
						t.Name, p.Name, cellText(p.Side), s.Grader, int(turn.Turn), cellQuantity{e.Value, u}, cellQuantity{e.Interval.Lo, u}, cellQuantity{e.Interval.Hi, u}, b.unitName(u),
						turn.Conversations, turn.Asked, turn.Failed,
					}
					if c := turn.Change; c != nil {
						d := c.Difference
						row = append(row, cellQuantity{d.Value, u}, cellQuantity{d.Interval.Lo, u}, cellQuantity{d.Interval.Hi, u}, c.P)
						if c.Adjusted != nil {
							row = append(row, *c.Adjusted)
						}
					}
					rows = append(rows, row)
				}
			}
		}
	}
	if len(rows) == 0 {
		return
	}
	s := b.sheet("Turns")
	s.table([]bookColumn{
		{head: "task", width: 28}, {head: "point", width: 20}, {head: "side"}, {head: "grader", width: 22}, {head: "turn (1)"}, {head: "score"}, {head: "low"}, {head: "high"}, {head: "unit"},
		{head: "conversations (1)"}, {head: "asked (1)"}, {head: "failed (1)"}, {head: "change from the first turn"}, {head: "low"}, {head: "high"}, {head: "P (1)"}, {head: "P, adjusted (1)"},
	})
	for _, row := range rows {
		s.add(row...)
	}
	s.ended(2)
}
