package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// PackageFile lists everything that a run was made from, so that others can make it
// again. Bundles of assay before 1.3 of the layout have none.
const PackageFile = "inputs.json"

// inputsDir holds the copies.
const inputsDir = "inputs"

// PackageVersion is the version of the format of PackageFile.
const PackageVersion = "1.0"

// A Package is what a run was made from beside its spec and plan: the program, the files
// that the spec names and the Pythons that ran for it.
type Package struct {
	Version string         `json:"version"`
	Tool    Tool           `json:"tool"`
	Workers string         `json:"workers,omitempty"` // digest of the torch workers in that program; empty where none ran
	Seed    string         `json:"seed"`              // decimal
	Files   []PackedFile   `json:"files"`
	Pythons []PackedPython `json:"pythons,omitempty"`
}

// The kinds of files.
const (
	PackedData      = "data" // prompts, traces, questions: often other people's
	PackedTokenizer = "tokenizer"
	PackedCode      = "code"    // a script of a command
	PackedProgram   = "program" // what a command starts
)

// A PackedFile is a file or folder that the spec names.
type PackedFile struct {
	Field string `json:"field"` // of the spec, such as spec.workload.prompt.dataset.path
	Path  string `json:"path"`  // as the spec has it
	Kind  string `json:"kind"`

	// Digest is sha256:HEX of the file, or of the names and digests of a folder's files. It
	// is empty where it could not be read; then Unavailable says why.
	Digest      string `json:"digest,omitempty"`
	Bytes       int64  `json:"bytes,omitempty"`
	Unavailable string `json:"unavailable,omitempty"`

	Copy  string `json:"copy,omitempty"`   // its content, in the bundle; empty where it is not
	NoWhy string `json:"noCopy,omitempty"` // why not
}

// A PackedPython is an interpreter and every package that it had.
type PackedPython struct {
	Path        string   `json:"path"`
	Version     string   `json:"version,omitempty"`
	Digest      string   `json:"digest,omitempty"`   // of the packages
	Packages    []string `json:"packages,omitempty"` // NAME==VERSION, sorted
	Unavailable string   `json:"unavailable,omitempty"`
}

// WritePackage writes what the run was made from, and the copies by their names. A copy
// that the redactor would change holds a secret, and is refused.
func (w *Writer) WritePackage(p Package, copies map[string][]byte) error {
	clean, err := cleaned[Package](w.redactor, PackageFile, p)
	if err != nil {
		return err
	}
	for name, data := range copies {
		if !w.redactor.Harmless(data) {
			return fmt.Errorf("%s/%s holds a secret", inputsDir, name)
		}
		if err := w.add(inputsDir, name, data); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(clean, "", "  ")
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed {
		return fmt.Errorf("%s: the bundle is sealed", PackageFile)
	}
	return writeFile(filepath.Join(w.dir, PackageFile), append(text, '\n'))
}

// CopyName is where the copy of an input is kept in a bundle.
func CopyName(name string) string { return inputsDir + "/" + name }

// Harmless reports whether data can be kept as it is.
func (r *Redactor) Harmless(data []byte) bool { return string(r.Document(data)) == string(data) }

// Package reads what the run was made from, as it was sealed. It is false in bundles that
// are older than the list, and while the run goes on.
func (b *Bundle) Package() (p Package, ok bool, err error) {
	if !b.Sealed {
		return p, false, nil
	}
	data, err := b.ReadSealed(PackageFile)
	if errors.Is(err, fs.ErrNotExist) {
		return p, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return p, false, fmt.Errorf("%s of %s: %w", PackageFile, b.Manifest.RunID, err)
	}
	return p, true, nil
}
