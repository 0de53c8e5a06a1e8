package warehouse

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/suite/acts"
)

// schemaOf is every table, index and view of a catalogue, as it was declared.
func schemaOf(t *testing.T, w *Warehouse) (list []string) {
	t.Helper()
	a, err := w.Query(t.Context(), `SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY 1, 2`, Limit{})
	must(t, err)
	for _, row := range a.Rows {
		list = append(list, strings.Join(strings.Fields(fmt.Sprint(row...)), " "))
	}
	return list
}

// addRun puts a row of a run into a catalogue of any version.
func addRun(t *testing.T, w *Warehouse) {
	t.Helper()
	rows, err := w.db.Query(`SELECT name, type FROM pragma_table_info('benchmark_run_fact')`)
	must(t, err)
	var names, values []string
	for rows.Next() {
		var name, kind string
		must(t, rows.Scan(&name, &kind))
		names, values = append(names, name), append(values, map[string]string{"TEXT": "'old'", "INTEGER": "7"}[kind])
	}
	must(t, rows.Err())
	_, err = w.db.Exec(fmt.Sprintf(`INSERT INTO benchmark_run_fact (%s) VALUES (%s)`, strings.Join(names, ", "), strings.Join(values, ", ")))
	must(t, err)
}

// A catalogue of every version that was released becomes one of this version, the same as one
// that is made now, with the runs that it has; a bundle can be kept in it, and what is found
// there is remembered.
func TestMigratesFromEveryVersion(t *testing.T) {
	all := migrations
	defer func() { migrations = all }()
	want := schemaOf(t, writer(t, t.TempDir()))
	for from := 1; from < len(all); from++ {
		dir := t.TempDir()
		migrations = all[:from]
		w, err := OpenWriter(t.Context(), dir)
		must(t, err)
		addRun(t, w)
		must(t, w.Close())
		migrations = all
		if _, err := Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "the next assay keep brings it there") {
			t.Errorf("version %d was opened by one who reads: %v", from, err)
		}
		w = writer(t, dir)
		if got := schemaOf(t, w); !slices.Equal(got, want) {
			t.Errorf("from version %d it has become\n%s\nwant\n%s", from, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		keep(t, w, sealed(t, "new", 1, machine("570")))
		if got := ask(t, w, `SELECT group_concat(run_id, ' ') FROM (SELECT run_id FROM benchmark_run_fact ORDER BY 1)`); got != "new old" {
			t.Errorf("from version %d it has the runs %s, want new old", from, got)
		}
		w.fresh.add(memoKey{}, nil)
		must(t, w.Remember(t.Context()))
		if got := ask(t, w, `SELECT count(*) FROM found_change`); got != "1" {
			t.Errorf("from version %d it remembers %s searches, want one", from, got)
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
		`DROP TABLE alert`, `DROP TABLE unlooked`, `DROP TABLE found_change`, `DROP INDEX run_by_partition`, `DROP INDEX act_by_run`, `DROP INDEX run_by_creation`, `DROP INDEX run_by_series`, `DROP INDEX run_by_system`, `DROP INDEX run_by_testbed`, `DROP INDEX run_by_model`, `DROP INDEX run_by_status`,
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

// A catalogue of the version before gets its dimensions as texts, and its Parquet tables
// are written again.
func TestThirdMigration(t *testing.T) {
	dir := t.TempDir()
	all := migrations
	migrations = all[:2]
	w, err := OpenWriter(t.Context(), dir)
	migrations = all
	must(t, err)
	_, err = w.db.Exec(`INSERT INTO dimension VALUES ('sha256:t', 'topology', '{"gpu_count": 8, "gpu_model": "H200"}')`)
	must(t, err)
	must(t, w.Close())
	w = writer(t, dir)
	if got := ask(t, w, `SELECT typeof(gpu_count) || ' ' || gpu_count || ' ' || gpu_model || ' ' || coalesce(nic, 'no') FROM hardware_topology_dim`); got != "text 8 H200 no" {
		t.Errorf("the dimension is %s", got)
	}
}
