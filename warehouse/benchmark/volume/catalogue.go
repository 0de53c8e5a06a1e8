package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // the catalogue is filled without its bundles

	"assay/analysis/scene"
	"assay/judge"
	"assay/record"
	"assay/warehouse"
)

const document = `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: nightly},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [1, 2, 4, 8]}, trials: {minReplicates: 3}}}`

// pageAim is how long a question of the dashboard may take.
const pageAim = 50 * time.Millisecond

// benchCatalogue fills a catalogue and asks it what the pages of the dashboard ask.
func benchCatalogue(ctx context.Context, o options, dir string) (lines []line, err error) {
	begun := time.Now()
	w, err := fill(ctx, o, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	counted, err := w.Query(ctx, `SELECT (SELECT count(*) FROM benchmark_run_fact), (SELECT count(*) FROM metric_fact), (SELECT count(*) FROM launch_metric_fact)`, warehouse.Limit{})
	if err != nil {
		return nil, err
	}
	n := counted.Rows[0]
	lines = append(lines, line{what: fmt.Sprintf("catalogue of %v runs, %v facts, %v values of launches: made, indexed and written as Parquet", n[0], n[1], n[2]), seen: fmt.Sprintf("%.0f s", time.Since(begun).Seconds())})
	for _, part := range []string{"catalogue.db", "tables"} {
		size, err := sizeOf(filepath.Join(dir, part))
		if err != nil {
			return nil, err
		}
		lines = append(lines, line{what: part + " on the disk", seen: fmt.Sprintf("%.0f MB, %.1f kB a run", float64(size)/1e6, float64(size)/1e3/float64(o.runs))})
	}
	points, err := w.Query(ctx, `SELECT DISTINCT point_name FROM metric_fact WHERE metric = 'e2e.v2' ORDER BY 1`, warehouse.Limit{})
	if err != nil || len(points.Rows) < 2 {
		return nil, fmt.Errorf("%d points have a latency: %w", len(points.Rows), err)
	}
	for _, q := range pages(ctx, w, dir, fmt.Sprint(points.Rows[1][0])) {
		took, spent, err := middle(o.rounds, q)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.what, err)
		}
		l := line{what: q.what, seen: fmt.Sprintf("%.1f ms, %.1f ms of processor time", float64(took.Microseconds())/1e3, float64(spent.Microseconds())/1e3)}
		if !q.beside {
			l.aim, l.missed = fmt.Sprintf("≤ %v", pageAim), took > pageAim
		}
		lines = append(lines, l)
	}
	look, err := lookAfterRun(ctx, dir)
	if err != nil {
		return nil, err
	}
	lines = append(lines, look)
	_, took, _, err := askDuckDB(ctx, o, w, `SELECT day, count(*), quantile_cont(ttft_p99_s, 0.5) FROM serving_outcome_fact GROUP BY day ORDER BY day`)
	if err != nil {
		return lines, err
	}
	return append(lines, line{what: "median of TTFT p99 by day, over the Parquet tables by DuckDB", seen: fmt.Sprintf("%.2f s", took.Seconds())}), nil
}

type page struct {
	what   string
	ask    func() error
	before func() error // each time, and not counted; nil for nothing
	beside bool         // the server asks by itself, and nobody waits
}

// pages are the questions of server and of assay history, by what they are asked for.
func pages(ctx context.Context, w *warehouse.Warehouse, dir, point string) []page {
	runs := func(f warehouse.RunFilter) func() error {
		return func() error { _, _, err := w.Runs(ctx, f); return err }
	}
	frontier := []string{"e2e.v2:p99", "output_throughput.v1:value"}
	list := []page{
		{what: "overview: the newest runs", ask: runs(warehouse.RunFilter{Rows: 12})},
		{what: "overview: runs since yesterday", ask: runs(warehouse.RunFilter{Since: time.Now().Add(-24 * time.Hour), Status: "completed", Rows: 1})},
		{what: "runs: the first page", ask: runs(warehouse.RunFilter{})},
		{what: "runs: the last page", ask: runs(warehouse.RunFilter{Skip: 9_900})},
		{what: "runs: a text in them", ask: runs(warehouse.RunFilter{Text: "nightly-3"})},
		{what: "runs: a machine and a date", ask: runs(warehouse.RunFilter{Testbed: "node-1", Since: time.Now().AddDate(0, -3, 0)})},
		{what: "runs: a thousand at once", ask: runs(warehouse.RunFilter{Rows: 1000})},
		{what: "runs: what there is to choose from", ask: func() error { _, err := w.Choices(ctx); return err }},
		{what: "one run, by its id", ask: func() error { _, err := w.Detail(ctx, "run-77"); return err }},
		{what: "frontier", ask: func() error { _, _, err := w.Frontier(ctx, warehouse.RunFilter{}, frontier); return err }},
		{what: "machines", ask: func() error { _, err := w.Testbeds(ctx); return err }},
		{what: "lineage of a number", ask: func() error { return unlessNone(w.Lineage(ctx, "12.3 ms")) }},
	}
	for _, h := range []struct {
		what string
		of   warehouse.Filter
	}{
		{"history of one series", warehouse.Filter{Metric: "e2e", Workload: "nightly-3", Testbed: "node-1", Point: point}},
		{"history of a workload on a machine, every point", warehouse.Filter{Metric: "e2e", Workload: "nightly-3", Testbed: "node-1"}},
		{"history of one series that changed", changed(point)},
		{"history of a workload on every machine, its newest 50 runs", warehouse.Filter{Metric: "ttft:p99", Workload: "nightly-5", Point: point, Last: 50}},
	} {
		ask := history(ctx, h.of)
		list = append(list, page{what: h.what, ask: func() error { return ask(w) }}, page{what: h.what + ", opened anew: changes are read from the catalogue", ask: anew(ctx, dir, ask), before: anew(ctx, dir, ask)})
	}
	return append(list, looks(ctx, w, dir, point)...)
}

// changed is the series that changed, of one point.
func changed(point string) warehouse.Filter {
	return warehouse.Filter{Metric: "e2e", Workload: "nightly-7", Testbed: "node-1", Point: point}
}

func history(ctx context.Context, f warehouse.Filter) func(*warehouse.Warehouse) error {
	return func(w *warehouse.Warehouse) error {
		_, err := w.History(ctx, f, warehouse.Detection{Seed: 1}, judge.Options{})
		return err
	}
}

// anew opens the warehouse for each question, as a new process does, and leaves behind what
// it found.
func anew(ctx context.Context, dir string, ask func(*warehouse.Warehouse) error) func() error {
	return func() error {
		w, err := warehouse.Open(ctx, dir)
		if err != nil {
			return err
		}
		err = ask(w)
		return errors.Join(err, w.Remember(ctx), w.Close())
	}
}

func unlessNone(_ warehouse.Lineage, err error) error {
	if errors.Is(err, warehouse.ErrNoLineage) {
		return nil
	}
	return err
}

// middle is the median time of some rounds, and the median of what the processor spent on
// them, which says more where others use it too.
func middle(rounds int, q page) (took, spent time.Duration, err error) {
	var walls, costs []time.Duration
	for range rounds {
		if q.before != nil {
			if err := q.before(); err != nil {
				return 0, 0, err
			}
		}
		begun, before := time.Now(), processor(syscall.RUSAGE_SELF)
		if err := q.ask(); err != nil {
			return 0, 0, err
		}
		walls, costs = append(walls, time.Since(begun)), append(costs, processor(syscall.RUSAGE_SELF)-before)
	}
	slices.Sort(walls)
	slices.Sort(costs)
	return walls[rounds/2], costs[rounds/2], nil
}

// processor is the time that this process, or the programs that it has called, had of it.
func processor(who int) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// fill keeps one run, and then copies of its rows: as many runs as are asked for, five minutes
// apart, of ten workloads on four machines, and about a hundred facts for each.
func fill(ctx context.Context, o options, dir string) (*warehouse.Warehouse, error) {
	w, err := warehouse.OpenWriter(ctx, dir)
	if err != nil {
		return nil, err
	}
	there, err := w.Digests(ctx)
	if err == nil && len(there) == 0 {
		err = keepOne(ctx, w, filepath.Join(dir, "run-a"))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	if len(there) == 0 {
		if err := grow(ctx, filepath.Join(dir, "catalogue.db"), o.runs); err != nil {
			return nil, err
		}
	}
	if w, err = warehouse.OpenWriter(ctx, dir); err != nil {
		return nil, err
	}
	if err := errors.Join(w.Refresh(ctx), w.Close()); err != nil {
		return nil, err
	}
	return warehouse.Open(ctx, dir)
}

func keepOne(ctx context.Context, w *warehouse.Warehouse, dir string) error {
	env := record.Environment{}
	env.Set("host.name", "node-1")
	env.Set("server.engine", "vllm")
	if _, err := (scene.Run{Dir: dir, ID: "run-a", Document: document, Environment: env, Launches: scene.Launches(scene.Noise(3, 1, .01, 1))}).Build(ctx); err != nil {
		return err
	}
	j, err := judge.Open(dir, judge.Options{Version: "benchmark"})
	if err != nil {
		return err
	}
	if _, err := w.Keep(ctx, j, time.Now()); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// copied is what stands in a column of the copy with the number i.
var copied = map[string]string{
	"artifact_manifest_digest": `'sha256:' || printf('%016x', i * 2654435761 * 65537) || printf('%048x', i)`, "run_id": `'run-' || i`, "name": `'nightly-' || (i % 10)`,
	"testbed": `'node-' || (i / 10 % 4)`, "created_ns": `now - i * 300000000000`, "day": `date((now - i * 300000000000) / 1000000000, 'unixepoch')`, "worst_finding": `''`,
	"workload_spec_digest": `'sha256:' || printf('%012d', i % 10)`, "fact": `fact + i * 1000`, "value": `value * (1 + 0.01 * ((i * 7919 % 200) / 100.0 - 1)) * iif(i % 10 = 7 AND i < 600, 1.05, 1)`, // nightly-7 changed
}

func grow(ctx context.Context, path string, runs int) (err error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(OFF)&_pragma=foreign_keys(0)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	const of = `artifact_manifest_digest = (SELECT artifact_manifest_digest FROM benchmark_run_fact WHERE run_id = 'run-a')`
	// The first facts, of the first points, until there are about a hundred.
	const facts = of + ` AND (fact <= (SELECT min(fact) + 110 FROM metric_fact) OR metric LIKE 'e2e%' OR metric LIKE 'ttft.%' OR metric LIKE 'output_throughput%')`
	db.SetMaxOpenConns(1) // which has the temporary tables
	var tables []warehouse.Table
	for _, t := range warehouse.Tables {
		where := map[string]string{"metric_fact": facts, "launch_metric_fact": `fact IN (SELECT fact FROM metric_fact WHERE ` + facts + `)`}[t.Name]
		switch {
		case t.Shared || !t.OfRuns():
			continue
		case where == "":
			where = of
		}
		if _, err := db.ExecContext(ctx, fmt.Sprintf(`CREATE TEMP TABLE one_%s AS SELECT * FROM %s WHERE %s`, t.Name, t.Name, where)); err != nil {
			return err
		}
		tables = append(tables, t)
	}
	for _, t := range tables {
		var values []string
		for _, name := range t.Names() {
			value := copied[name]
			if value == "" || t.Name == "launch_metric_fact" && name == "value" {
				value = name
			}
			values = append(values, value)
		}
		if _, err := db.ExecContext(ctx, fmt.Sprintf(`WITH RECURSIVE count(i, now) AS (SELECT 1, %d UNION ALL SELECT i + 1, now FROM count WHERE i < %d)
			INSERT INTO %s (%s) SELECT %s FROM count CROSS JOIN one_%s`,
			time.Now().UnixNano(), runs-1, t.Name, strings.Join(t.Names(), ", "), strings.Join(values, ", "), t.Name)); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	_, err = db.ExecContext(ctx, `INSERT OR IGNORE INTO stale SELECT DISTINCT day, workload_spec_digest FROM benchmark_run_fact`)
	return err
}
