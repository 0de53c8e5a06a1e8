package engines

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"assay/analysis/scene"
	"assay/judge"
	"assay/record"
	"assay/warehouse"
)

const document = `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: nightly},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2, 4]}, trials: {minReplicates: 3}}}`

// filled is a warehouse with two real runs, and copies of the first over several days, with
// names, numbers and nulls that engines read differently where they can.
func filled(t testing.TB, copies int) *warehouse.Warehouse {
	t.Helper()
	dir := t.TempDir()
	w, err := warehouse.OpenWriter(t.Context(), dir)
	must(t, err)
	keepScene(t, w, "run-a", 1, "570.1")
	keepScene(t, w, "run-b", 1.5, "580.2")
	must(t, w.Close())
	grow(t, dir, copies)
	w, err = warehouse.OpenWriter(t.Context(), dir)
	must(t, err)
	for _, d := range []warehouse.Decision{
		{Mark: "retracted", Run: "run-3"}, {Mark: "retracted", Run: "run-5"}, {Mark: "restored", Run: "run-5"},
		{Mark: "superseded", Run: "run-7", Instead: "run-8"}, {Mark: "accepted", Run: "run-9"},
	} {
		d.Why, d.By, d.At = "it's \"so\"; — 'quoted'\n\tand ünïcode", "somebody", time.Now()
		_, err := w.Decide(t.Context(), d)
		must(t, err)
	}
	must(t, w.Refresh(t.Context()))
	must(t, w.Close())
	w, err = warehouse.Open(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { must(t, w.Close()) })
	return w
}

func keepScene(t testing.TB, w *warehouse.Warehouse, id string, slow float64, driver string) {
	t.Helper()
	env := record.Environment{}
	env.Set("host.name", "node-1")
	env.Set("server.engine", "vllm")
	env.Set("gpu.driver", driver)
	env.Set("gpu.count", 8)
	env.Set("gpu.0.model", "H200")
	dir := filepath.Join(t.TempDir(), id)
	_, err := scene.Run{
		Dir: dir, ID: id, Document: document, Environment: env,
		Launches: []scene.Launch{{Slow: slow, Requests: 8}, {Slow: slow * 1.01, Requests: 8}, {Slow: slow * .99, Requests: 8}},
	}.Build(t.Context())
	must(t, err)
	j, err := judge.Open(dir, judge.Options{Version: "test"})
	must(t, err)
	_, err = w.Keep(t.Context(), j, time.Now())
	must(t, err)
}

// grow has the catalogue hold copies of run-a: on other days, of other names and models, some
// failed, some without values.
func grow(t testing.TB, dir string, n int) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "catalogue.db"))
	must(t, err)
	defer db.Close()
	copied := map[string]string{
		"artifact_manifest_digest": `'sha256:' || printf('%016x', i * 2654435761 * 65537) || printf('%048x', i)`, "run_id": `'run-' || i`,
		"name": `CASE i % 3 WHEN 0 THEN 'nightly' WHEN 1 THEN 'it''s "odd"; -- \ née' ELSE 'Zebra' END`, "status": `CASE WHEN i % 5 = 0 THEN 'failed' ELSE 'completed' END`,
		"day": `date('2026-03-01', '+' || (i % 7) || ' days')`, "created_ns": `1772323200000000000 + (i % 7) * 86400000000000 + i`,
		"node_name": `CASE WHEN i % 2 = 0 THEN 'node-' || (i % 4) END`, "bytes": `9007199254740993 + i`, "model": `CASE i % 2 WHEN 0 THEN 'm' ELSE '' END`,
		"fact": `fact + 100000 + i * 1000`, "value": `CASE WHEN (i + rowid) % 11 = 0 THEN NULL ELSE value * (1 + 0.013 * (i * 7919 % 200) / 100.0) END`,
		"low": `CASE WHEN i % 4 = 0 THEN NULL ELSE low END`, "message": `message || ' ' || i`,
	}
	for _, table := range []string{"benchmark_run_fact", "launch_fact", "metric_fact", "launch_metric_fact", "finding_fact", "claim_fact", "artifact_lineage_dim"} {
		var names, values []string
		rows, err := db.Query(`SELECT name FROM pragma_table_info(?)`, table)
		must(t, err)
		for rows.Next() {
			var name string
			must(t, rows.Scan(&name))
			names = append(names, name)
			value := copied[name]
			if value == "" || table == "launch_metric_fact" && name == "value" {
				value = name
			}
			values = append(values, value)
		}
		must(t, rows.Err())
		of := `artifact_manifest_digest = (SELECT artifact_manifest_digest FROM benchmark_run_fact WHERE run_id = 'run-a')`
		from := fmt.Sprintf(`(SELECT *, rowid AS rowid FROM %s WHERE %s)`, table, of)
		if table == "launch_metric_fact" {
			from = fmt.Sprintf(`(SELECT *, 0 AS rowid FROM launch_metric_fact WHERE fact IN (SELECT fact FROM metric_fact WHERE %s))`, of)
		} else if table != "benchmark_run_fact" && table != "metric_fact" {
			from = fmt.Sprintf(`(SELECT *, 0 AS rowid FROM %s WHERE %s)`, table, of)
		}
		_, err = db.Exec(fmt.Sprintf(`WITH RECURSIVE count(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM count WHERE i < %d)
			INSERT INTO %s (%s) SELECT %s FROM count, %s`, n, table, strings.Join(names, ", "), strings.Join(values, ", "), from))
		if err != nil {
			t.Fatalf("%s: %v", table, err)
		}
	}
	_, err = db.Exec(`INSERT OR IGNORE INTO stale SELECT DISTINCT day, workload_spec_digest FROM benchmark_run_fact`)
	must(t, err)
}
