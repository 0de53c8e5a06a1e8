package report_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/analysis/mlperf"
	"assay/bundle"
	"assay/finding"
	"assay/record"
	"assay/report"
	"assay/report/reporttest"
	"assay/search"
)

// briefs are runs of every kind.
func briefs(t *testing.T) map[string]report.Report {
	list := reporttest.Ranked(t)
	list["example"], list["judged"] = reporttest.Example(t), reporttest.Judged(t)
	list["sweep"] = reporttest.Sweep(t, []string{""}, []int{1, 4, 16, 64})
	list["many"] = reporttest.FortyFive(t)
	broken := reporttest.Judged(t)
	broken.NotVerified = []string{"plan.json: changed after sealing"}
	list["broken"] = broken
	read := reporttest.Example(t)
	read.Source, read.Reported = &bundle.Source{Tool: "genai-bench", Version: "0.0.4"}, make([]record.Reported, 58)
	list["imported"] = read
	list["compared"] = compared(t)
	searched := reporttest.Sweep(t, []string{""}, []int{1, 4})
	holds := 4.
	searched.Search = &search.Summary{Kind: "concurrency", Objectives: []string{"ttft p99 ≤ 300ms"}, Launches: []search.Launched{{}}, Answer: search.Answer{Holds: &holds}}
	list["searched"] = searched
	rules := reporttest.Example(t)
	rules.MLPerf = []mlperf.Result{{Valid: true}, {}}
	list["mlperf"] = rules
	return list
}

// The answer fits a terminal without scrolling, whatever was measured.
func TestBrief(t *testing.T) {
	for name, r := range briefs(t) {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := report.Brief(report.Look{})(&got, r); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(got.String(), "\n"), "\n")
			if len(lines) > 22 { // and two that say where the rest is
				t.Errorf("%d lines, want at most 22 and two for the paths:\n%s", len(lines), got.String())
			}
			for _, line := range lines {
				if n := utf8.RuneCountInString(line); n > 100 {
					t.Errorf("%d columns, want at most 100: %s", n, line)
				}
			}
			reporttest.Golden(t, "brief_"+name+".txt", got.Bytes())
		})
	}
}

// On a narrow terminal no line breaks, and the last column, which counts errors, stays.
func TestBriefNarrow(t *testing.T) {
	for name, r := range briefs(t) {
		for _, columns := range []int{80, 160} {
			var got bytes.Buffer
			if err := report.Brief(report.Look{Columns: columns})(&got, r); err != nil {
				t.Fatal(err)
			}
			text := got.String()
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > min(columns, 100) {
					t.Errorf("%s at %d columns: %d wide: %s", name, columns, n, line)
				}
			}
			if n := strings.Count(text, "\n"); n > 24 {
				t.Errorf("%s at %d columns: %d lines", name, columns, n)
			}
			if name == "sweep" && !strings.Contains(text, " errors\n") {
				t.Errorf("at %d columns the errors are cut off:\n%s", columns, text)
			}
		}
	}
}

// Only what a stranger cannot write is painted, and the alarm is painted first.
func TestBriefColours(t *testing.T) {
	r := briefs(t)["broken"]
	r.Findings[0].Message = "\x1b[32mall is well"
	var got bytes.Buffer
	if err := report.Brief(report.Look{Colour: true})(&got, r); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got.String(), "\x1b[31mNOT VERIFIED: plan.json") || strings.Contains(got.String(), "\x1b[32m") || !strings.Contains(got.String(), "\x1b[33mcaution") {
		t.Errorf("got %q", got.String())
	}
}

// What a check found at every point is said once.
func TestGroupedFindings(t *testing.T) {
	r := reporttest.Sweep(t, []string{""}, []int{1, 4, 16})
	for _, p := range r.Plan.Points {
		r.Findings = append(r.Findings, finding.Finding{Check: "token-count", Severity: finding.Note, Message: p.Name + ": 7 more"})
	}
	r.Findings = append(r.Findings, finding.Finding{Check: "not-steady", Severity: finding.Caution, Message: "concurrency=4, launch 1: a step"})
	got := r.GroupedFindings()
	if len(got) != 2 || got[0].Check != "not-steady" || got[0].Where != "" || got[1].Where != "at all 3 points" || got[1].Message != "7 more" || len(got[1].All) != 3 {
		t.Errorf("got %+v", got)
	}
}
