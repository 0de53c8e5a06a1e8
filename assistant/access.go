package assistant

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/analysis/compare"
	"assay/bundle"
	"assay/intake"
	"assay/judge"
	"assay/judge/pair"
	"assay/warehouse"
)

// An access is what may be looked at: the folders that were given, and the warehouse.
type access struct {
	folders   []string // without links in them
	warehouse string   // as given; it may come to be later
}

func newAccess(folders []string, place string) (access, error) {
	a := access{warehouse: place}
	for _, folder := range folders {
		real, err := realFolder(folder)
		if err != nil {
			return a, fmt.Errorf("--folder %s: %w", folder, err)
		}
		a.folders = append(a.folders, real)
	}
	return a, nil
}

// realFolder is where a folder is, links followed.
func realFolder(folder string) (string, error) {
	full, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err == nil && !info.IsDir() {
		err = errors.New("want a folder")
	}
	return real, err
}

// errNotHere is the one answer about everything that may not be seen, whether it is
// there or not.
var errNotHere = errors.New("is not in the folders or the warehouse of this server")

// mostPath is the longest name of a file or bundle.
const mostPath = 1024

// within is the place of a path that lies in one of the folders, links followed: a link
// inside of a folder that leads out of it leads nowhere.
func (a access) within(path string) (string, error) {
	refused := fmt.Errorf("%q %w", shorten(path), errNotHere)
	if path == "" || len(path) > mostPath || strings.ContainsRune(path, 0) {
		return "", refused
	}
	for _, folder := range a.folders {
		full := path
		if !filepath.IsAbs(path) {
			if !filepath.IsLocal(path) {
				continue
			}
			full = filepath.Join(folder, path)
		}
		real, err := filepath.EvalSymlinks(full)
		if err == nil && inside(folder, real) {
			return real, nil
		}
	}
	return "", refused
}

// inside reports whether a place is a folder or lies below it.
func inside(folder, place string) bool {
	rest, err := filepath.Rel(folder, place)
	return err == nil && filepath.IsLocal(rest)
}

// shorten is a text that somebody sent, for a message.
func shorten(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// file reads a document in one of the folders.
func (a access) file(path string, most int64) ([]byte, error) {
	real, err := a.within(path)
	if err != nil {
		return nil, err
	}
	return intake.ReadFile(real, most)
}

// bundle is the folder of a bundle: by run id or digest, or the beginning of one, in the
// warehouse and the folders, or by its path in one of the folders.
func (a access) bundle(ctx context.Context, name string) (string, error) {
	if name == "" || len(name) > mostPath {
		return "", fmt.Errorf("%q %w: want a run id, a digest or a path", shorten(name), errNotHere)
	}
	dir, err := a.kept(ctx, name)
	if dir != "" || err != nil {
		return dir, err
	}
	if real, err := a.within(name); err == nil && bundle.Remains(real) != "" {
		return real, nil
	}
	var found []string
	for _, b := range a.scan() {
		if b.Manifest.RunID == name || len(name) >= 8 && strings.HasPrefix(strings.TrimPrefix(b.Manifest.Digest, "sha256:"), strings.TrimPrefix(name, "sha256:")) {
			found = append(found, b.Dir)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%q %w: want a run id, a digest or the path of a bundle (search lists them)", shorten(name), errNotHere)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%q fits %d bundles: write the digest", shorten(name), len(found))
}

// kept is the folder of a bundle in the warehouse; empty where it is not in it.
func (a access) kept(ctx context.Context, name string) (dir string, err error) {
	w, err := a.open(ctx)
	if errors.Is(err, warehouse.ErrNone) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	dir, err = w.Bundle(ctx, name)
	if errors.Is(err, warehouse.ErrUnknownRun) && !errors.Is(err, warehouse.ErrSeveralRuns) {
		return "", nil
	}
	return dir, err
}

// open opens the warehouse to read.
func (a access) open(ctx context.Context) (*warehouse.Warehouse, error) {
	if a.warehouse == "" {
		return nil, warehouse.ErrNone
	}
	return warehouse.Open(ctx, a.warehouse)
}

// remembering is the reader with what the runs of the warehouse teach; without a warehouse, launches
// alone decide.
func (a access) remembering(ctx context.Context, bundles pair.Reader, trusted ...string) pair.Reader {
	return bundles.Remembering(func(j *judge.Judgement) (compare.Past, error) {
		w, err := a.open(ctx)
		if errors.Is(err, warehouse.ErrNone) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		past, err := w.Past(ctx, j, trusted...)
		return past, errors.Join(err, w.Close())
	})
}

// mostScanned bounds the entries of a folder that are looked at.
const mostScanned = 2000

// scan is the sealed bundles that lie in the folders, or one below. What they say about
// themselves finds them; nothing is concluded from it.
func (a access) scan() (list []*bundle.Bundle) {
	for _, folder := range a.folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // a folder that went away holds nothing
		}
		dirs := []string{folder}
		for _, e := range entries[:min(mostScanned, len(entries))] {
			if e.IsDir() { // a link is none: it may lead out
				dirs = append(dirs, filepath.Join(folder, e.Name()))
			}
		}
		for _, dir := range dirs {
			if b, err := bundle.Open(dir); err == nil && b.Sealed {
				list = append(list, b)
			}
		}
	}
	return list
}
