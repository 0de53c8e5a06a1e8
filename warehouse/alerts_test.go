package warehouse

import (
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
	d := Detection{Alpha: .02}
	alerts := func() []Alert {
		t.Helper()
		series, err := w.Watch(t.Context(), []string{"ttft:p50", "ttft:p99", "nonsense"}, d)
		must(t, err)
		list, err := w.Alerts(t.Context(), series)
		must(t, err)
		return list
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
	decide(acts.Dismissed, "night-13") // a run beside the first one after the change
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

// A catalogue of the first version is brought to this one, with what was decided.
func TestMigratesFromTheFirstVersion(t *testing.T) {
	dir := t.TempDir()
	w := writer(t, dir)
	kept := keep(t, w, sealed(t, "run-1", 1, machine("570")))
	_, err := w.Decide(t.Context(), Decision{Mark: acts.Retracted, Run: kept.Digest, Why: "x", At: time.Now()})
	must(t, err)
	for _, back := range []string{
		`DROP INDEX run_by_partition`, `DROP INDEX act_by_run`, `DROP INDEX run_by_creation`, `DROP INDEX run_by_series`, `DROP INDEX run_by_system`, `DROP INDEX run_by_testbed`, `DROP INDEX run_by_model`, `DROP INDEX run_by_status`,
		`ALTER TABLE act_fact DROP COLUMN subject`, `DELETE FROM schema_version WHERE version > 1`,
	} {
		_, err := w.db.Exec(back)
		must(t, err)
	}
	must(t, w.migrate(t.Context()))
	must(t, w.readActs(t.Context()))
	if got := ask(t, w, `SELECT act || ' ' || subject FROM act_fact`); got != "retracted run-1" {
		t.Errorf("the act is %q", got)
	}
	list, all, err := w.Runs(t.Context(), RunFilter{})
	if err != nil || all != 1 || list[0].Counts {
		t.Errorf("%d runs, %v; want one that does not count", all, err)
	}
}
