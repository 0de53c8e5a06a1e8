package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Tiers says how long things are kept. The zero value is the contract's.
type Tiers struct {
	Hot  time.Duration // whole; zero means 30 days
	Warm time.Duration // with the rows of single launches in the catalogue; zero means 180 days
	Cold time.Duration // as a bundle; zero means 730 days
}

const aDay = 24 * time.Hour

func (t Tiers) withDefaults() (Tiers, error) {
	for _, one := range []struct {
		of    *time.Duration
		usual time.Duration
	}{{&t.Hot, 30 * aDay}, {&t.Warm, 180 * aDay}, {&t.Cold, 730 * aDay}} {
		if *one.of == 0 {
			*one.of = one.usual
		}
	}
	if t.Hot < 0 || t.Hot > t.Warm || t.Warm > t.Cold {
		return t, fmt.Errorf("tiers of %v, %v and %v: want each at least as long as the one before", t.Hot, t.Warm, t.Cold)
	}
	return t, nil
}

// The tiers, and what is dropped on the way to the next.
const (
	hot     = "hot"
	warm    = "warm"
	cold    = "cold"
	expired = "expired"

	dropLaunchRows = "launch rows" // of the catalogue and the tables; the bundle has them
	DropBundle     = "bundle"      // the row of the run stays, and says so
)

// A Retained is what retention says about one run.
type Retained struct {
	RunID  string    `json:"runID"`
	Digest string    `json:"digest"`
	Sealed time.Time `json:"sealed"`
	Bytes  int64     `json:"bytes"`
	Tier   string    `json:"tier"`
	Drop   string    `json:"drop,omitempty"` // what is dropped now; empty for nothing
	Held   string    `json:"held,omitempty"` // why nothing of it is ever dropped
}

// Plan says what retention would do at a time, the oldest run first. What was published or
// accepted is held, and so is what it was compared with, however many steps away: a claim
// without its evidence is a rumour.
func (w *Warehouse) Plan(ctx context.Context, t Tiers, now time.Time) ([]Retained, error) {
	t, err := t.withDefaults()
	if err != nil {
		return nil, err
	}
	rows, err := w.db.QueryContext(ctx, `WITH RECURSIVE held (digest, why) AS (
		SELECT artifact_manifest_digest, act || ': ' || why FROM act_fact WHERE act IN ('published', 'accepted', 'promoted')
		UNION SELECT l.baseline_digest, 'baseline of ' || l.run_id FROM artifact_lineage_dim l JOIN held h ON h.digest = l.artifact_manifest_digest WHERE l.baseline_digest <> ''
		UNION SELECT a.instead, 'counts in place of a run that is held' FROM act_fact a JOIN held h ON h.digest = a.artifact_manifest_digest WHERE a.instead <> '')
		SELECT r.run_id, r.artifact_manifest_digest, r.sealed_ns, r.bytes, coalesce((SELECT why FROM held WHERE digest = r.artifact_manifest_digest LIMIT 1), ''),
		EXISTS (SELECT 1 FROM dropped_fact d WHERE d.artifact_manifest_digest = r.artifact_manifest_digest AND d.what = 'launch rows'),
		EXISTS (SELECT 1 FROM dropped_fact d WHERE d.artifact_manifest_digest = r.artifact_manifest_digest AND d.what = 'bundle')
		FROM benchmark_run_fact r ORDER BY r.sealed_ns, r.run_id`)
	if err != nil {
		return nil, err
	}
	return gather(rows, func(rows *sql.Rows) (r Retained, err error) {
		var ns int64
		var noRows, noBundle bool
		if err = rows.Scan(&r.RunID, &r.Digest, &ns, &r.Bytes, &r.Held, &noRows, &noBundle); err != nil {
			return r, err
		}
		r.Sealed = time.Unix(0, ns).UTC()
		r.Tier = t.of(now.Sub(r.Sealed))
		switch {
		case r.Held != "":
		case r.Tier == expired && !noBundle:
			r.Drop = DropBundle
		case (r.Tier == cold || r.Tier == expired) && !noRows:
			r.Drop = dropLaunchRows
		}
		return r, nil
	})
}

// of is the tier of something with an age.
func (t Tiers) of(age time.Duration) string {
	switch {
	case age <= t.Hot:
		return hot
	case age <= t.Warm:
		return warm
	case age <= t.Cold:
		return cold
	}
	return expired
}

// Retain drops what the plan says. The catalogue says first that something is dropped, and
// then it is: a killed process leaves too much, which the next one removes, never a run
// that the catalogue promises and the disk has not.
func (w *Warehouse) Retain(ctx context.Context, plan []Retained, now time.Time) error {
	for _, r := range plan {
		if r.Drop == "" {
			continue
		}
		if err := w.drop(ctx, r, now); err != nil {
			return fmt.Errorf("drop the %s of %s: %w", r.Drop, r.RunID, err)
		}
	}
	return errors.Join(w.removeDropped(ctx), w.Refresh(ctx))
}

func (w *Warehouse) drop(ctx context.Context, r Retained, now time.Time) error {
	return w.inside(ctx, func(tx *sql.Tx) error {
		kinds := []string{dropLaunchRows}
		if r.Drop == DropBundle {
			kinds = append(kinds, DropBundle)
		}
		var err error
		do := func(statement string, args ...any) {
			if err == nil {
				_, err = tx.ExecContext(ctx, statement, args...)
			}
		}
		for _, what := range kinds {
			do(`INSERT OR IGNORE INTO dropped_fact VALUES (?, ?, ?)`, r.Digest, what, now.UnixNano())
		}
		do(`DELETE FROM launch_metric_fact WHERE fact IN (SELECT fact FROM metric_fact WHERE artifact_manifest_digest = ?)`, r.Digest)
		do(`INSERT OR IGNORE INTO stale SELECT day, workload_spec_digest FROM benchmark_run_fact WHERE artifact_manifest_digest = ?`, r.Digest)
		return err
	})
}

// removeDropped removes the bundles that the catalogue says are dropped. Each loses its
// name first, so that nobody finds half of one.
func (w *Warehouse) removeDropped(ctx context.Context) error {
	rows, err := w.db.QueryContext(ctx, `SELECT artifact_manifest_digest FROM dropped_fact WHERE what = ?`, DropBundle)
	if err != nil {
		return err
	}
	list, err := gather(rows, func(rows *sql.Rows) (s string, err error) { return s, rows.Scan(&s) })
	for _, digest := range list {
		dir := w.place(digest)
		if _, missing := os.Lstat(dir); missing != nil {
			continue
		}
		gone := filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+"-dropped")
		err = errors.Join(err, os.Rename(dir, gone), os.RemoveAll(gone))
	}
	return err
}
