// Package parcel packs a bundle into one stream of bytes that is always the same, so that
// a transfer that broke off goes on where it stopped, and unpacks what a stranger sent.
//
// It is a tar archive without times, owners or compression: the tables inside are packed
// already, and what is not packed cannot unpack to more than it is. Package parcel does not
// judge what it carries: package bundle verifies it.
package parcel

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// mostFiles is how many files a bundle may have: those of a thousand launches.
const mostFiles = 100_000

// Pack writes the files below dir to w, in the order of their names.
func Pack(w io.Writer, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() // nothing is written
	archive := tar.NewWriter(w)
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return nil // folders follow from names
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is no plain file: a sealed bundle has none such", filepath.Join(dir, name))
		}
		return packFile(archive, root, name)
	})
	return errors.Join(err, archive.Close())
}

func packFile(archive *tar.Writer, root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // nothing is written
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: 0o444, Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err = io.Copy(archive, f)
	return err
}

// Measure is the size and digest of the parcel of dir.
func Measure(dir string) (bytes int64, digest string, err error) {
	sum := sha256.New()
	count := counter{to: sum}
	err = Pack(&count, dir)
	return count.n, hex.EncodeToString(sum.Sum(nil)), err
}

type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

// ErrParcel says that something is no parcel of a bundle.
var ErrParcel = errors.New("not a parcel of a bundle")

// Unpack writes the files of a parcel below dir, which must be empty. Only plain files with
// plain relative names are taken, each once.
func Unpack(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() // each file is closed by itself
	archive := tar.NewReader(r)
	for n := 0; ; n++ {
		h, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%w: %w", ErrParcel, err)
		}
		if err != nil {
			return err // of whoever sends it
		}
		if err := plain(h, n); err != nil {
			return err
		}
		if err := unpackFile(archive, root, h); err != nil {
			return err
		}
	}
}

// plain refuses whatever Pack would not have written.
func plain(h *tar.Header, n int) error {
	switch {
	case n >= mostFiles:
		return fmt.Errorf("%w: more than %d files", ErrParcel, mostFiles)
	case h.Typeflag != tar.TypeReg:
		return fmt.Errorf("%w: %q is no plain file", ErrParcel, h.Name)
	case !fs.ValidPath(h.Name) || h.Name == "." || !filepath.IsLocal(h.Name) || len(h.Name) > 1000:
		return fmt.Errorf("%w: %q is no name of a file of a bundle", ErrParcel, h.Name)
	case h.Size < 0:
		return fmt.Errorf("%w: %q has a negative size", ErrParcel, h.Name)
	}
	for _, c := range h.Name {
		if c < ' ' || c == 0x7f || c == '\\' {
			return fmt.Errorf("%w: %q is no name of a file of a bundle", ErrParcel, h.Name)
		}
	}
	return nil
}

func unpackFile(r io.Reader, root *os.Root, h *tar.Header) error {
	if err := root.MkdirAll(path.Dir(h.Name), 0o755); err != nil {
		return fmt.Errorf("%w: %w", ErrParcel, err)
	}
	f, err := root.OpenFile(h.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %q is there twice", ErrParcel, h.Name)
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: it ends in the middle of %q: %w", ErrParcel, h.Name, err)
	}
	return errors.Join(err, f.Close())
}
