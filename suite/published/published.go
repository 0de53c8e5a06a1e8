// Package published keeps the canonical package: the one result that counts now, whole,
// in the folder current, with what was current before in the folder archive and every
// change in promotions.jsonl. Nothing gets there by being measured: somebody promotes
// it and says why.
//
// The package copies folders and keeps the acts. Whether a result may be published is
// judged by those who call it.
package published

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"assay/bundle"
	"assay/intake"
	"assay/suite/acts"
)

// Version is the version of the format of a package.
const Version = "1.0"

// The files of a package.
const (
	Current     = "current"
	Archive     = "archive"
	PackageFile = "package.json"
	ActsFile    = "promotions.jsonl"
)

// A Package is what current holds: package.json.
type Package struct {
	Version  string    `json:"version"`
	RunID    string    `json:"run_id"`
	Digest   string    `json:"digest"` // of the bundle's manifest
	Promoted time.Time `json:"promoted_at"`
	Why      string    `json:"why"`
	By       string    `json:"by,omitempty"`
	Bundle   string    `json:"bundle"` // folder of the bundle in the package
	Replaces string    `json:"replaces,omitempty"`
	Despite  []string  `json:"despite,omitempty"` // what it lacked and was published without
}

// A Promotion is what somebody decides about a bundle.
type Promotion struct {
	Bundle, To    string
	RunID, Digest string
	Why, By       string
	At            time.Time
	Despite       []string               // what it lacks
	Check         func(dir string) error // of the copy, before it counts
}

const mostPackage = 1 << 20

// Read returns what is current in a published folder; false where nothing is.
func Read(dir string) (Package, bool, error) {
	var p Package
	data, err := intake.ReadFile(filepath.Join(dir, Current, PackageFile), mostPackage)
	if errors.Is(err, fs.ErrNotExist) {
		return p, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	return p, err == nil, err
}

// Promote makes a bundle the current one. The copy is complete and checked before it
// takes the place of the old one, which is kept in the archive.
func Promote(ctx context.Context, p Promotion) (acts.Act, error) {
	act := acts.Act{At: p.At.UTC(), Act: acts.Promoted, Subject: p.RunID, Digest: p.Digest, Why: p.Why, By: p.By, Despite: p.Despite}
	if err := act.Valid(); err != nil {
		return act, err
	}
	old, known, err := Read(p.To)
	if err != nil {
		return act, fmt.Errorf("what is published now: %w", err)
	}
	if known && old.Digest == p.Digest {
		return act, fmt.Errorf("%s is what is published already", p.RunID)
	}
	if _, err := acts.Read(filepath.Join(p.To, ActsFile)); err != nil {
		return act, err
	}
	made := filepath.Join(p.To, ".new")
	if err := os.RemoveAll(made); err != nil {
		return act, err
	}
	defer os.RemoveAll(made)
	if err := p.fill(ctx, made, old); err != nil {
		return act, err
	}
	if err := replace(p.To, made, old, known); err != nil {
		return act, err
	}
	return act, acts.Append(filepath.Join(p.To, ActsFile), act)
}

// replace puts what was made in the place of what is current, which goes to the archive.
// Where that fails the old one is put back: something is published at all times.
func replace(dir, made string, old Package, known bool) error {
	current := filepath.Join(dir, Current)
	if !known {
		return os.Rename(made, current)
	}
	kept := filepath.Join(dir, Archive, fmt.Sprintf("%s-%s", old.RunID, old.Promoted.Format("20060102T150405Z")))
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return err
	}
	if err := os.Rename(current, kept); err != nil {
		return err
	}
	if err := os.Rename(made, current); err != nil {
		return errors.Join(err, os.Rename(kept, current))
	}
	return nil
}

// fill makes the new package.
func (p Promotion) fill(ctx context.Context, dir string, old Package) error {
	copied := filepath.Join(dir, p.RunID)
	if err := bundle.Copy(ctx, p.Bundle, copied); err != nil {
		return fmt.Errorf("copy the bundle: %w", err)
	}
	if err := p.Check(copied); err != nil {
		return fmt.Errorf("the copy: %w", err)
	}
	data, err := json.MarshalIndent(Package{
		Version: Version, RunID: p.RunID, Digest: p.Digest, Promoted: p.At.UTC(), Why: p.Why, By: p.By, Bundle: p.RunID, Replaces: old.RunID, Despite: p.Despite,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, PackageFile), append(data, '\n'), 0o644)
}
