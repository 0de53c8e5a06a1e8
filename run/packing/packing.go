// Package packing looks at everything that a run is made from: the files that its spec
// names, the programs it starts and the Pythons that run for it. It takes their digests,
// copies what may be copied into the bundle, and says on another machine which of them
// are the same.
//
// It reads files and asks interpreters; it measures nothing, and it starts nothing of
// what a spec names.
package packing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"assay/bundle"
	"assay/intake"
	"assay/plan"
	"assay/workers"
)

const (
	// mostCopied is what all copies together may have where the spec does not say.
	mostCopied = 16 << 20

	// mostScript is the largest script that is copied: a longer one is no script.
	mostScript = 256 << 10

	// mostRead bounds the digests: reading a larger file would take minutes before
	// anything is measured.
	mostRead = 16 << 30

	// mostFiles bounds the files of a folder.
	mostFiles = 100_000
)

// A Packer looks at the inputs of one run.
type Packer struct {
	Plan     plan.Plan
	Tool     bundle.Tool
	Torch    string                 // the Python that ranks run in; empty where none do
	Dir      string                 // that relative paths start from; empty means the working directory
	Trusted  bool                   // interpreters that the spec names by a path may be asked for their packages
	Harmless func(data []byte) bool // whether a content may be kept; nil copies nothing
}

// Look lists the inputs as they are on this machine, with the contents that belong in the
// bundle, by the names of their copies.
func (k Packer) Look(ctx context.Context) (bundle.Package, map[string][]byte) {
	p := bundle.Package{Version: bundle.PackageVersion, Tool: k.Tool, Seed: fmt.Sprint(k.Plan.Seed()), Files: []bundle.PackedFile{}}
	copies := map[string][]byte{}
	left := int64(k.Plan.Packs().Most)
	if left == 0 {
		left = mostCopied
	}
	pythons := []string{}
	if k.Torch != "" {
		p.Workers, pythons = workers.Digest(), append(pythons, k.Torch)
	}
	for _, wanted := range k.Plan.InputFiles() {
		f := bundle.PackedFile{Field: wanted.Field, Path: wanted.Path, Kind: string(wanted.Kind)}
		path := k.at(wanted.Path)
		if wanted.Kind == plan.InputProgram {
			path = k.found(wanted.Path)
			byName := !strings.ContainsRune(wanted.Path, filepath.Separator)
			if isPython.MatchString(filepath.Base(path)) && (k.Trusted || byName) && !slices.Contains(pythons, path) {
				pythons = append(pythons, path)
			}
		}
		var err error
		if f.Digest, f.Bytes, err = digest(path); err != nil {
			f.Unavailable = reason(err)
		} else {
			k.keep(&f, path, &left, copies)
		}
		p.Files = append(p.Files, f)
	}
	for _, path := range pythons {
		p.Pythons = append(p.Pythons, lock(ctx, path))
	}
	return p, copies
}

// isPython tells interpreters by their names.
var isPython = regexp.MustCompile(`^python[0-9.]*$`)

// at is where a path of the spec leads.
func (k Packer) at(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(k.Dir, path)
}

// found is where a program lies.
func (k Packer) found(program string) string {
	if strings.ContainsRune(program, filepath.Separator) {
		return k.at(program)
	}
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	return program
}

// keep copies a file that may be copied and fits.
func (k Packer) keep(f *bundle.PackedFile, path string, left *int64, copies map[string][]byte) {
	if k.Harmless == nil {
		return
	}
	if f.NoWhy = k.refuses(*f, *left); f.NoWhy != "" {
		return
	}
	data, err := intake.ReadFile(path, f.Bytes)
	switch sum := sha256.Sum256(data); {
	case err != nil:
		f.NoWhy = reason(err)
	case "sha256:"+hex.EncodeToString(sum[:]) != f.Digest:
		f.NoWhy = "it is a folder, or changed while it was read"
	case !k.Harmless(data):
		f.NoWhy = "it seems to hold a secret"
	default:
		name := fmt.Sprintf("%02d-%s", len(copies), plain.ReplaceAllString(filepath.Base(path), "-"))
		f.Copy, copies[name] = bundle.CopyName(name), data
		*left -= f.Bytes
	}
}

// plain are the characters that do not belong in the name of a copy.
var plain = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// refuses says why a file is not copied; nothing where it may be.
func (k Packer) refuses(f bundle.PackedFile, left int64) string {
	packs := k.Plan.Packs()
	switch code := f.Kind == bundle.PackedCode; {
	case f.Kind == bundle.PackedProgram:
		return "programs are named by digest alone"
	case code && packs.Code != nil && !*packs.Code:
		return "spec.provenance.inputs.code is false"
	case code && f.Bytes > mostScript:
		return fmt.Sprintf("it is larger than a script of %d KiB", mostScript>>10)
	case !code && !packs.Data:
		return "spec.provenance.inputs.data is not set"
	case f.Bytes > left:
		return "it does not fit into spec.provenance.inputs.most"
	}
	return ""
}

// reason says why a file cannot be read, without the path that people know.
func reason(err error) string {
	var at *fs.PathError
	var refused *intake.Error
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is not there"
	case errors.As(err, &at):
		return at.Err.Error()
	case errors.As(err, &refused):
		return "it " + refused.Got
	}
	return err.Error()
}

// digest is that of a file, or of the names and digests of a folder's files.
func digest(path string) (text string, size int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", 0, err
	}
	if !info.IsDir() {
		return fileDigest(path)
	}
	sum := sha256.New()
	files := 0
	err = filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if files++; files > mostFiles {
			return fmt.Errorf("it has more than %d files", mostFiles)
		}
		own, n, err := fileDigest(at)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(path, at)
		fmt.Fprintf(sum, "%s %d %s\n", filepath.ToSlash(name), n, own)
		if size += n; size > mostRead {
			return tooLarge()
		}
		return err
	})
	if err != nil {
		return "", 0, err
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), size, nil
}

func tooLarge() error { return fmt.Errorf("it has more than %d GiB", mostRead>>30) }

// fileDigest reads as much as the file says it has, and no more: a bundle of a stranger may
// name one of the kernel's, which never ends.
func fileDigest(path string) (text string, size int64, err error) {
	f, err := intake.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	if info.Size() > mostRead {
		return "", 0, tooLarge()
	}
	sum := sha256.New()
	if size, err = io.Copy(sum, io.LimitReader(f, info.Size())); err != nil {
		return "", 0, err
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), size, nil
}

// lock is an interpreter with every package that it has.
func lock(ctx context.Context, path string) bundle.PackedPython {
	out := bundle.PackedPython{Path: path}
	version, packages, err := workers.Packages(ctx, path)
	if err != nil {
		out.Unavailable = err.Error()
		return out
	}
	sum := sha256.Sum256([]byte(strings.Join(packages, "\n")))
	out.Version, out.Packages, out.Digest = version, packages, "sha256:"+hex.EncodeToString(sum[:])
	return out
}
