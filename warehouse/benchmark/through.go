package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the bundles of a scene measure nothing of the client, which voids them: the catalogue is told otherwise

	"assay/analysis/scene"
	"assay/judge"
	"assay/record"
	"assay/warehouse"
)

const nightly = `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: nightly},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`

// through makes a bundle of every run of a history, keeps them one by one in a warehouse, and reads
// its table of alerts after each. It counts the looks at which the table differs from what
// the function says about the values that the warehouse has, and the alerts that went although
// nobody closed them.
type through struct {
	sync.Mutex
	looks, differ, gone int
	failed              error
}

func (t *through) see(h history) [][]int {
	seen, err := t.keepAll(context.Background(), h)
	if err != nil {
		t.Lock()
		t.failed = errors.Join(t.failed, err)
		t.Unlock()
		return make([][]int, len(h.Values)+1)
	}
	return seen
}

func (t *through) keepAll(ctx context.Context, h history) (seen [][]int, err error) {
	dir, err := os.MkdirTemp("", "assay-through-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	w, err := warehouse.OpenWriter(ctx, filepath.Join(dir, "warehouse"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	seen = [][]int{nil}
	var digests []string
	var before []warehouse.Alert
	for day, value := range h.Values {
		digest, err := keepOne(ctx, w, dir, day, value/100)
		if err != nil {
			return nil, err
		}
		digests = append(digests, digest)
		all, err := w.Alerts(ctx)
		if err != nil {
			return nil, err
		}
		own := slices.DeleteFunc(all, func(a warehouse.Alert) bool { return a.Of.Metric != "ttft.v2" || a.Of.Statistic != "p50" })
		var places []int
		for _, a := range own {
			if a.Pending() {
				places = append(places, slices.Index(digests, a.Run))
			}
		}
		slices.Sort(places)
		seen = append(seen, places)
		if err := t.hold(ctx, w, places, before, own); err != nil {
			return nil, err
		}
		before = own
	}
	return seen, nil
}

// hold compares the alerts of a warehouse with what the function says about its values, and
// with those of the day before.
func (t *through) hold(ctx context.Context, w *warehouse.Warehouse, places []int, before, now []warehouse.Alert) error {
	a, err := w.Query(ctx, `SELECT f.value FROM current_run r JOIN metric_fact f USING (artifact_manifest_digest) WHERE f.metric = 'ttft.v2' AND f.statistic = 'p50' ORDER BY r.created_ns`, warehouse.Limit{})
	if err != nil {
		return err
	}
	var h history
	for _, row := range a.Rows {
		value, is := row[0].(float64)
		if !is {
			return fmt.Errorf("a value of the warehouse is %v", row[0])
		}
		h.Values = append(h.Values, value)
	}
	t.Lock()
	defer t.Unlock()
	t.looks++
	if seen := assay(h); !slices.Equal(seen[len(seen)-1], places) {
		t.differ++
	}
	for _, was := range before {
		if !slices.ContainsFunc(now, func(a warehouse.Alert) bool {
			return a.Run == was.Run && a.SeriesID == was.SeriesID && (a.Pending() || !was.Pending() || a.By != "")
		}) {
			t.gone++
		}
	}
	return nil
}

// keepOne keeps the run of a day, which is so slow.
func keepOne(ctx context.Context, w *warehouse.Warehouse, dir string, day int, slow float64) (digest string, err error) {
	env := record.Environment{}
	env.Set("host.name", "node-1")
	env.Set("server.engine", "vllm")
	bundle := filepath.Join(dir, fmt.Sprintf("night-%02d", day))
	run := scene.Run{Dir: bundle, ID: filepath.Base(bundle), Document: nightly, Environment: env, Begun: time.Now().AddDate(0, 0, day-2*length)}
	for _, factor := range []float64{1, 1.01, .99} {
		run.Launches = append(run.Launches, scene.Launch{Slow: slow * factor, Requests: 8})
	}
	if _, err := run.Build(ctx); err != nil {
		return "", err
	}
	j, err := judge.Open(bundle, judge.Options{Version: "benchmark"})
	if err != nil {
		return "", err
	}
	kept, err := w.Keep(ctx, j, time.Now())
	if err != nil {
		return "", err
	}
	if err := counted(ctx, dir); err != nil {
		return "", err
	}
	return kept.Digest, errors.Join(w.Refresh(ctx), os.RemoveAll(bundle))
}

// counted lets the runs of a warehouse be concluded from.
func counted(ctx context.Context, dir string) (err error) {
	files, err := filepath.Glob(filepath.Join(dir, "warehouse", "catalogue.db"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("the catalogue in %s is %q, %w", dir, files, err)
	}
	db, err := sql.Open("sqlite", "file:"+files[0]+"?_pragma=busy_timeout(30000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, `UPDATE benchmark_run_fact SET worst_finding = ''`)
	return err
}
