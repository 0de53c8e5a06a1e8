package report

import (
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/unit"
)

// What a set of hosts does to both sides is shown for primary metrics, and for all where
// everything is asked for.
func TestSetsBlock(t *testing.T) {
	ratio, level := 1.01, 1.5
	row := compare.Row{Metric: "ttft.v2", Statistic: "p50", Unit: unit.Second, Point: "concurrency=4", Sets: []compare.SetEffect{
		{Hosts: []string{"c", "d"}, Baseline: .15, Candidate: .1515, Ratio: &ratio, Level: &level},
		{Hosts: []string{"a"}, Baseline: 0, Candidate: .1},
	}}
	c := compare.Comparison{Rows: []compare.Row{row}}
	if b := setsBlock("new", c, false); len(b.Rows) != 0 || b.Title != "" {
		t.Errorf("a metric that is not primary is shown: %+v", b)
	}
	b := setsBlock("new", c, true)
	if len(b.Rows) != 2 {
		t.Fatalf("rows %q, want two", b.Rows)
	}
	if got, want := strings.Join(b.Rows[0], " | "), "ttft.v2 p50 | concurrency=4 | c, d | 150 ms | 152 ms | 1.010 | 1.500"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := b.Rows[1]; got[5] != "-" || got[6] != "-" {
		t.Errorf("a ratio with nothing below it: %q", got)
	}
}
