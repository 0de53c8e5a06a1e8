package report_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"assay/report"
	"assay/report/reporttest"
)

// Two knobs are a table; a pair that did not fit into memory is skipped and says so,
// in the table and in the row of its point.
func TestGrid(t *testing.T) {
	r := reporttest.Gridded(t)
	blocks := r.GridBlocks()
	if len(blocks) != 1 {
		t.Fatalf("%d tables, want 1", len(blocks))
	}
	b := blocks[0]
	if want := []string{"parameters", "batchSize 8", "batchSize 64"}; !slices.Equal(b.Head, want) {
		t.Errorf("columns %q, want %q", b.Head, want)
	}
	if len(b.Rows) != 2 || !strings.HasPrefix(b.Rows[0][2], "200") || b.Rows[1][0] != "10M" || b.Rows[1][2] != "skipped: out of memory" {
		t.Errorf("rows %q", b.Rows)
	}
	var brief bytes.Buffer
	if err := report.Brief(report.Look{})(&brief, r); err != nil || !strings.Contains(brief.String(), "did not fit into memory") {
		t.Errorf("%v\n%s", err, brief.String())
	}
}
