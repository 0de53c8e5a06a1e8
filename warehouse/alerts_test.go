package warehouse

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/suite/acts"
)

// A change raises an alert for what can be bounded and for nothing else; what is decided
// about it holds when later runs move the change a little, and can be taken back.
func TestAlerts(t *testing.T) {
	w := writer(t, t.TempDir())
	nights(t, w, 12, 2, 1.5)
	unvoid(t, w)
	alerts := func() []Alert {
		t.Helper()
		must(t, w.Refresh(t.Context()))
		list, err := w.Alerts(t.Context())
		must(t, err)
		return slices.DeleteFunc(list, func(a Alert) bool { return !strings.HasPrefix(a.Of.Metric, "ttft") })
	}
	list := alerts()
	if len(list) != 1 || list[0].State != AlertOpen || list[0].Of.Statistic != "p50" || !list[0].Pending() {
		t.Fatalf("got %+v, want one open alert of the p50: eight requests bound no p99", list)
	}
	one := list[0]
	decide := func(mark, run string) {
		t.Helper()
		_, err := w.DecideAlert(t.Context(), one.SeriesID, Decision{Mark: mark, Run: run, Why: "x", By: "me", At: time.Now()})
		must(t, err)
	}
	decide(acts.Dismissed, "night-11") // a run beside the first one after the change
	if got := alerts()[0]; got.State != acts.Dismissed || got.By != "me" || got.Pending() {
		t.Errorf("the alert is %s by %s, want dismissed", got.State, got.By)
	}
	decide(acts.Fixed, "night-00") // far away: of another change
	if got := alerts()[0]; got.State != acts.Dismissed {
		t.Errorf("the alert is %s after a decision about another one", got.State)
	}
	decide(acts.Reopened, one.Run)
	if got := alerts()[0]; got.State != AlertOpen {
		t.Errorf("the alert is %s, want open again", got.State)
	}
	for _, bad := range []struct{ series, mark, run, why string }{
		{one.SeriesID, "deleted", one.Run, "x"}, {"../x", acts.Fixed, one.Run, "x"}, {one.SeriesID, acts.Fixed, "night-99", "x"}, {one.SeriesID, acts.Fixed, one.Run, " "},
	} {
		if _, err := w.DecideAlert(t.Context(), bad.series, Decision{Mark: bad.mark, Run: bad.run, Why: bad.why, At: time.Now()}); err == nil {
			t.Errorf("%+v was decided", bad)
		}
	}
}

// The results of a run that are watched are those whose series are.
func TestWatched(t *testing.T) {
	w := writer(t, t.TempDir())
	nights(t, w, 2, 0, 1)
	unvoid(t, w)
	d, err := w.Detail(t.Context(), "night-01")
	must(t, err)
	series, err := w.Watch(t.Context(), WatchedMetrics, Detection{})
	must(t, err)
	got, want := map[string]bool{}, map[string]bool{}
	for _, f := range Watched(d.Figures) {
		if f.Low != nil && f.High != nil { // Watch leaves out what has no interval
			got[strings.Join([]string{f.Metric, f.Statistic, f.Point, f.Side}, " ")] = true
		}
	}
	for _, s := range series {
		want[strings.Join([]string{s.Metric, s.Statistic, s.Point, s.Side}, " ")] = true
	}
	if !maps.Equal(got, want) || len(want) < 4 {
		t.Errorf("watched are %v, want %v", got, want)
	}
}
