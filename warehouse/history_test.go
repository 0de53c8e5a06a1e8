package warehouse

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
)

// nights keeps n runs, the first of them as slow as before, the rest as after, with
// another driver.
func nights(t *testing.T, w *Warehouse, before, after int, step float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 9))
	for i := range before + after {
		slow, driver := 1+.005*rng.NormFloat64(), "570.86"
		if i >= before {
			slow, driver = slow*step, "575.51"
		}
		keep(t, w, sealed(t, fmt.Sprintf("night-%02d", i), slow, machine(driver)))
	}
}

// unvoid has the runs count: runs of a scene measure nothing of the client, which voids
// them.
func unvoid(t *testing.T, w *Warehouse) {
	t.Helper()
	_, err := w.db.Exec(`UPDATE benchmark_run_fact SET worst_finding = ''`)
	must(t, err)
}

func TestHistory(t *testing.T) {
	w := writer(t, t.TempDir())
	nights(t, w, 14, 5, 1.08)
	void := ask(t, w, `SELECT count(*) FROM current_run WHERE worst_finding = 'void'`)
	unvoid(t, w)
	h, err := w.History(t.Context(), Filter{Metric: "ttft", Workload: "nightly"}, Detection{Alpha: .02}, options)
	must(t, err)
	if len(h.Series) != 1 || len(h.Series[0].Values) != 19 {
		t.Fatalf("got %d series (%s runs were void), want one of 19 runs: %+v", len(h.Series), void, h.Series)
	}
	s := h.Series[0]
	if len(s.Changes) != 1 || s.Changes[0].FirstBad != "night-14" || s.Changes[0].State != Confirmed || !s.Changes[0].Worse || !h.Alarming() {
		t.Fatalf("found %+v, want one change at night-14 for the worse", s.Changes)
	}
	c := s.Changes[0]
	if c.Relative < .06 || c.Relative > .10 || len(c.Differences) != 1 || c.Differences[0].Path != "gpu.driver" {
		t.Errorf("change of %.3f with differences %v, %s; want 0.08 and gpu.driver alone", c.Relative, c.Differences, c.Unknown)
	}
	if s.Metric != "ttft.v2" || s.Statistic != "p50" || s.System != "vllm" || !strings.HasPrefix(s.Testbed, "node-1/") || s.Noise.Runs != 5 {
		t.Errorf("the series is %s %s of %s on %s, noise over %d runs", s.Metric, s.Statistic, s.System, s.Testbed, s.Noise.Runs)
	}

	_, err = w.Decide(t.Context(), Decision{Mark: "accepted", Run: "night-16", Why: "new driver", At: time.Now()})
	must(t, err)
	h, err = w.History(t.Context(), Filter{Metric: "ttft.v2:p50"}, Detection{Alpha: .02}, options)
	must(t, err)
	if c := h.Series[0].Changes[0]; c.State != Settled || h.Alarming() {
		t.Errorf("after a run behind it was accepted, the change is %s", c.State)
	}

	must(t, os.RemoveAll(w.place(s.Values[c.At].Digest))) // as retention does
	h, err = w.History(t.Context(), Filter{Metric: "ttft.v2:p50"}, Detection{Alpha: .02}, options)
	must(t, err)
	if c := h.Series[0].Changes[0]; !strings.Contains(c.Unknown, "retention dropped it") || c.Differences != nil {
		t.Errorf("without the bundle, what differs is %v, %q", c.Differences, c.Unknown)
	}

	for _, f := range []Filter{{Metric: "nonsense"}, {Metric: "ttft:p12"}, {Metric: "ttft", Workload: "other"}, {Metric: "ttft", System: "sglang"}} {
		if got, err := w.History(t.Context(), f, Detection{}, options); err == nil {
			t.Errorf("%+v gave %d series, want none", f, len(got.Series))
		}
	}
}

// Runs that were retracted or are void are no part of a series, and those on another
// machine are another one.
func TestSeriesHoldWhatCounts(t *testing.T) {
	w := writer(t, t.TempDir())
	nights(t, w, 4, 0, 1)
	elsewhere := machine("570.86")
	elsewhere.Set("host.name", "node-2")
	keep(t, w, sealed(t, "elsewhere", 1, elsewhere))
	unvoid(t, w)
	_, err := w.db.Exec(`UPDATE benchmark_run_fact SET worst_finding = 'void' WHERE run_id = 'night-01'`)
	must(t, err)
	decide := func(mark, run, instead string) error {
		_, err := w.Decide(t.Context(), Decision{Mark: mark, Run: run, Instead: instead, Why: "a test", At: time.Now()})
		return err
	}
	values := func() (ids []string) {
		h, err := w.History(t.Context(), Filter{Metric: "ttft", Testbed: "node-1/"}, Detection{}, judge.Options{Version: "test"})
		must(t, err)
		for _, v := range h.Series[0].Values {
			ids = append(ids, v.RunID)
		}
		return ids
	}
	must(t, decide("retracted", "night-02", ""))
	must(t, decide("superseded", "night-03", "night-00"))
	if got := values(); !slices.Equal(got, []string{"night-00"}) {
		t.Errorf("the series has %v, want night-00 alone", got)
	}
	must(t, decide("restored", "night-02", ""))
	if got := values(); !slices.Equal(got, []string{"night-00", "night-02"}) {
		t.Errorf("the series has %v, want night-02 back", got)
	}
	for _, bad := range [][3]string{{"nonsense", "night-00", ""}, {"retracted", "no-such", ""}, {"superseded", "night-00", ""}, {"superseded", "night-00", "night-00"}, {"retracted", "night-00", "night-01"}} {
		if decide(bad[0], bad[1], bad[2]) == nil {
			t.Errorf("%v was decided", bad)
		}
	}
}

func TestRetention(t *testing.T) {
	w := writer(t, t.TempDir())
	nights(t, w, 3, 0, 1)
	must(t, w.Refresh(t.Context()))
	_, err := w.Decide(t.Context(), Decision{Mark: "published", Run: "night-01", Why: "in the paper", At: time.Now()})
	must(t, err)
	_, err = w.db.Exec(`UPDATE artifact_lineage_dim SET baseline_digest = (SELECT artifact_manifest_digest FROM benchmark_run_fact WHERE run_id = 'night-00') WHERE run_id = 'night-01'`)
	must(t, err)
	at := func(days int) (plan []Retained) {
		plan, err := w.Plan(t.Context(), Tiers{}, time.Now().Add(time.Duration(days)*aDay))
		must(t, err)
		return plan
	}
	drops := func(plan []Retained) (list []string) {
		for _, r := range plan {
			list = append(list, strings.TrimSpace(r.RunID+" "+r.Tier+" "+r.Drop))
		}
		return list
	}
	if got, want := drops(at(0)), []string{"night-00 hot", "night-01 hot", "night-02 hot"}; !slices.Equal(got, want) {
		t.Errorf("today: %v, want %v", got, want)
	}
	if got, want := drops(at(200)), []string{"night-00 cold", "night-01 cold", "night-02 cold launch rows"}; !slices.Equal(got, want) {
		t.Errorf("in 200 days: %v, want %v", got, want)
	}
	late := at(800)
	if got, want := drops(late), []string{"night-00 expired", "night-01 expired", "night-02 expired bundle"}; !slices.Equal(got, want) {
		t.Errorf("in 800 days: %v, want %v", got, want)
	}
	if len(intactBut(t, w)) != 3 {
		t.Error("a plan alone dropped something")
	}
	must(t, w.Retain(t.Context(), late, time.Now()))
	if got := ask(t, w, `SELECT group_concat(run_id) FROM benchmark_run_fact JOIN dropped_fact USING (artifact_manifest_digest) WHERE what = 'bundle'`); got != "night-02" {
		t.Errorf("dropped %s, want night-02", got)
	}
	if got := intactBut(t, w); len(got) != 2 {
		t.Errorf("%d bundles are left, want the published one and its baseline", len(got))
	}
	if got := ask(t, w, `SELECT count(*) FROM current_run`); got != "3" {
		t.Errorf("the catalogue has %s runs, want all 3", got)
	}
	if again := at(800); again[2].Drop != "" {
		t.Errorf("it would drop %s a second time", again[2].Drop)
	}
	if _, err := w.Plan(t.Context(), Tiers{Hot: 90 * aDay, Warm: aDay}, time.Now()); err == nil {
		t.Error("a warm tier shorter than the hot one was taken")
	}
}

// intactBut are the folders of bundles that are there.
func intactBut(t *testing.T, w *Warehouse) []string {
	t.Helper()
	a, err := w.Query(t.Context(), `SELECT artifact_manifest_digest FROM benchmark_run_fact`, Limit{})
	must(t, err)
	var list []string
	for _, row := range a.Rows {
		if j, err := w.openKept(fmt.Sprint(row[0]), options); err == nil {
			list = append(list, j.Bundle.Dir)
		}
	}
	return list
}

func TestLineage(t *testing.T) {
	w := writer(t, t.TempDir())
	kept := keep(t, w, sealed(t, "one", 1, machine("570")))
	keep(t, w, sealed(t, "two", 3, machine("570")))
	value := ask(t, w, `SELECT printf('%.1f ms', 1000 * value) FROM metric_fact JOIN benchmark_run_fact USING (artifact_manifest_digest)
		WHERE run_id = 'one' AND metric = 'ttft.v2' AND statistic = 'p50'`)
	l, err := w.Lineage(t.Context(), value)
	must(t, err)
	i := slices.IndexFunc(l.Steps, func(s Trace) bool { return s.Metric == "ttft.v2" && s.Statistic == "p50" })
	if i < 0 || l.Steps[i].RunID != "one" || l.Steps[i].ArtifactManifestDigest != kept.Digest || l.Steps[i].Gone || l.Steps[i].QuerySpecDigest == "" {
		t.Fatalf("%s comes from %+v, want the TTFT of run one", value, l.Steps)
	}
	tables := map[string]int64{}
	var file RawFile
	for _, f := range l.Steps[i].Raw {
		tables[f.Table] += f.Rows
		file = f
	}
	if tables["requests"] != 24 {
		t.Errorf("raw rows %v, want the 24 requests of three launches", tables)
	}
	back, err := w.Lineage(t.Context(), file.SHA256)
	must(t, err)
	if len(back.Steps) == 0 || slices.ContainsFunc(back.Steps, func(s Trace) bool { return s.RunID != "one" }) {
		t.Errorf("a raw file of run one leads to %d numbers, want those of run one alone", len(back.Steps))
	}
	for _, asked := range []string{"1e300 ms", "no such words", strings.Repeat("0", 64)} {
		if got, err := w.Lineage(t.Context(), asked); err == nil {
			t.Errorf("%q leads to %+v", asked, got.Steps[0])
		}
	}
}
