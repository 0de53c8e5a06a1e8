package compare

import (
	"slices"

	"assay/accuracy/parity"
	"assay/finding"
)

// Forbid takes the verdict of comparison i from every row about which why has something to
// say, wherever it stands. What was measured stays, and nothing is concluded from it.
func (r *Report) Forbid(i int, why func(finding.Result) []string) {
	c := &r.Comparisons[i]
	c.forbid(why)
	for _, table := range r.Engines {
		for j, name := range table.Columns {
			column := engineColumns[slices.IndexFunc(engineColumns, func(n named) bool { return n.name == name })]
			at := slices.IndexFunc(c.Rows, func(row Row) bool {
				return row.Metric == column.metric && row.Statistic == column.statistic && row.Point == table.Point
			})
			if at >= 0 {
				table.Rows[1+i].Cells[j].Verdict = c.Rows[at].Verdict
			}
		}
	}
}

func (c *Comparison) forbid(why func(finding.Result) []string) {
	for i := range c.Rows {
		row := &c.Rows[i]
		row.Void = why(finding.Result{Subject: finding.Speed, Metric: row.Metric, Statistic: row.Statistic, Point: row.Point})
		if len(row.Void) > 0 {
			row.Verdict, row.Differs, row.SittingOnly, row.Settle = Void, false, false, ""
		}
	}
	if c.Quality == nil {
		return
	}
	for i := range c.Quality.Rows {
		row := &c.Quality.Rows[i]
		row.Void = why(finding.Result{Subject: finding.Accuracy, Statistic: row.Grader, Point: row.Point, Task: row.Task})
		if len(row.Void) > 0 {
			row.Verdict = parity.Void
		}
	}
}
