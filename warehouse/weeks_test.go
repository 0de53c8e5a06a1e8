package warehouse

import (
	"math/rand/v2"
	"testing"
	"time"

	"assay/analysis/gate"
	"assay/suite/acts"
)

// A week counts the gates of a system and itself with their alarms, and the alerts with those
// that were false and the delay of the others.
func TestWeeks(t *testing.T) {
	t.Parallel()
	w := writer(t, t.TempDir())
	if weeks, err := w.Weeks(t.Context()); err != nil || len(weeks) != 0 {
		t.Fatalf("an empty warehouse has %+v, %v", weeks, err)
	}
	var list []Alert
	rng := rand.New(rand.NewPCG(5, 7))
	for i, slow := range append(days(rng, 7, 100), days(rng, 2, 130)...) {
		list = night(t, w, i, slow)
	}
	if len(list) != 1 {
		t.Fatalf("the alerts are %+v, want one of TTFT", list)
	}
	opened := list[0].Opened
	for _, e := range []gate.Entry{
		{Time: opened, Same: true, Alerts: []string{"ttft.v2 p50"}}, {Time: opened, Same: true}, {Time: opened, Alerts: []string{"it is another system"}},
		{Time: opened.AddDate(0, 0, -7), Same: true},
	} {
		e.Baseline, e.Candidate = "a", "b"
		must(t, gate.AppendHistory(w.GatesPath(), e))
	}
	weeks, err := w.Weeks(t.Context())
	must(t, err)
	if len(weeks) != 2 || weeks[0].Monday.Weekday() != time.Monday || !weeks[0].Monday.After(weeks[1].Monday) {
		t.Fatalf("the weeks are %+v, want two, the newest first", weeks)
	}
	now, before := weeks[0], weeks[1]
	if now.Gates != 2 || now.Alarms != 1 || now.Rate.Value != .5 || !(now.Rate.Interval.Lo < .02 && now.Rate.Interval.Hi > .98) {
		t.Errorf("gates of this week: %+v, want one alarm of two", now)
	}
	if before.Gates != 1 || before.Alarms != 0 || before.Rate.Interval.Hi < .9 || before.False != nil || before.DelayRuns != nil {
		t.Errorf("the week before is %+v", before)
	}
	if now.Opened < 1 || now.Dismissed+now.Closed != 0 || now.False.Value != 0 || now.DelayRuns == nil || now.DelayRuns.Longest != 2 {
		t.Errorf("alerts of this week: %+v, want delays of two runs", now)
	}
	_, err = w.DecideAlert(t.Context(), list[0].SeriesID, Decision{Mark: acts.Dismissed, Run: list[0].Run, Why: "a fan", By: "me", At: time.Now()})
	must(t, err)
	if weeks, err = w.Weeks(t.Context()); err != nil || weeks[0].Dismissed != 1 || weeks[0].False.Value != 1/float64(now.Opened) {
		t.Errorf("decided, the week is %+v, %v", weeks[0], err)
	}
}
