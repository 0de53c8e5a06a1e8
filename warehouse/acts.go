package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/suite/acts"
)

// Marks lists what may be decided about a run, and what follows from it.
var Marks = []Mark{
	{acts.Accepted, "its level is the baseline of its series; changes at it or before it were looked at and are not reported as new"},
	{acts.Published, "a claim of it is quoted outside: neither it nor what it was compared with is ever dropped"},
	{acts.Retracted, "it does not count: no series has it"},
	{acts.Superseded, "another run counts in its place"},
	{acts.Restored, "it counts again"},
}

// A Mark is one kind of decision.
type Mark struct{ Name, Doc string }

// A Decision is what somebody decides about a run.
type Decision struct {
	Mark    string // one of Marks
	Run     string // id or digest
	Instead string // id or digest of the run that counts in its place, where it is superseded
	Why, By string
	At      time.Time
}

// ErrDecision says that a decision makes no sense.
var ErrDecision = errors.New("nothing was decided")

// Decide writes a decision down: first in the file of acts, which nothing is taken out
// of, then in the catalogue.
func (w *Warehouse) Decide(ctx context.Context, d Decision) (acts.Act, error) {
	if !slices.ContainsFunc(Marks, func(m Mark) bool { return m.Name == d.Mark }) {
		return acts.Act{}, fmt.Errorf("%w: %q is no mark, want one of %s", ErrDecision, d.Mark, strings.Join(markNames(), ", "))
	}
	run, err := w.Find(ctx, d.Run)
	if err != nil {
		return acts.Act{}, err
	}
	act := acts.Act{At: d.At.UTC(), Act: d.Mark, Subject: run.RunID, Digest: run.Digest, Why: d.Why, By: d.By}
	if (d.Instead != "") != (d.Mark == acts.Superseded) {
		return act, fmt.Errorf("%w: a run that is superseded, and no other, names the one that counts in its place", ErrDecision)
	}
	if d.Instead != "" {
		other, err := w.Find(ctx, d.Instead)
		if err != nil {
			return act, err
		}
		if other.Digest == run.Digest {
			return act, fmt.Errorf("%w: %s cannot take its own place", ErrDecision, run.RunID)
		}
		act.Instead = other.Digest
	}
	if err := acts.Append(filepath.Join(w.dir, actsFile), act); err != nil {
		return act, err
	}
	return act, errors.Join(w.readActs(ctx), w.look(ctx))
}

func markNames() (names []string) {
	for _, m := range Marks {
		names = append(names, m.Name)
	}
	return names
}

// readActs brings the catalogue's copy of the acts up to date with the file, which is the
// truth.
func (w *Warehouse) readActs(ctx context.Context) error {
	list, err := acts.Read(filepath.Join(w.dir, actsFile))
	if err != nil {
		return err
	}
	return w.inside(ctx, func(tx *sql.Tx) error {
		var known int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM act_fact`).Scan(&known); err != nil {
			return fmt.Errorf("catalogue: %w", err)
		}
		for i, a := range list {
			if i >= known {
				if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO unlooked VALUES (?)`, a.Digest); err != nil {
					return fmt.Errorf("catalogue: %w", err)
				}
			}
			if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO act_fact VALUES (`+places(8)+`)`,
				i+1, a.At.UnixNano(), a.Act, a.Digest, a.Why, a.By, a.Instead, a.Subject); err != nil {
				return fmt.Errorf("catalogue: %w", err)
			}
		}
		if known == len(list) {
			return nil
		}
		_, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO stale VALUES (?, ?)`, everyPartition, everyPartition)
		return err
	})
}

// Accepted is the run of a document that was accepted last and still counts, other than the
// one with a digest. ErrUnknownRun says that there is none.
func (w *Warehouse) Accepted(ctx context.Context, name, other string) (Run, error) {
	var digest string
	err := w.db.QueryRowContext(ctx, `SELECT a.artifact_manifest_digest FROM act_fact a JOIN current_run r USING (artifact_manifest_digest)
		WHERE a.act = ? AND r.name = ? AND a.artifact_manifest_digest <> ? ORDER BY a.number DESC LIMIT 1`, acts.Accepted, name, other).Scan(&digest)
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, fmt.Errorf("%w that was accepted: assay mark RUN --as accepted names the one to compare with", ErrUnknownRun)
	}
	if err != nil {
		return Run{}, err
	}
	return w.Find(ctx, digest)
}
