package compare

import (
	"slices"
	"testing"

	"assay/accuracy/parity"
	"assay/finding"
	"assay/metric"
	"assay/stats/items"
)

// What forbids the median of a latency takes its verdict, and no other.
func TestForbid(t *testing.T) {
	row := func(m metric.Metric, statistic string) Row {
		return Row{Metric: m.ID, Statistic: statistic, Point: "concurrency=4", Verdict: Better, SittingOnly: true, Settle: "more launches"}
	}
	report := Report{Engines: []Engines{{Point: "concurrency=4", Columns: []string{"TTFT p50", "TTFT p99"}, Rows: []Engine{
		{Cells: make([]EngineCell, 2)}, {Cells: []EngineCell{{Verdict: Better}, {Verdict: Better}}},
	}}}, Comparisons: []Comparison{{
		Rows:    []Row{row(metric.TTFT, "p50"), row(metric.TTFT, "p99"), row(metric.OutputThroughput, "value")},
		Quality: &parity.Report{Rows: []parity.Row{{Verdict: items.Worse}}},
	}}}
	c := &report.Comparisons[0]
	forbid := func(scope finding.Scope) {
		report.Forbid(0, func(r finding.Result) []string {
			if scope.Touches(r) {
				return []string{"why"}
			}
			return nil
		})
	}
	forbid(finding.Scope{Metrics: []string{metric.TTFT.ID}, Statistics: []string{"p50"}})
	if got := c.Rows[0]; got.Verdict != Void || !slices.Equal(got.Void, []string{"why"}) || got.Settle != "" || got.SittingOnly {
		t.Errorf("the median has the verdict %s, %v", got.Verdict, got.Void)
	}
	if cells := report.Engines[0].Rows[1].Cells; cells[0].Verdict != Void || cells[1].Verdict != Better {
		t.Errorf("the table of engines says %+v", cells)
	}
	for _, other := range c.Rows[1:] {
		if other.Verdict != Better || other.Void != nil {
			t.Errorf("%s of %s has the verdict %s", other.Statistic, other.Metric, other.Verdict)
		}
	}
	if c.Quality.Rows[0].Verdict != items.Worse {
		t.Errorf("a late client gave the answers the verdict %s", c.Quality.Rows[0].Verdict)
	}
	forbid(finding.Scope{Subject: finding.Accuracy})
	if c.Quality.Rows[0].Verdict != parity.Void || c.Rows[1].Verdict != Better {
		t.Errorf("a score that is none: answers %s, p99 %s", c.Quality.Rows[0].Verdict, c.Rows[1].Verdict)
	}
}
