package report_test

import (
	"bytes"
	"strings"
	"testing"

	"assay/analysis/agreement"
	"assay/bundle"
	"assay/finding"
	"assay/record"
	"assay/report"
	"assay/report/reporttest"
	"assay/unit"
)

// compared is an import whose results differ in every way.
func compared(t *testing.T) report.Report {
	t.Helper()
	r := reporttest.Example(t)
	r.Source, r.Reported = &bundle.Source{Tool: "aiperf", Version: "0.13.0"}, make([]record.Reported, 129)
	row := func(point int, quantity, statistic string, of unit.Unit, theirs, ours float64, why string) agreement.Row {
		return agreement.Row{Point: point, Quantity: quantity, Statistic: statistic, Unit: of, Reported: theirs, Recomputed: ours, Difference: (theirs - ours) / ours, Why: why}
	}
	const sent = "counted from the send, not from when it was due"
	r.Agreement = []agreement.Row{
		row(1, "TTFT", "mean", unit.Second, .02861, .0365, sent),
		row(1, "TTFT", "p50", unit.Second, .02232, .0272, sent+"; interpolated, not the value of rank ⌈qn⌉ (n = 24)"),
		row(1, "E2E", "mean", unit.Second, .3311, .339, sent),
		row(1, "ITL", "mean", unit.Second, .00612, .00612, ""),
		row(1, "TPOT", "mean", unit.Second, .0047, .0062, "not explained"),
		row(1, "output throughput", "value", unit.TokenPerSecond, 1333, 1038, "tokens: 58.4 by its tokenizer, 45.4 by server"),
		row(1, "request throughput", "value", unit.RequestPerSecond, 23, 21, "divided by first send to last answer, not the window"),
	}
	r.Findings = append(r.Findings, finding.Finding{Check: "foreign-source", Severity: finding.Caution, Message: "retries"}, finding.Finding{Check: "foreign-lengths", Severity: finding.Caution, Message: "lengths"})
	return r
}

// The whole table stands in every form that people read; a brief has six lines of it.
func TestAgreement(t *testing.T) {
	r := compared(t)
	for name, form := range map[string]report.Format{"text": report.Text, "markdown": report.Markdown} {
		var got bytes.Buffer
		if err := form(&got, r); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"1333", "1038", "+28.4 %", "58.4 by its tokenizer, 45.4 by server", "not explained", "request throughput", "1 of 7 results agree with aiperf's own within 1 %"} {
			if !strings.Contains(got.String(), want) {
				t.Errorf("%s has no %q:\n%s", name, want, got.String())
			}
		}
	}
	var brief bytes.Buffer
	if err := report.Brief(report.Look{})(&brief, r); err != nil {
		t.Fatal(err)
	}
	_, from, _ := strings.Cut(brief.String(), "result ")
	table, _, found := strings.Cut(from, "; all: assay report --all\n")
	if lines := strings.Count(table, "\n"); !found || lines > 5 {
		t.Errorf("%d lines and the sum, want at most 6 in all:\n%s", lines, brief.String())
	}
}

// Of several points the table says which, and a long list of points leaves only the sum.
func TestAgreementOfPoints(t *testing.T) {
	r := compared(t)
	second := r.Agreement[0]
	second.Point = 0
	r.Agreement = append(r.Agreement, second)
	if head := r.AgreementTable().Head; head[0] != "point" {
		t.Errorf("the table begins with %q, want the point", head[0])
	}
	many := reporttest.Sweep(t, []string{""}, []int{1, 2, 4, 8, 16})
	many.Source, many.Reported, many.Agreement = r.Source, r.Reported, r.Agreement
	var got bytes.Buffer
	if err := report.Brief(report.Look{})(&got, many); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got.String(), "why they differ") || !strings.Contains(got.String(), "results agree with aiperf's own") {
		t.Errorf("want the sum alone:\n%s", got.String())
	}
}
