package report_test

import (
	"slices"
	"testing"

	"assay/analysis/fleet"
	"assay/analysis/objective"
	"assay/report"
	"assay/search"
)

func TestKnees(t *testing.T) {
	f := func(s fleet.Sweep, want string) {
		t.Helper()
		s.Objectives = []string{"p99 TTFT ≤ 300ms"}
		if got := (report.Report{Sweeps: []fleet.Sweep{s}}).Knees(); !slices.Equal(got, []string{want}) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(fleet.Sweep{Knee: "concurrency=4", Next: "concurrency=16", NextState: objective.Broken},
		"knee: concurrency=4 is the highest load that keeps p99 TTFT ≤ 300ms; concurrency=16 breaks it")
	f(fleet.Sweep{Knee: "concurrency=4", Next: "concurrency=16", NextState: objective.Uncertain, Side: "new", Shape: "D(8,4)"},
		"knee of new D(8,4): concurrency=4 is the highest load shown to keep p99 TTFT ≤ 300ms; at concurrency=16 it is uncertain")
	f(fleet.Sweep{Knee: "concurrency=16"}, "knee: above concurrency=16, the highest load measured, which keeps p99 TTFT ≤ 300ms")
	f(fleet.Sweep{Next: "concurrency=1", NextState: objective.Broken}, "knee: below concurrency=1, which breaks p99 TTFT ≤ 300ms")
	f(fleet.Sweep{Next: "concurrency=1", NextState: objective.Uncertain},
		"knee: unknown: even at concurrency=1 it is uncertain whether p99 TTFT ≤ 300ms holds; measure longer, or offer less")
	if got := (report.Report{Sweeps: []fleet.Sweep{{Knee: "a"}}, Search: &search.Summary{}}).Knees(); got != nil {
		t.Errorf("beside a search: %q, want nothing", got)
	}
}
