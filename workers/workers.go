// Package workers holds assay's workers for torch: Python sources that travel in
// the binary, are unpacked where ranks start, and speak the protocol of package
// worker.
//
// It knows where the sources go and which Python can run them. It does not know
// what they measure nor how ranks are started (package launch).
package workers

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed assay_worker/*.py
var sources embed.FS

const folder = "assay_worker"

// Digest names the sources: the first digits of the SHA-256 over their names and
// contents.
func Digest() string {
	sum := sha256.New()
	for _, name := range names() {
		text, _ := sources.ReadFile(folder + "/" + name)
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// Unpack writes the sources below dir, in a folder that their content names, and
// returns the path to give Command. A folder that is already there is left as it
// is; several processes may unpack at once.
func Unpack(dir string) (path string, err error) {
	home := filepath.Join(dir, "assay-workers-"+Digest())
	path = filepath.Join(home, folder)
	if complete(path) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	made, err := os.MkdirTemp(dir, ".assay-workers-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(made)
	if err := write(filepath.Join(made, folder)); err != nil {
		return "", fmt.Errorf("unpack the torch workers: %w", err)
	}
	// MkdirTemp's folder is for its maker alone; ranks may run as others.
	if err := os.Chmod(made, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(made, home); err != nil {
		if complete(path) {
			return path, nil // somebody else was first
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("unpack the torch workers: %w", err)
		}
		return "", fmt.Errorf("%s holds other files than the torch workers; remove it", home)
	}
	return path, nil
}

// Command is how the worker in the unpacked folder dir is started.
func Command(python, dir string) []string { return []string{python, "-u", dir} }

func write(to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, name := range names() {
		text, err := sources.ReadFile(folder + "/" + name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// complete says that the folder holds every source as it is here.
func complete(path string) bool {
	for _, name := range names() {
		want, _ := sources.ReadFile(folder + "/" + name)
		got, err := os.ReadFile(filepath.Join(path, name))
		if err != nil || string(got) != string(want) {
			return false
		}
	}
	return true
}

// names are the files of the sources, sorted.
func names() []string {
	entries, err := sources.ReadDir(folder)
	if err != nil {
		panic(err) // embedded: cannot be missing
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
