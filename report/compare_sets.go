package report

import (
	"fmt"
	"strings"

	"assay/analysis/compare"
	"assay/unit"
)

// setsBlock shows what the hosts did to both sides: a statistic on every set of them, and
// how far that set is from all together.
func setsBlock(label string, c compare.Comparison, all bool) Block {
	b := Block{Title: label + ": sets of hosts", Head: []string{"metric", "point", "hosts", "baseline", "candidate", "ratio there", "set against all"}}
	for _, row := range c.Rows {
		if !row.Primary && !all {
			continue
		}
		for _, s := range row.Sets {
			b.Rows = append(b.Rows, []string{
				compare.Key(row.Metric, row.Statistic, ""), row.Point, strings.Join(s.Hosts, ", "),
				unit.Format(s.Baseline, row.Unit), unit.Format(s.Candidate, row.Unit), factor(s.Ratio), factor(s.Level),
			})
		}
	}
	if len(b.Rows) == 0 {
		return Block{}
	}
	b.Lines = []string{"Sides are compared inside a set; what a set does to both of them is no difference between them."}
	return b
}

func factor(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}
