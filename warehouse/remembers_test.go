package warehouse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/stats"
	"assay/suite/acts"
	"assay/tests/whole"
)

// days are values of runs that lie around 100 by half a per cent.
func days(rng *rand.Rand, n int, level float64) (xs []float64) {
	for range n {
		xs = append(xs, level*(1+.005*rng.NormFloat64()))
	}
	return xs
}

// night keeps a run that is so slow, and looks. Runs of a scene measure nothing of the client,
// which voids them.
func night(t *testing.T, w *Warehouse, i int, slow float64) []Alert {
	t.Helper()
	keep(t, w, sealed(t, fmt.Sprintf("night-%02d", i), slow/100, machine("570")))
	unvoid(t, w)
	must(t, w.Refresh(t.Context()))
	list, err := w.Alerts(t.Context())
	must(t, err)
	return slices.DeleteFunc(list, func(a Alert) bool { return a.Of.Metric != "ttft.v2" || a.Of.Statistic != "p50" })
}

// A step is an alert from the second run after it on, at every look, until somebody decides; the
// history says the same. After 20 runs it is so too.
func TestAlertStays(t *testing.T) {
	whole.Only(t)
	for _, before := range []int{7, 20} {
		w := writer(t, t.TempDir())
		rng := rand.New(rand.NewPCG(5, uint64(before)))
		var first Alert
		for i, slow := range append(days(rng, before, 100), days(rng, 12, 108)...) {
			list := night(t, w, i, slow)
			switch after := i + 1 - before; {
			case after < 2 && len(list) > 0:
				t.Errorf("%d runs before, %d after: %+v", before, after, list)
			case after == 2 && len(list) == 1:
				first = list[0]
			case after >= 2 && (len(list) != 1 || !list[0].Pending() || list[0].Run != first.Run || list[0].Change.Level != first.Change.Level || list[0].Evidence != first.Evidence):
				t.Fatalf("%d runs before, %d after: alerts %+v\nwant %+v", before, after, list, first)
			}
		}
		if c := first.Change; c.FirstBad != fmt.Sprintf("night-%02d", before) || c.Level.N != before || c.Kind != stats.PlainStep || !strings.Contains(first.Evidence, "a step; 2 runs from night-") {
			t.Errorf("the alert is %+v: %s", c, first.Evidence)
		}
		h, err := w.History(t.Context(), Filter{Metric: "ttft"}, Detection{}, options)
		must(t, err)
		if c := h.Series[0].Changes; len(c) != 1 || c[0].Alert != AlertOpen || !h.Alarming() {
			t.Errorf("the history says %+v", c)
		}
		_, err = w.DecideAlert(t.Context(), first.SeriesID, Decision{Mark: acts.Fixed, Run: first.Run, Why: "rolled back", By: "me", At: time.Now()})
		must(t, err)
		if list := night(t, w, 99, 108); list[0].State != acts.Fixed || list[0].By != "me" || len(list) != 1 {
			t.Errorf("decided, the alerts are %+v", list)
		}
		if h, err = w.History(t.Context(), Filter{Metric: "ttft"}, Detection{}, options); err != nil || h.Alarming() {
			t.Errorf("decided, the history alarms: %+v, %v", h.Series[0].Changes, err)
		}
	}
}

// A second change is an alert of its own. When the newest three runs lie in the level before the
// first again, the rule closes both.
func TestSecondAlert(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	w := writer(t, t.TempDir())
	rng := rand.New(rand.NewPCG(6, 7))
	var list []Alert
	for i, slow := range slices.Concat(days(rng, 8, 100), days(rng, 3, 108), days(rng, 3, 133)) {
		list = night(t, w, i, slow)
	}
	if len(list) != 2 || !list[0].Pending() || !list[1].Pending() || list[0].Change.FirstBad != "night-11" || list[1].Change.FirstBad != "night-08" {
		t.Fatalf("the alerts are %+v, want two, of night-11 and night-08", list)
	}
	for i, slow := range days(rng, 4, 100) {
		list = night(t, w, 20+i, slow)
	}
	if len(list) != 2 || list[0].State != Recovered || list[1].State != Recovered || list[1].By != "rule" || !strings.Contains(list[1].Why, "the newest 3 runs lay in the level before") {
		t.Errorf("after the runs were as before, the alerts are %+v", list)
	}
}

// One run that is far out is named an outlier and changes nothing, nor does it hide the step
// that comes later.
func TestOutlier(t *testing.T) {
	t.Parallel()
	w := writer(t, t.TempDir())
	rng := rand.New(rand.NewPCG(8, 9))
	var list []Alert
	for i, slow := range slices.Concat(days(rng, 7, 100), []float64{130}, days(rng, 5, 100)) {
		if list = night(t, w, i, slow); len(list) > 0 {
			t.Fatalf("after run %d there are %+v", i, list)
		}
	}
	h, err := w.History(t.Context(), Filter{Metric: "ttft"}, Detection{}, options)
	must(t, err)
	if s := h.Series[0]; !slices.Equal(s.Outliers, []int{7}) || len(s.Changes) > 0 || h.Alarming() {
		t.Errorf("outliers %v, changes %+v; want the run in place 7 and none", s.Outliers, s.Changes)
	}
	for i, slow := range days(rng, 2, 108) {
		list = night(t, w, 20+i, slow)
	}
	if len(list) != 1 || list[0].Change.FirstBad != "night-20" {
		t.Errorf("after the step the alerts are %+v", list)
	}
}

// What a run raised stays when the run behind it is taken out of its series, and when the
// catalogue is lost it is found again.
func TestAlertsOutliveRuns(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	dir := t.TempDir()
	w := writer(t, dir)
	rng := rand.New(rand.NewPCG(10, 11))
	var list []Alert
	for i, slow := range slices.Concat(days(rng, 8, 100), days(rng, 2, 110)) {
		list = night(t, w, i, slow)
	}
	if len(list) != 1 {
		t.Fatalf("the alerts are %+v", list)
	}
	_, err := w.Decide(t.Context(), Decision{Mark: acts.Retracted, Run: "night-09", Why: "x", At: time.Now()})
	must(t, err)
	after, err := w.Alerts(t.Context())
	must(t, err)
	if i := slices.IndexFunc(after, func(a Alert) bool { return a.SeriesID == list[0].SeriesID }); i < 0 || !after[i].Pending() {
		t.Errorf("without its second run, the alerts are %+v", after)
	}
	for _, forget := range []string{`DELETE FROM alert`, `INSERT INTO unlooked SELECT artifact_manifest_digest FROM benchmark_run_fact`} {
		_, err := w.db.Exec(forget)
		must(t, err)
	}
	_, err = w.Decide(t.Context(), Decision{Mark: acts.Restored, Run: "night-09", Why: "x", At: time.Now()})
	must(t, err)
	if after, err = w.Alerts(t.Context()); err != nil || !slices.ContainsFunc(after, func(a Alert) bool { return a.SeriesID == list[0].SeriesID && a.Run == list[0].Run }) {
		t.Errorf("found again, the alerts are %+v, %v", after, err)
	}
}
