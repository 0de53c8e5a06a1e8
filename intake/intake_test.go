package intake

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is no regular file is refused before it is opened: the test would hang on the
// pipe otherwise, or never end on the device.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	pipe, link, loop := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "loop")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o644), os.Symlink(plain, link), os.Symlink(loop, loop)); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	in := func(path string) (*os.File, error) { return OpenIn(root, filepath.Base(path)) }
	f := func(name string, open func(string) (*os.File, error), path, want string) {
		t.Helper()
		file, err := open(path)
		if err == nil {
			file.Close()
		}
		var refused *Error
		if want == "" && err != nil || want != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s(%s) = %v, want %q", name, path, err, want)
		}
	}
	for name, open := range map[string]func(string) (*os.File, error){"Open": Open, "OpenOwn": OpenOwn, "OpenIn": in} {
		f(name, open, plain, "")
		f(name, open, pipe, "is a pipe, want a regular file")
		f(name, open, filepath.Join(dir, "none"), "no such file")
	}
	f("Open", Open, link, "")
	f("Open", Open, loop, "too many levels")
	f("Open", Open, dir, "is a folder")
	f("Open", Open, "/dev/zero", "is a device")
	f("OpenOwn", OpenOwn, link, "is a symbolic link")
	f("OpenIn", in, link, "is a symbolic link")
	f("OpenIn", func(string) (*os.File, error) { return OpenIn(root, "../x") }, "", "escapes")
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v, want one that is fs.ErrNotExist", err)
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("0123456789"), 0o644); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(path, 10); err != nil || string(data) != "0123456789" {
		t.Errorf("got %q, %v", data, err)
	}
	if _, err := ReadFile(path, 9); err == nil || !strings.Contains(err.Error(), "has 10.0 B, want at most 9.00 B") {
		t.Errorf("got %v, want the limit", err)
	}
	if err := os.Truncate(path, 1<<40); err != nil { // a hole: no disk, no memory
		t.Skip("the file system knows no holes, set TMPDIR to one that does:", err)
	}
	if _, err := ReadOwn(path, 1<<20); err == nil || !strings.Contains(err.Error(), "has 1.00 TiB") {
		t.Errorf("got %v, want the size", err)
	}
}

func TestBounded(t *testing.T) {
	t.Parallel()
	f := func(most int64, want string) {
		t.Helper()
		data, err := ReadAll("x", strings.NewReader("0123456789"), most)
		if want == "" && (err != nil || len(data) != 10) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("at most %d: got %q, %v, want %q", most, data, err, want)
		}
	}
	f(11, "")
	f(10, "")
	f(9, "x is too large, want at most 9.00 B")
	f(0, "x is too large")
}

// A decoder that reads value by value stops at the one that does not end.
func TestValues(t *testing.T) {
	t.Parallel()
	f := func(text, want string) {
		t.Helper()
		in := NewValues("x", strings.NewReader(text), 64)
		decoder := json.NewDecoder(in)
		var err error
		for err == nil {
			in.Next()
			var v string
			err = decoder.Decode(&v)
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s…: got %v, want %q", text, err, want)
		}
	}
	f(strings.Repeat(`"short" `, 1000), "EOF")
	f(`"short" "`+strings.Repeat("long", 1000), "x holds a value that is too large, want at most 64.0 B for each")
}

func TestText(t *testing.T) {
	t.Parallel()
	data, err := io.ReadAll(Text("x", strings.NewReader("some\x00text")))
	if string(data) != "some" || err == nil || !strings.Contains(err.Error(), "x is a binary file, with a zero at byte 4, want text") {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	pack := func(n int64, fill io.Reader) []byte {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := io.Copy(w, io.LimitReader(fill, n)); err != nil {
			t.Fatal(err)
		}
		w.Close()
		return packed.Bytes()
	}
	f := func(packed []byte, most int64, want string) {
		t.Helper()
		r, err := Unpack("x", bytes.NewReader(packed), most)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	f([]byte("plain text"), 100, "")
	f([]byte("plain text"), 5, "want at most 5.00 B")
	f(pack(8<<20, zeros{}), 1<<30, "")
	f(pack(64<<20, zeros{}), 1<<30, "unpacks to more than 250 times its size")
	f(pack(8<<20, zeros{}), 4<<20, "want at most 4.00 MiB")
	f([]byte{0x1f, 0x8b, 9, 9}, 100, "x: ")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
