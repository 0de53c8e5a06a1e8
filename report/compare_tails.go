package report

import (
	"slices"

	"assay/analysis/compare"
	"assay/unit"
)

// tailStatistics are those of a tail, the one that shows most first.
var tailStatistics = []string{"p99", "p95", "p90"}

const (
	// movedTail is the ratio from which on a tail is shown whatever its verdict: few requests
	// bound a tail badly, and nobody should have to look for it in --all.
	movedTail = 1.5
	mostTails = 6 // of a candidate
)

// movedTails are the tails of times that are not primary and moved, one for each metric and
// point: a median that stands still says nothing of them.
func movedTails(c compare.Comparison) (list []compare.Row) {
	shown := func(row compare.Row) bool {
		return slices.ContainsFunc(list, func(r compare.Row) bool { return r.Metric == row.Metric && r.Point == row.Point })
	}
	for _, statistic := range tailStatistics {
		for _, row := range c.Rows {
			if row.Statistic == statistic && !row.Primary && row.Unit == unit.Second && tailMoved(row) && !shown(row) {
				list = append(list, row)
			}
		}
	}
	return list[:min(len(list), mostTails)]
}

func tailMoved(row compare.Row) bool {
	switch {
	case row.Verdict == compare.Worse, row.Verdict == compare.Better:
		return true
	case row.Verdict != compare.Inconclusive || row.Ratio == nil || !enough(row):
		return false
	}
	return row.Ratio.Value >= movedTail || row.Ratio.Value <= 1/movedTail
}

// tailsBlock shows them below the verdict.
func tailsBlock(c compare.Comparison) Block {
	b := Block{Title: c.Candidate.Label + ": tails that moved", Head: []string{"point", "metric", "baseline", "candidate", "ratio", "verdict"}}
	for _, row := range movedTails(c) {
		cells := comparedRow(row)
		b.Rows = append(b.Rows, []string{row.Point, cells[0], cells[1], cells[2], cells[3], cells[4]})
	}
	return b
}
