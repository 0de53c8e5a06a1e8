package packing

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"assay/bundle"
)

// Unpack lays the inputs of a run out in dir, at the relative paths that its spec names:
// those that the bundle has a copy of, and links to those that lie in from. What is in dir
// already stays as it is. A path that leads out of dir is left alone: it is looked at where it
// points, and nothing is ever written there.
func Unpack(b *bundle.Bundle, p bundle.Package, dir, from string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range p.Files {
		if f.Kind == bundle.PackedProgram || !filepath.IsLocal(f.Path) {
			continue
		}
		if err := unpack(root, b, f, from); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return nil
}

func unpack(root *os.Root, b *bundle.Bundle, f bundle.PackedFile, from string) error {
	if _, err := root.Lstat(f.Path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if f.Copy == "" {
		there := filepath.Join(from, f.Path)
		if _, err := os.Stat(there); err != nil {
			return nil // it is missing, and Compare says so
		}
		if err := root.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return err
		}
		return root.Symlink(there, f.Path)
	}
	data, err := b.ReadSealed(f.Copy)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(data); "sha256:"+hex.EncodeToString(sum[:]) != f.Digest {
		return fmt.Errorf("its copy %s is not what %s says", f.Copy, bundle.PackageFile)
	}
	if err := root.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if f.Kind == bundle.PackedCode {
		mode = 0o755
	}
	return root.WriteFile(f.Path, data, mode)
}
