package warehouse

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/suite/acts"
)

// crowded is a warehouse with copies of one run: several workloads, systems and machines, runs
// that failed, are void, or were decided about, values without an interval, and times that
// are equal.
func crowded(t *testing.T) *Warehouse {
	t.Helper()
	w := writer(t, t.TempDir())
	keep(t, w, sealed(t, "run-0", 1, machine("570")))
	unvoid(t, w)
	rng := rand.New(rand.NewPCG(21, 22))
	one := func(list ...string) string { return "'" + list[rng.IntN(len(list))] + "'" }
	facts := columnsIn("metric_fact")
	runs := columnsIn("benchmark_run_fact")
	for i := 1; i <= 90; i++ {
		digest := fmt.Sprintf("'sha256:%064x'", rng.Uint64())
		put := func(table string, columns []string, changed map[string]string) {
			var values []string
			for _, c := range columns {
				values = append(values, cmp.Or(changed[c], c))
			}
			_, err := w.db.Exec(fmt.Sprintf(`INSERT INTO %s SELECT %s FROM %s WHERE artifact_manifest_digest = (SELECT artifact_manifest_digest FROM benchmark_run_fact WHERE run_id = 'run-0')`,
				table, strings.Join(values, ", "), table))
			must(t, err)
		}
		put("benchmark_run_fact", runs, map[string]string{
			"artifact_manifest_digest": digest, "run_id": fmt.Sprintf("'run-%d'", i), "name": one("nightly", "canary", "abc"), "created_ns": fmt.Sprint(1e18 + int64(rng.IntN(100))*1e12),
			"workload_spec_digest": one("sha256:abc", "sha256:abd", "sha256:77", "sha256:canary"), "system": one("vllm", "vllm 2", "sglang"), "testbed": one("node-1/x", "node-2/x", ""),
			"status": one("completed", "completed", "completed", "failed"), "worst_finding": one("", "", "warn", "void"),
		})
		put("metric_fact", facts, map[string]string{
			"artifact_manifest_digest": digest, "fact": fmt.Sprintf("fact + %d", i*100_000), "value": fmt.Sprintf("value * %v", 1+rng.Float64()/10),
			"low": fmt.Sprintf("CASE WHEN fact %% 7 = %d THEN NULL ELSE low END", i%7), "point_name": "CASE fact % 3 WHEN 0 THEN point_name ELSE 'another' END",
		})
		if mark := []string{"", "", "", "", acts.Retracted, acts.Accepted}[rng.IntN(6)]; mark != "" {
			_, err := w.Decide(t.Context(), Decision{Mark: mark, Run: fmt.Sprintf("run-%d", i), Why: "x", At: time.Now()})
			must(t, err)
		}
	}
	return w
}

func columnsIn(table string) []string {
	return Tables[slices.IndexFunc(Tables, func(t Table) bool { return t.Name == table })].Names()
}

// seriesPlainly reads every fact that fits, whatever that takes.
func seriesPlainly(t *testing.T, w *Warehouse, metric, statistic string, f Filter) []Series {
	t.Helper()
	rows, err := w.db.Query(`SELECT f.metric, f.statistic, f.unit, f.better, r.name, r.workload_spec_digest, r.system, r.testbed, f.point_name, f.side,
		r.run_id, r.artifact_manifest_digest, r.created_ns, f.value, f.low, f.high, f.n, f.cv, r.status = 'completed' AND r.worst_finding <> 'void' AND (r.quick = 0 OR f.statistic = 'score'),
		r.artifact_manifest_digest IN (SELECT artifact_manifest_digest FROM act_fact WHERE act = 'accepted')
		FROM metric_fact f NOT INDEXED JOIN current_run r USING (artifact_manifest_digest)
		WHERE f.metric = ?1 AND f.statistic = ?2 AND f.value IS NOT NULL AND r.created_ns >= ?3
		AND (?4 = '' OR r.name = ?4 OR substr(r.workload_spec_digest, 8, length(?5)) = ?5)
		AND substr(r.system, 1, length(?6)) = ?6 AND substr(r.testbed, 1, length(?7)) = ?7
		AND (?8 = '' OR f.point_name = ?8) AND (?9 = '' OR f.side = ?9) AND (NOT ?10 OR f.low IS NOT NULL AND f.high IS NOT NULL)
		ORDER BY r.created_ns, r.artifact_manifest_digest, f.fact`,
		metric, statistic, nanos(f.Since), f.Workload, strings.TrimPrefix(f.Workload, "sha256:"), f.System, f.Testbed, f.Point, f.Side, f.Bounded)
	must(t, err)
	all, err := gather(rows, func(rows *sql.Rows) (r seriesRow, err error) {
		var ns int64
		err = rows.Scan(&r.Metric, &r.Statistic, &r.Unit, &r.Better, &r.Name, &r.Workload, &r.System, &r.Testbed, &r.Point, &r.Side,
			&r.value.RunID, &r.value.Digest, &ns, &r.value.Value, &r.value.Low, &r.value.High, &r.value.N, &r.value.CV, &r.counts, &r.value.Accepted)
		r.value.At = time.Unix(0, ns).UTC()
		return r, err
	})
	must(t, err)
	return intoSeries(all, f.Last)
}

// What is read through indices is what reading everything gives.
func TestSeriesAreThePlainOnes(t *testing.T) {
	w := crowded(t)
	found := 0
	for _, workload := range []string{"", "nightly", "canary", "abc", "sha256:ab", "ab", "7", "sha256:", "none"} {
		for _, f := range []Filter{
			{}, {System: "vllm"}, {System: "vllm 2", Testbed: "node-1/"}, {Point: "another"}, {Side: "x"}, {Bounded: true}, {Last: 3},
			{Since: time.Unix(0, 1e18+5e13)}, {Since: time.Unix(0, 1e18+5e13), Testbed: "node-2/x", Last: 2, Bounded: true},
		} {
			f.Workload = workload
			got, err := w.seriesOf(t.Context(), "ttft.v2", "p50", f)
			must(t, err)
			if want := seriesPlainly(t, w, "ttft.v2", "p50", f); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v gives\n%+v\nwant\n%+v", f, got, want)
			}
			found += len(got)
		}
	}
	if found < 100 {
		t.Errorf("only %d series were compared", found)
	}
}

// A frontier has the newest run that counts of each series, and every result of it that is
// asked for, once and in order. Where the newest is retracted, the one before it counts.
func TestFrontierIsThePlainOne(t *testing.T) {
	w := crowded(t)
	wanted := []string{"ttft.v2:p50", "output_throughput.v1:value", "ttft.v2:p50", "e2e.v2:p99", "none.v1:p50", "none"}
	for range 3 {
		var newest []RunRow
		rows, err := w.db.Query(`SELECT ` + runColumns + ` FROM current_run r WHERE r.status = 'completed' AND coalesce(r.worst_finding, '') <> 'void' ORDER BY r.created_ns DESC, r.artifact_manifest_digest`)
		must(t, err)
		all, err := gather(rows, scanRun)
		must(t, err)
		series := func(r RunRow) [3]string { return [3]string{r.Workload, r.System, r.Testbed} }
		for _, r := range all {
			if !slices.ContainsFunc(newest, func(n RunRow) bool { return series(n) == series(r) && !n.Created.Equal(r.Created) }) {
				newest = append(newest, r)
			}
		}
		newest = newest[:min(len(newest), 40)]
		var want []Figure
		for _, r := range newest {
			rows, err := w.db.Query(`SELECT `+figureColumns+` FROM metric_fact f NOT INDEXED WHERE f.artifact_manifest_digest = ? AND f.value IS NOT NULL
				AND f.metric || ':' || f.statistic IN ('ttft.v2:p50', 'output_throughput.v1:value', 'e2e.v2:p99') ORDER BY f.point, f.side, f.metric, f.statistic`, r.Digest)
			must(t, err)
			some, err := gather(rows, scanFigure)
			must(t, err)
			want = append(want, some...)
		}
		runs, figures, err := w.Frontier(t.Context(), RunFilter{}, wanted)
		must(t, err)
		if !reflect.DeepEqual(runs, newest) || !reflect.DeepEqual(figures, want) || len(runs) < 10 || len(figures) < 20 {
			t.Fatalf("the frontier has %d runs and %d results\n%+v\n%+v\nwant %d and %d\n%+v\n%+v", len(runs), len(figures), runs, figures, len(newest), len(want), newest, want)
		}
		_, err = w.Decide(t.Context(), Decision{Mark: acts.Retracted, Run: runs[0].Digest, Why: "x", At: time.Now()})
		must(t, err)
	}
}

// What was found is remembered for the same values alone: a run that is kept, retracted or
// accepted is seen at once, and nothing that somebody does with an answer is remembered.
func TestMemo(t *testing.T) {
	w := crowded(t)
	ask := func() History {
		h, err := w.watched(t.Context(), Filter{Metric: "ttft"}, Detection{Seed: 1, Alpha: .9})
		must(t, err)
		return h
	}
	afresh := func() History {
		w.found = memo[[]Change]{}
		return ask()
	}
	first := afresh()
	if again := ask(); !reflect.DeepEqual(first, again) {
		t.Errorf("asked again, it is\n%+v\nwant\n%+v", again, first)
	}
	for _, s := range ask().Series {
		for i := range s.Changes {
			s.Changes[i] = Change{Unknown: "somebody else's"}
		}
	}
	if again := ask(); !reflect.DeepEqual(first, again) {
		t.Errorf("after somebody wrote into an answer, it is\n%+v\nwant\n%+v", again, first)
	}
	longest := slices.MaxFunc(first.Series, func(a, b Series) int { return len(a.Values) - len(b.Values) })
	for _, mark := range []string{acts.Accepted, acts.Retracted, acts.Restored} {
		before := ask()
		_, err := w.Decide(t.Context(), Decision{Mark: mark, Run: longest.Values[0].Digest, Why: "x", At: time.Now()})
		must(t, err)
		got := ask()
		if want := afresh(); !reflect.DeepEqual(got, want) || reflect.DeepEqual(got, before) {
			t.Errorf("after a run was %s, it is\n%+v\nwant\n%+v", mark, got, want)
		}
	}
	must(t, w.Remember(t.Context()))
	want := ask()
	if got, err := reader(t, w.dir).watched(t.Context(), Filter{Metric: "ttft"}, Detection{Seed: 1, Alpha: .9, Between: func() error { return errors.New("it is searched for again") }}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read from the catalogue, %v, it is\n%+v\nwant\n%+v", err, got, want)
	}
	for i := range 3 * mostRemembered {
		w.found.keep(Detection{}.of([]float64{float64(i)}), nil, 0)
	}
	if n := len(w.found.young) + len(w.found.old); n > mostRemembered {
		t.Errorf("%d series are remembered, want at most %d", n, mostRemembered)
	}
}

// However many ask at the same time, few connections answer all of them.
func TestReadersTakeTurns(t *testing.T) {
	dir := t.TempDir()
	keep(t, writer(t, dir), sealed(t, "run-0", 1, machine("570")))
	w, err := Open(t.Context(), dir)
	must(t, err)
	defer w.Close()
	faults := make(chan error, 300)
	for range cap(faults) {
		go func() {
			_, detail := w.Detail(t.Context(), "run-0")
			_, _, frontier := w.Frontier(t.Context(), RunFilter{}, []string{"ttft.v2:p50"})
			_, history := w.History(t.Context(), Filter{Metric: "ttft"}, Detection{}, options)
			_, query := w.Query(t.Context(), "SELECT count(*) FROM metric_fact", Limit{Sound: true, Time: time.Hour})
			faults <- errors.Join(detail, frontier, history, query)
		}()
	}
	for range cap(faults) {
		must(t, <-faults)
	}
	if n := w.db.Stats().OpenConnections; n > MostReaders() {
		t.Errorf("%d connections are open, want at most %d", n, MostReaders())
	}
}
