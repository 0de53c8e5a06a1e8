package report

import (
	"fmt"

	"assay/accuracy"
	"assay/metric"
)

// TurnBlock is the score of each turn of a task's conversations, by its first grader, and the
// change from their first turn.
func (r Report) TurnBlock(t accuracy.Task) Block {
	b := Block{
		Title: "turns of " + t.Name,
		Head:  []string{"load", "side", "turn", "score", "conversations", "failed", "change from the first turn", "P, adjusted"},
	}
	for _, p := range t.Points {
		if len(p.Scores) == 0 {
			continue
		}
		s := p.Scores[0]
		for _, turn := range s.Turns {
			change, adjusted := "–", "–"
			if c := turn.Change; c != nil {
				change = fmt.Sprintf("%+.3g [%+.3g, %+.3g]", c.Difference.Value, c.Difference.Interval.Lo, c.Difference.Interval.Hi)
				if c.Adjusted != nil {
					adjusted = fmt.Sprintf("%.2g", *c.Adjusted)
				}
			}
			b.Rows = append(b.Rows, []string{
				p.Name, Dash(p.Side), fmt.Sprint(turn.Turn), figure(&turn.Estimate, s.Unit()).Full, fmt.Sprint(turn.Conversations), fmt.Sprint(turn.Failed), change, adjusted,
			})
		}
	}
	if len(b.Rows) > 0 {
		b.Lines = []string{"A change is between turns of the same session. A turn after one that failed was not asked and counts as failed."}
	}
	return withoutEmpty(b)
}

// turnFigures are the scores of turns as rows of the CSV: the metric score_by_turn.v1, with
// the grader and the turn as the statistic.
func turnFigures(t accuracy.Task, p accuracy.Point, s accuracy.Score, better metric.Direction) (rows []metric.Row) {
	for _, turn := range s.Turns {
		row := metric.Row{
			Metric: "score_by_turn.v1", Name: t.Name, Statistic: fmt.Sprintf("%s, turn %d", s.Grader, turn.Turn), Unit: s.Unit(), Better: better,
			Point: int(p.Point), Side: p.Side, Estimate: turn.Estimate,
		}
		if turn.Failed > 0 {
			row.Warnings = append(row.Warnings, fmt.Sprintf("%d of %d failed", turn.Failed, turn.Asked))
		}
		rows = append(rows, row)
	}
	return rows
}
