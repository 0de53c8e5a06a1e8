package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/bundle"
	"assay/judge"
)

// A Kept says what became of a bundle.
type Kept struct {
	RunID  string        `json:"runID"`
	Digest string        `json:"digest"`
	Status bundle.Status `json:"status"`
	Dir    string        `json:"dir"` // of the copy
	New    bool          `json:"new"` // false where it was kept before
}

// Keep stores the bundle of a judgement and adds it to the catalogue. What was kept
// before stays as it is. When Keep returns without an error, the bundle and its rows are
// on the disk; when it does not return, the next writer finds nothing half.
//
// The judgement is of the bundle that is copied, and the copy is verified by itself, so
// a bundle that changes meanwhile is refused.
func (w *Warehouse) Keep(ctx context.Context, j *judge.Judgement, now time.Time) (Kept, error) {
	m := j.Bundle.Manifest
	kept := Kept{RunID: m.RunID, Digest: m.Digest, Status: m.Status, Dir: w.place(m.Digest)}
	if j.Bundle.Seal == nil || !j.Bundle.Seal.Verified {
		return kept, fmt.Errorf("%s does not verify and is not kept", j.Bundle.Dir)
	}
	known, err := w.knows(ctx, m.Digest)
	if err != nil || known {
		return kept, err
	}
	if err := w.store(ctx, j.Bundle.Dir, kept.Dir, m.Digest); err != nil {
		return kept, fmt.Errorf("keep %s: %w", m.RunID, err)
	}
	kept.New = true
	return kept, w.index(ctx, j, now)
}

func (w *Warehouse) knows(ctx context.Context, digest string) (bool, error) {
	var n int
	err := w.db.QueryRowContext(ctx, `SELECT count(*) FROM benchmark_run_fact WHERE artifact_manifest_digest = ?`, digest).Scan(&n)
	return n > 0, err
}

// store copies the bundle to its place, unless it is there already because a process was
// killed before the catalogue knew it.
func (w *Warehouse) store(ctx context.Context, from, to, digest string) error {
	if _, err := os.Lstat(to); err != nil {
		if err := bundle.Copy(ctx, from, to); err != nil {
			return err
		}
		// The folder of the first two digits may be new as well.
		if err := syncDir(filepath.Dir(filepath.Dir(to))); err != nil {
			return err
		}
	}
	r, err := bundle.Verify(to)
	if err == nil && (!r.Verified || r.Digest != digest) {
		err = fmt.Errorf("%s is not the bundle that was sealed with this digest: remove it and keep the bundle again", to)
	}
	return err
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Stored lists the folders of bundles that the catalogue does not know, because a process
// was killed or the catalogue was lost. Each can be kept again from its place.
func (w *Warehouse) Stored(ctx context.Context) ([]string, error) {
	all, err := filepath.Glob(filepath.Join(escapedGlob(w.dir), bundlesDir, "??", "[0-9a-f]*"))
	if err != nil {
		return nil, err
	}
	var list []string
	for _, dir := range all {
		known, err := w.knows(ctx, "sha256:"+filepath.Base(dir))
		if err != nil {
			return nil, err
		}
		if !known {
			list = append(list, dir)
		}
	}
	return list, nil
}

// A Run is a row of the catalogue, as far as commands name runs by it.
type Run struct {
	Digest  string    `json:"digest"`
	RunID   string    `json:"runID"`
	Name    string    `json:"name"`
	Status  string    `json:"status"`
	Created time.Time `json:"created"`
}

// Find is the run with an id, a digest or the beginning of one.
func (w *Warehouse) Find(ctx context.Context, name string) (Run, error) {
	digest := "sha256:" + strings.TrimPrefix(name, "sha256:")
	rows, err := w.db.QueryContext(ctx, `SELECT artifact_manifest_digest, run_id, name, status, created_ns FROM benchmark_run_fact
		WHERE run_id = ? OR substr(artifact_manifest_digest, 1, ?) = ? LIMIT 3`, name, len(digest), digest)
	if err != nil {
		return Run{}, err
	}
	list, err := gather(rows, func(rows *sql.Rows) (r Run, err error) {
		var ns int64
		err = rows.Scan(&r.Digest, &r.RunID, &r.Name, &r.Status, &ns)
		r.Created = time.Unix(0, ns).UTC()
		return r, err
	})
	switch {
	case err != nil:
		return Run{}, err
	case len(list) == 0:
		return Run{}, fmt.Errorf("%w %q: want a run id, a digest or the beginning of one (assay query 'SELECT run_id FROM benchmark_run_fact')", ErrUnknownRun, name)
	case len(list) > 1:
		return Run{}, fmt.Errorf("%w: %q %w, of digests %s and %s: write more of the digest", ErrUnknownRun, name, ErrSeveralRuns, short(list[0].Digest), short(list[1].Digest))
	}
	return list[0], nil
}

// ErrUnknownRun says that no run, or no single one, has a name.
var ErrUnknownRun = errors.New("no such run in the warehouse")

// ErrSeveralRuns says that a name is that of more than one.
var ErrSeveralRuns = errors.New("fits several runs")

// Bundle is the folder of the bundle of a run, by id, digest or the beginning of one.
func (w *Warehouse) Bundle(ctx context.Context, name string) (string, error) {
	run, err := w.Find(ctx, name)
	if err != nil {
		return "", err
	}
	return w.folder(run.Digest)
}

// folder is where a bundle is kept, or why it is not.
func (w *Warehouse) folder(digest string) (string, error) {
	dir := w.place(digest)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the bundle %s is not in the warehouse any more: retention dropped it", short(digest))
	}
	return dir, nil
}

// gather reads all rows.
func gather[T any](rows *sql.Rows, scan func(*sql.Rows) (T, error)) ([]T, error) {
	defer rows.Close() // its error is that of rows.Err
	var list []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}
