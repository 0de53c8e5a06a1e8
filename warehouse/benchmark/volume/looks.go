package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"assay/warehouse"
)

// coarse is an alpha at which a series that changed takes some ten thousand arrangements,
// however many are looked at. What reading and remembering cost is the same at every alpha.
const coarse = .99

// looks are the questions about every watched series, which the server asks beside requests,
// those of the alerts, and what a series that changed costs after a run of it.
func looks(ctx context.Context, w *warehouse.Warehouse, dir, point string) []page {
	look := func(w *warehouse.Warehouse) error {
		_, err := w.Watch(ctx, warehouse.WatchedMetrics, warehouse.Detection{Seed: 1, Alpha: coarse})
		return err
	}
	first := history(ctx, changed(point))
	return []page{
		{what: "every watched series, opened anew: changes are read from the catalogue", ask: anew(ctx, dir, look), before: anew(ctx, dir, look), beside: true},
		{what: "every watched series", ask: func() error { return look(w) }, before: func() error { return look(w) }, beside: true},
		{what: "alerts, with what was decided about them", ask: func() error { _, err := w.Alerts(ctx); return err }},
		{what: "history of one series that changed, first look after a new run: it is searched", ask: func() error { return first(w) }, before: func() error { return addRun(ctx, filepath.Join(dir, "catalogue.db")) }},
	}
}

// lookTime is for how long every watched series is searched.
const lookTime = 20 * time.Second

// errLookTime ends the search.
var errLookTime = errors.New("the time is over")

// lookAfterRun searches every watched series as the server does, remembering nothing, for as
// long as it may, and says how much there is to do.
func lookAfterRun(ctx context.Context, dir string) (l line, err error) {
	w, err := warehouse.Open(ctx, dir)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	known, err := w.Watch(ctx, warehouse.WatchedMetrics, warehouse.Detection{Seed: 1, Alpha: coarse}) // from the catalogue
	if err != nil {
		return l, err
	}
	changed := 0
	for _, s := range known {
		if len(s.Changes) > 0 {
			changed++
		}
	}
	arrangements := 0
	begun, before := time.Now(), processor(syscall.RUSAGE_SELF)
	_, err = w.Watch(ctx, warehouse.WatchedMetrics, warehouse.Detection{Seed: 1, Between: func() error {
		if arrangements++; time.Since(begun) > lookTime {
			return errLookTime
		}
		return nil
	}})
	spent := processor(syscall.RUSAGE_SELF) - before
	l.what = fmt.Sprintf("every watched series at the server's alpha, nothing remembered: %d of %d series changed", changed, len(known))
	l.seen = fmt.Sprintf("%.1f s, %.1f s of processor time, %d arrangements", time.Since(begun).Seconds(), spent.Seconds(), arrangements)
	if errors.Is(err, errLookTime) {
		l.seen += ", broken off"
		err = nil
	}
	return l, err
}

// addRun adds a copy of the newest run of the series that changed, a minute later and a little
// different.
func addRun(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(30000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var n int // of those that were added before, in a warehouse that stays too
	if err := db.QueryRowContext(ctx, `SELECT count(*) + 1 FROM benchmark_run_fact WHERE run_id LIKE 'late-%'`).Scan(&n); err != nil {
		return err
	}
	const of = `artifact_manifest_digest = (SELECT artifact_manifest_digest FROM benchmark_run_fact WHERE name = 'nightly-7' AND testbed = 'node-1' AND run_id NOT LIKE 'late-%' ORDER BY created_ns DESC LIMIT 1)`
	late := map[string]string{
		"artifact_manifest_digest": fmt.Sprintf(`'sha256:' || printf('%%064x', %d)`, n), "run_id": fmt.Sprintf("'late-%d'", n),
		"created_ns": fmt.Sprintf(`created_ns + %d`, int64(n)*time.Minute.Nanoseconds()), "fact": "NULL", "value": fmt.Sprintf("value * %v", 1+.001*float64(n%5)),
	}
	for _, t := range warehouse.Tables {
		if t.Name != "benchmark_run_fact" && t.Name != "metric_fact" { // series are made of these
			continue
		}
		var values []string
		for _, name := range t.Names() {
			values = append(values, cmp.Or(late[name], name))
		}
		if _, err := db.ExecContext(ctx, fmt.Sprintf(`INSERT INTO %s (%s) SELECT %s FROM %s WHERE %s`, t.Name, strings.Join(t.Names(), ", "), strings.Join(values, ", "), t.Name, of)); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return nil
}
