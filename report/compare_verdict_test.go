package report

import (
	"bytes"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/finding"
	"assay/stats"
	"assay/unit"
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
	c.Findings[1].Scope, c.Findings[2].Scope = finding.Scope{Subject: finding.Speed}, finding.Scope{Subject: finding.Speed}
	c.Controlled, c.Variable = true, "engine"
	var text bytes.Buffer
	if err := CompareText(&text, compare.Report{Comparisons: []compare.Comparison{c}}, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"VOID for every speed: throttling. The speed below", "CONTROLLED, only engine differs; VOID for every speed all the same: throttling"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	c.Findings = c.Findings[:1]
	if b := verdictBlock(compare.Report{Comparisons: []compare.Comparison{c}}); len(b.Lines) != 1 {
		t.Errorf("got %q for a caution, want the verdict alone", b.Lines)
	}
}

// A tail that moved stands below the verdict though no metric of it is primary; one that
// stands still does not, nor does one that a few requests leave open.
func TestMovedTails(t *testing.T) {
	row := func(statistic string, ratio float64, verdict compare.Verdict, warnings ...string) compare.Row {
		return compare.Row{
			Metric: "jitter_sd.v2", Name: "jitter", Statistic: statistic, Unit: unit.Second, Point: "concurrency=8",
			Ratio: &stats.Estimate{Value: ratio, Interval: stats.Interval{Lo: .5 * ratio, Hi: 2 * ratio}}, Verdict: verdict, Warnings: warnings,
		}
	}
	f := func(want int, rows ...compare.Row) {
		t.Helper()
		var r compare.Report
		r.Comparisons = []compare.Comparison{{Rows: rows}}
		var b bytes.Buffer
		if err := CompareText(&b, r, false); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "tails that moved"); got != want {
			t.Errorf("%d blocks of tails, want %d\n%s", got, want, b.String())
		}
	}
	f(1, row("p50", 1.02, compare.Inconclusive), row("p99", 32, compare.Inconclusive))
	f(1, row("p99", 1.1, compare.Worse))
	f(0, row("p50", 1.02, compare.Inconclusive), row("p99", 1.2, compare.Inconclusive))
	f(0, row("p99", 32, compare.Void))
}
