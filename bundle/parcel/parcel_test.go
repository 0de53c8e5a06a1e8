package parcel

import (
	"archive/tar"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What is packed comes out as it was, and the same folder always gives the same bytes.
func TestPackUnpack(t *testing.T) {
	from := t.TempDir()
	for name, text := range map[string]string{"spec.yaml": "a", "raw/launch-00/requests.parquet": strings.Repeat("b", 5000), "empty": ""} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(from, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(from, name), []byte(text), 0o640))
	}
	var one, two bytes.Buffer
	must(t, Pack(&one, from))
	must(t, os.Chtimes(filepath.Join(from, "empty"), time.Unix(1, 0), time.Unix(1, 0)))
	must(t, Pack(&two, from))
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the same files gave another parcel")
	}
	n, sum, err := Measure(from)
	must(t, err)
	if n != int64(one.Len()) || len(sum) != 64 {
		t.Errorf("measured %d bytes, want %d", n, one.Len())
	}
	to := t.TempDir()
	must(t, Unpack(&one, to))
	data, err := os.ReadFile(filepath.Join(to, "raw", "launch-00", "requests.parquet"))
	if err != nil || len(data) != 5000 {
		t.Errorf("%d bytes came out, %v", len(data), err)
	}
}

// What Pack would not have written is refused, and nothing is written outside.
func TestUnpackRefuses(t *testing.T) {
	file := func(name string) tar.Header {
		return tar.Header{Typeflag: tar.TypeReg, Name: name, Size: 1, Mode: 0o644}
	}
	tests := map[string][]tar.Header{
		"climbs":         {file("../evil")},
		"climbs inside":  {file("a/../../evil")},
		"absolute":       {file("/tmp/evil")},
		"empty name":     {file("")},
		"a dot":          {file("./a")},
		"backslash":      {file(`a\..\evil`)},
		"control":        {file("a\nb")},
		"twice":          {file("a"), file("a")},
		"file as folder": {file("a"), file("a/b")},
		"symlink":        {{Typeflag: tar.TypeSymlink, Name: "a", Linkname: "/etc/passwd"}},
		"hard link":      {{Typeflag: tar.TypeLink, Name: "a", Linkname: "/etc/passwd"}},
		"device":         {{Typeflag: tar.TypeChar, Name: "a"}},
		"pipe":           {{Typeflag: tar.TypeFifo, Name: "a"}},
		"folder":         {{Typeflag: tar.TypeDir, Name: "a"}},
		"long name":      {file(strings.Repeat("x/", 600) + "y")},
	}
	for name, headers := range tests {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			for _, h := range headers {
				must(t, w.WriteHeader(&h))
				if h.Size > 0 {
					_, err := w.Write([]byte("x"))
					must(t, err)
				}
			}
			must(t, w.Close())
			outer := t.TempDir()
			inner := filepath.Join(outer, "inner")
			must(t, os.Mkdir(inner, 0o755))
			if err := Unpack(&b, inner); !errors.Is(err, ErrParcel) {
				t.Errorf("got %v, want a refusal", err)
			}
			if _, err := os.Lstat(filepath.Join(outer, "evil")); err == nil {
				t.Error("it wrote outside")
			}
		})
	}
}

// FuzzUnpack: whatever comes, only plain files below the folder come of it.
func FuzzUnpack(f *testing.F) {
	dir := f.TempDir()
	must(f, os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o644))
	var b bytes.Buffer
	must(f, Pack(&b, dir))
	f.Add(b.Bytes())
	f.Add([]byte("nothing"))
	f.Fuzz(func(t *testing.T, data []byte) {
		outer, err := os.MkdirTemp("", "parcel-")
		must(t, err)
		defer os.RemoveAll(outer)
		inner := filepath.Join(outer, "inner")
		must(t, os.Mkdir(inner, 0o755))
		if err := Unpack(bytes.NewReader(data), inner); err != nil {
			return
		}
		entries, err := os.ReadDir(outer)
		if err != nil || len(entries) != 1 {
			t.Errorf("%d entries beside the folder, %v", len(entries)-1, err)
		}
		must(t, filepath.WalkDir(inner, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && !e.Type().IsRegular() {
				t.Errorf("%s is no plain file", path)
			}
			return err
		}))
	})
}
