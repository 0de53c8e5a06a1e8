// Package warehouse is the memory: every sealed bundle in one folder, by its digest, and
// a catalogue of what they say.
//
//	bundles/ab/abcd…   the bundle whose manifest has the digest abcd…, as it was sealed
//	catalogue.db       SQLite: runs, launches, results, findings, claims, dimensions
//	tables/            the same facts and dimensions as Parquet, by day and workload
//	acts.jsonl         what people decided about runs, each line with the digest of the one before
//
// A bundle is copied, verified and made durable before the catalogue knows it, so what
// the catalogue shows is there and whole, and a killed process leaves nothing half. The
// catalogue and the tables follow from bundles and acts and can be made again from them.
// Nothing in it is edited: a run that should not count is retracted by an act.
//
// To add a fact or a dimension, add a migration to schema.go, fill it in index.go, and
// list its columns in Tables (catalogue.go): Parquet and every other engine follow.
package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // the driver of the catalogue
)

// The names in the folder of a warehouse.
const (
	bundlesDir    = "bundles"
	tablesDir     = "tables"
	catalogueFile = "catalogue.db"
	actsFile      = "acts.jsonl"
	lockFile      = ".lock"
)

// A Warehouse is an open one.
type Warehouse struct {
	dir  string
	db   *sql.DB
	lock *os.File // held by those who write; nil for readers

	found     memo[[]Change]    // the changes of series that were looked at
	fresh     freshFinds        // of these, what the catalogue has not yet
	explained memo[explanation] // by the digests of runs
	figures   memo[[]Figure]    // by the digest of their run, whose figures never change
}

// ErrNone says that there is no warehouse in a folder.
var ErrNone = errors.New("there is no warehouse: keep a bundle there first (assay keep BUNDLE)")

// Open opens the warehouse in dir for reading. Readers and one writer work side by side.
func Open(ctx context.Context, dir string) (*Warehouse, error) {
	path := filepath.Join(dir, catalogueFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNone)
	} else if err != nil {
		return nil, err
	}
	w := &Warehouse{dir: dir}
	var err error
	if w.db, err = connect(path, "mode=ro", "_pragma=query_only(1)"); err != nil {
		return nil, err
	}
	w.db.SetMaxOpenConns(MostReaders())
	w.db.SetMaxIdleConns(MostReaders())
	if err := w.known(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// MostReaders is how many questions are answered at the same time; others wait for their
// turn. Each has a connection with files and some MB of pages, which would otherwise be as
// many as there are callers of a server that cannot keep up, and made anew for most of them.
func MostReaders() int { return max(4, 2*runtime.GOMAXPROCS(0)) }

// OpenWriter opens the warehouse in dir for one who adds to it, makes it where there is
// none, brings the catalogue to this version and clears away what a killed process left.
// It waits for another writer to end, for as long as ctx lasts.
func OpenWriter(ctx context.Context, dir string) (*Warehouse, error) {
	if err := os.MkdirAll(filepath.Join(dir, bundlesDir), 0o755); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := hold(ctx, lock); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", lock.Name(), err), lock.Close())
	}
	w := &Warehouse{dir: dir, lock: lock}
	if w.db, err = connect(filepath.Join(dir, catalogueFile), "_pragma=journal_mode(WAL)", "_pragma=synchronous(FULL)"); err == nil {
		if err = w.migrate(ctx); err == nil {
			err = errors.Join(w.sweep(), w.readActs(ctx))
		}
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// hold waits for the lock until nobody wants it any more. The kernel gives it up when the
// process ends, however it ends.
func hold(ctx context.Context, lock *os.File) error {
	const again = 20 * time.Millisecond // the kernel's own wait cannot be ended
	for {
		err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("another process writes there: %w", context.Cause(ctx))
		case <-time.After(again):
		}
	}
}

// connect opens the catalogue. Writers and readers wait for each other for a while.
func connect(path string, options ...string) (*sql.DB, error) {
	options = append(options, "_pragma=busy_timeout(30000)", "_pragma=foreign_keys(1)")
	return sql.Open("sqlite", "file:"+escaped(path)+"?"+strings.Join(options, "&"))
}

// escaped is a path as the file part of a URI.
func escaped(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// Close ends the use of the warehouse.
func (w *Warehouse) Close() error {
	var err error
	if w.db != nil {
		err = w.db.Close()
	}
	if w.lock != nil {
		err = errors.Join(err, w.lock.Close())
	}
	return err
}

// place is the folder of the bundle with a digest.
func (w *Warehouse) place(digest string) string {
	name := strings.TrimPrefix(digest, "sha256:")
	return filepath.Join(w.dir, bundlesDir, name[:2], name)
}

// sweep removes what a killed process left: copies that never got their name, and
// bundles that were dropped and not yet removed.
func (w *Warehouse) sweep() error {
	left, err := filepath.Glob(filepath.Join(escapedGlob(w.dir), bundlesDir, "??", ".*"))
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	tables, globErr := filepath.Glob(filepath.Join(escapedGlob(w.dir), tablesDir, "*", "*", "*", "*"+partSuffix))
	for _, file := range tables {
		err = errors.Join(err, os.Remove(file))
	}
	return errors.Join(err, globErr)
}

// escapedGlob is a folder whose own name has no meaning to Glob.
func escapedGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}
