package main

import (
	"testing"
	"time"

	"assay/alert"
	"assay/analysis/gate"
	"assay/timetable"
)

// What is inconclusive is no regression: it opens no such alert, ends none, and hides none that
// comes after it. Each metric that regressed has an alert of its own.
func TestGateProblems(t *testing.T) {
	var book alert.Book
	night := func(reasons []gate.Reason, verdicts ...gate.Verdict) (open []string) {
		o := timetable.Outcome{Looked: []alert.Kind{alert.Regressed, alert.Inconclusive}}
		r := gate.Result{Reasons: reasons}
		for i, v := range verdicts {
			r.Metrics = append(r.Metrics, gate.Decision{Key: []string{"ttft", "throughput"}[i], Verdict: v})
		}
		gateProblems(r, "", &o)
		book.Note(alert.Notice{Schedule: "s", Problems: o.Problems, Undecided: o.Undecided, Looked: o.Looked, Now: time.Now()}, nil)
		for _, a := range book.Open {
			open = append(open, a.ID)
		}
		return open
	}
	f := func(got []string, want ...string) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("open are %q, want %q", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("open are %q, want %q", got, want)
			}
		}
	}
	void := []gate.Reason{{Kind: "audit", About: "run-bias", Why: "void"}}
	f(night(nil, gate.Inconclusive, gate.NotWorse), "s/inconclusive")
	f(night(nil, gate.Regressed, gate.NotWorse), "s/regressed/ttft")
	f(night(nil, gate.Inconclusive, gate.Regressed), "s/regressed/ttft", "s/regressed/throughput")
	f(night(void, gate.Inconclusive, gate.Inconclusive), "s/regressed/ttft", "s/regressed/throughput", "s/inconclusive")
	f(night(void, gate.Missing, gate.Missing), "s/regressed/ttft", "s/regressed/throughput", "s/inconclusive")
	f(night(nil, gate.NotWorse, gate.Regressed), "s/regressed/throughput")
	f(night(nil, gate.NotWorse, gate.NotWorse))

	// An audit of one tail refuses that tail. A regression beside it is entered, and one that
	// is shown to be over ends.
	f(night(void, gate.Inconclusive, gate.Regressed), "s/regressed/throughput")
	f(night(void, gate.Regressed, gate.Inconclusive), "s/regressed/throughput", "s/regressed/ttft")
	f(night(void, gate.NotWorse, gate.Inconclusive), "s/regressed/throughput", "s/inconclusive")
	f(night(void, gate.Inconclusive, gate.NotWorse), "s/inconclusive")
}
