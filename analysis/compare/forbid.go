package compare

import (
	"assay/accuracy/parity"
	"assay/finding"
)

// Forbid takes the verdict from every row about which why has something to say. What was
// measured stays, and nothing is concluded from it.
func (c *Comparison) Forbid(why func(finding.Result) []string) {
	for i := range c.Rows {
		row := &c.Rows[i]
		row.Void = why(finding.Result{Subject: finding.Speed, Metric: row.Metric, Statistic: row.Statistic, Point: row.Point})
		if len(row.Void) > 0 {
			row.Verdict, row.Differs, row.Settle = Void, false, ""
		}
	}
	if c.Quality == nil {
		return
	}
	for i := range c.Quality.Rows {
		row := &c.Quality.Rows[i]
		row.Void = why(finding.Result{Subject: finding.Accuracy, Statistic: row.Grader, Point: row.Point})
		if len(row.Void) > 0 {
			row.Verdict = parity.Void
		}
	}
}
