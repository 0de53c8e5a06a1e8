package report

import (
	"fmt"
	"slices"

	"assay/metric"
	"assay/plan"
	"assay/unit"
)

// GridBlocks are the training of two knobs as tables, one for each world: a row for
// each value of the first, a column for each of the second, tokens per second in the
// cells. A pair that did not fit into memory says so in its cell.
func (r Report) GridBlocks() (list []Block) {
	for _, point := range r.Plan.Points {
		s := point.Steps
		if s == nil || s.Across == "" {
			continue
		}
		title := fmt.Sprintf("training tokens per second by %s and %s, %s", s.Knob, s.Across, gridWorld(point))
		i := slices.IndexFunc(list, func(b Block) bool { return b.Title == title })
		if i < 0 {
			i, list = len(list), append(list, Block{Title: title, Head: []string{s.Knob}})
		}
		list[i].place(s.Value, s.Across+" "+s.AcrossValue, r.gridCell(point))
	}
	return list
}

func gridWorld(p plan.Point) string {
	if p.Steps.Parallelism == "none" {
		return "the plain program"
	}
	return ranksText(p.Ranks)
}

// place puts text into the cell of a row and a column, which are made where they are
// not there yet.
func (b *Block) place(row, column, text string) {
	at := slices.Index(b.Head, column)
	if at < 0 {
		at, b.Head = len(b.Head), append(b.Head, column)
	}
	i := slices.IndexFunc(b.Rows, func(cells []string) bool { return cells[0] == row })
	if i < 0 {
		i, b.Rows = len(b.Rows), append(b.Rows, []string{row})
	}
	for len(b.Rows[i]) <= at {
		b.Rows[i] = append(b.Rows[i], "–")
	}
	b.Rows[i][at] = text
}

func (r Report) gridCell(p plan.Point) string {
	if row, ok := r.Estimates.Find(metric.TokensPerSecond.ID, "value", p.Index); ok {
		return estimated(row.Estimate, unit.TokenPerSecond)
	}
	if r.Training != nil && slices.Contains(r.Training.RanOut(), p.Name) {
		return "skipped: out of memory"
	}
	return "not measured"
}
