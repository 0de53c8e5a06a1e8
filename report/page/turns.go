package page

import (
	"fmt"

	"assay/accuracy"
	"assay/unit"
)

// turnChart is the score of a task over the turns of its conversations, a line for each load;
// none where questions stand alone.
func (x exhibit) turnChart(t accuracy.Task) chart {
	c := chart{Kind: curveChart, Title: "Score by turn", X: []axis{{Label: "turn"}}, Y: axis{Label: "score", Unit: "%"}, Static: true}
	for _, p := range t.Points {
		if len(p.Scores) == 0 || len(p.Scores[0].Turns) < 2 || p.Scores[0].Unit() != unit.Share {
			continue
		}
		s := line{Name: beside(p.Name, p.Side), X: []nums{{}}, Style: len(c.Series)}
		for _, turn := range p.Scores[0].Turns {
			e := turn.Estimate
			s.X[0], s.Y = append(s.X[0], float64(turn.Turn)), append(s.Y, 100*e.Value)
			s.Lo, s.Hi = append(s.Lo, 100*e.Interval.Lo), append(s.Hi, 100*e.Interval.Hi)
			s.Points, s.Notes = append(s.Points, fmt.Sprint("turn ", turn.Turn)), append(s.Notes, fmt.Sprintf("%d conversations", turn.Conversations))
		}
		c.Series = append(c.Series, s)
	}
	return c
}
