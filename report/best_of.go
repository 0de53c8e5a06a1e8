package report

import (
	"fmt"

	"assay/accuracy"
	"assay/unit"
)

// BestOfBlock is what it is worth to ask several times and keep the answer that a scorer
// likes best, beside the mean answer and the best one that there was to choose.
func (r Report) BestOfBlock(t accuracy.Task) Block {
	b := Block{
		Title: "best of several answers to " + t.Name,
		Head:  []string{"load", "side", "chosen by", "graded by", "answers", "choices", "chosen", "mean answer", "always right choice"},
	}
	for _, p := range t.Points {
		units := map[string]unit.Unit{}
		for _, s := range p.Scores {
			units[s.Grader] = s.Unit()
		}
		for _, best := range p.BestOf {
			u := units[best.Grader]
			b.Rows = append(b.Rows, []string{
				p.Name, Dash(p.Side), best.By, best.Grader, fmt.Sprintf("best of %d", best.Samples), fmt.Sprint(best.Choices),
				figure(&best.Chosen, u).Full, figure(&best.Mean, u).Full, figure(&best.Oracle, u).Full,
			})
		}
	}
	return withoutEmpty(b)
}
