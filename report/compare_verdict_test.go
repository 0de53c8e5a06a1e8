package report

import (
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/finding"
)

// A pair that a check voids says so before any verdict.
func TestVoidVerdictComesFirst(t *testing.T) {
	c := compare.Comparison{Candidate: compare.Party{Label: "new"}, Findings: []finding.Finding{
		{Check: "one-sitting", Severity: finding.Caution}, {Check: "throttling", Severity: finding.Void}, {Check: "throttling", Severity: finding.Void},
	}}
	b := verdictBlock(compare.Report{Comparisons: []compare.Comparison{c}})
	if len(b.Lines) != 2 || !strings.HasPrefix(b.Lines[0], "VOID: throttling. ") {
		t.Errorf("got %q, want the void check first, once", b.Lines)
	}
	c.Findings = c.Findings[:1]
	if b := verdictBlock(compare.Report{Comparisons: []compare.Comparison{c}}); len(b.Lines) != 1 {
		t.Errorf("got %q for a caution, want the verdict alone", b.Lines)
	}
}
