package foreign

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"unicode/utf8"

	"assay/bundle"
	"assay/intake"
)

const (
	// mostBytes is the largest file that is read: a million requests with all their
	// gaps are some 500 MB of JSON.
	mostBytes = 2 << 30

	// keptBytes is the largest file, and keptInAll the most of all files, that a
	// bundle keeps beside what was read from them.
	keptBytes = 4 << 20
	keptInAll = 32 << 20

	// headBytes is how much of a file a Tool may look at to claim it.
	headBytes = 64 << 10
)

// A File is one file of a result.
type File struct {
	Name string // below the folder that was given
	Data []byte // as it lies there

	// Kept is what a bundle may keep of it, where Data holds secrets that only its
	// reader can tell; nil means Data.
	Kept []byte
}

// Load reads a file whole.
func Load(path string) (File, error) {
	f, err := intake.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return File{}, err
	case info.Size() > mostBytes:
		return File{}, fmt.Errorf("%s has %d bytes, want at most %d: import it in parts", path, info.Size(), int64(mostBytes))
	case info.Size() == 0:
		return File{}, fmt.Errorf("%s is empty: the tool has not written its result", path)
	}
	data, err := textOf(f, info.Size())
	if err != nil {
		return File{}, fmt.Errorf("%s %w", path, err)
	}
	return File{Name: filepath.Base(path), Data: data}, nil
}

// textOf reads a text of so many bytes and stops where it is none: a disk image that
// was named by mistake would fill the memory before anybody looked at it.
func textOf(r io.Reader, size int64) ([]byte, error) {
	const step = 1 << 20
	data := make([]byte, size) // the system gives memory as it is written to
	for at := int64(0); at < size; {
		part := data[at:min(at+step, size)]
		n, err := io.ReadFull(r, part)
		if i := bytes.IndexByte(part[:n], 0); i >= 0 {
			return nil, fmt.Errorf("is a binary file, with a zero at byte %d: want what the tool wrote", at+int64(i))
		}
		at += int64(n)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return data[:at], nil // it became shorter meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("cannot be read: %w", err)
		}
	}
	return data, nil
}

// Head is the beginning of a file; nothing for a folder or what cannot be read.
func Head(path string) []byte {
	f, err := intake.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, headBytes)
	n, _ := io.ReadFull(f, data)
	return data[:n]
}

// JSON decodes the file, which must hold one value and nothing else. Want says
// what the file should be, for the error.
func (f File) JSON(into any, want string) error {
	return decodeJSON(f.Name, f.Data, into, want)
}

func decodeJSON(name string, data []byte, into any, want string) error {
	if !text(data) {
		return fmt.Errorf("%s is a binary file, want %s", name, want)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	err := decoder.Decode(into)
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s ends in the middle, after %d bytes: it is cut short; want %s", name, len(data), want)
	case errors.As(err, &syntax):
		return fmt.Errorf("%s is not JSON at byte %d (%v), want %s", name, syntax.Offset, err, want)
	case errors.As(err, &mismatch):
		return fmt.Errorf("%s: %s is a %s, want %s", name, place(mismatch.Field), mismatch.Value, want)
	case err != nil:
		return fmt.Errorf("%s: %w; want %s", name, err, want)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s goes on after its value, at byte %d: want %s", name, decoder.InputOffset(), want)
	}
	return File{Name: name, Data: data}.unique(want)
}

func place(field string) string {
	if field == "" {
		return "the whole"
	}
	return field
}

// text reports whether the beginning of data can be text.
func text(data []byte) bool {
	head := data[:min(len(data), 4096)]
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	for len(head) > 0 {
		r, size := utf8.DecodeRune(head)
		if r == utf8.RuneError && size == 1 && len(head) >= utf8.UTFMax {
			return false
		}
		head = head[size:]
	}
	return true
}

// input is the file by its digest.
func (f File) input() bundle.Input {
	sum := sha256.Sum256(f.Data)
	return bundle.Input{Name: f.Name, Digest: "sha256:" + hex.EncodeToString(sum[:])}
}
