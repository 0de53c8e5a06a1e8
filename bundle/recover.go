package bundle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/intake"
)

// Recover seals the bundle of a killed run as partial: it drops unfinished
// segments, ends the launches that were running as aborted and hashes what is
// there. It refuses while the run still goes on. A bundle that was sealed just
// before the kill keeps its manifest.
func Recover(ctx context.Context, dir string, opts SealOptions) (*Manifest, error) {
	if _, err := Open(dir); err != nil { // no lock in a folder that is no bundle
		return nil, err
	}
	l, err := takeLock(dir)
	if err != nil {
		return nil, err
	}
	b, err := Open(dir) // anew: it may have been sealed before the lock was ours
	if err != nil {
		return nil, errors.Join(err, l.remove())
	}
	m := &b.Manifest
	if b.Sealed {
		err = os.Remove(filepath.Join(dir, draftFile))
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	} else {
		err = sealKilled(ctx, dir, m, opts)
	}
	if err != nil {
		return nil, errors.Join(err, l.remove())
	}
	return m, l.remove()
}

func sealKilled(ctx context.Context, dir string, m *Manifest, opts SealOptions) error {
	for _, name := range []string{SpecFile, PlanFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("recover %s: the run was killed before it began (no %s); there is nothing to keep: delete the folder", dir, name)
		}
	}
	if err := os.Remove(filepath.Join(dir, AttestationFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err // signed, but killed before the manifest: about a manifest that never was
	}
	if err := sweep(dir); err != nil {
		return err
	}
	if err := cutTornLine(dir, m); err != nil {
		return err
	}
	for _, launch := range m.Launches {
		if launch.Ended.IsZero() {
			if err := endKilled(dir, m, launch, opts.Killed); err != nil {
				return err
			}
		}
	}
	m.Sealed = later(time.Now().UTC(), lastTime(m))
	return seal(ctx, dir, m, Partial, opts)
}

// sweep removes unfinished files and segments whose merged successor is whole.
func sweep(dir string) error {
	folders := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasSuffix(path, tmpSuffix) {
			return os.Remove(path)
		}
		if _, ok := parseSegment(path); ok {
			folders[filepath.Dir(path)] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, folder := range sortedKeys(folders) {
		for _, t := range Tables {
			_, replaced, err := segmentsIn(folder, t.Name)
			if err == nil {
				err = removeSegments(replaced)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// cutTornLine removes the half line a kill can leave at the end of the ledger.
func cutTornLine(dir string, m *Manifest) error {
	path := filepath.Join(dir, LedgerFile)
	text, err := intake.ReadOwn(path, mostLedger)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, whole, err := parseLedger(text)
	if err != nil || whole == len(text) {
		return err
	}
	m.Warnings = append(m.Warnings, fmt.Sprintf("recovery cut a torn line of %d bytes off the ledger", len(text)-whole))
	return os.Truncate(path, int64(whole))
}

// endKilled merges the segments of a launch that was running and enters its end.
// When it ended is not known; when its last file was written is.
func endKilled(dir string, m *Manifest, launch LaunchInfo, why string) error {
	folder := filepath.Join(dir, rawDir, launchDir(launch.Index))
	last, err := lastWrite(folder)
	if err != nil {
		return err
	}
	for _, t := range Tables {
		if err := t.merge(folder, t.Name, origin{launch.Index, launch.Clock}); err != nil {
			m.Warnings = append(m.Warnings, fmt.Sprintf("launch %d: segments of %s stay unmerged: %v", launch.Index+1, t.Name, err))
		}
	}
	reason := "the run was killed before it wrote anything"
	if !last.IsZero() {
		reason = "the run was killed; it last wrote at " + last.Format(timeFormat)
	}
	if why != "" {
		reason = why + "; " + reason
	}
	return appendLedger(dir, ledgerLine{
		Event: lineEnded, Launch: launch.Index, Time: later(time.Now().UTC(), lastTime(m)),
		Outcome: LaunchAborted, Reason: reason,
	})
}

// lastWrite is the time of the latest file under folder, zero when there is none.
func lastWrite(folder string) (last time.Time, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			last = later(last, info.ModTime().UTC())
		}
		return err
	})
	if errors.Is(err, os.ErrNotExist) {
		err = nil // killed between the ledger line and the folder
	}
	return last, err
}

// lastTime is the latest time m knows: recovery happens after it, even on a host
// whose clock runs behind.
func lastTime(m *Manifest) time.Time {
	last := m.Created
	for _, l := range m.Launches {
		last = later(last, later(l.Started, l.Ended))
	}
	return last
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
