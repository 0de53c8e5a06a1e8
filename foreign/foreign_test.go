package foreign

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/record"
)

// samples lists the real results of a tool: each entry of testdata/NAME is one
// path to pass.
func samples(t *testing.T, tool Tool) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join("testdata", tool.Name, "*"))
	if err != nil || len(list) == 0 {
		t.Fatalf("testdata/%s holds no result of the tool (%v)", tool.Name, err)
	}
	return list
}

// write lays an import out and opens the bundle.
func write(t *testing.T, m Import) (*bundle.Bundle, plan.Plan) {
	t.Helper()
	w, p, err := m.Write(t.Context(), Options{Out: t.TempDir(), Now: time.Unix(1_700_000_000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	return b, p
}

// Every tool reads its own results, and no other tool takes them for its own.
func TestTools(t *testing.T) {
	for _, tool := range All {
		for _, path := range samples(t, tool) {
			t.Run(path, func(t *testing.T) {
				found, err := Detect([]string{path})
				if err != nil || found.Name != tool.Name {
					t.Fatalf("Detect = %q (%v), want %s", found.Name, err, tool.Name)
				}
				m, err := tool.Read([]string{path})
				if err != nil {
					t.Fatal(err)
				}
				if m.Source.Tool != tool.Name || len(m.Files) == 0 || len(m.Source.Unknown) == 0 {
					t.Errorf("source %q with %d files and %d gaps: want the tool, what was read and what it does not tell", m.Source.Tool, len(m.Files), len(m.Source.Unknown))
				}
				b, p := write(t, m)
				if len(p.Points) == 0 || len(p.Launches) != len(m.Launches) {
					t.Errorf("the plan has %d points and %d launches, want %d and %d", len(p.Points), len(p.Launches), len(m.Points), len(m.Launches))
				}
				rows := int64(0)
				for _, l := range b.Launches() {
					rows += l.Rows[bundle.Requests] + l.Rows[bundle.Collectives]
					if _, err := b.ReadFile("raw/launch-00/" + record.ReportedFile); err == nil {
						rows++
					}
				}
				if rows == 0 {
					t.Error("the bundle holds no request, no collective and no reported figure")
				}
			})
		}
	}
}

// Whatever happens to a result, it gives an error that names the file, and leaves
// nothing behind.
func TestDamaged(t *testing.T) {
	damages := []struct {
		name string
		do   func(data []byte) []byte
	}{
		{"truncated", func(data []byte) []byte { return data[:len(data)/2] }},
		{"empty", func([]byte) []byte { return nil }},
		{"binary", func([]byte) []byte { return []byte("\x00\x01\xfe\xff\x7fELF\x02\x01") }},
		{"another document", func([]byte) []byte { return []byte(`{"hello": ["world"]}`) }},
		{"a list", func([]byte) []byte { return []byte(`[[1, 2], "three"]`) }},
	}
	for _, tool := range All {
		for _, path := range samples(t, tool) {
			for _, damage := range damages {
				t.Run(path+"/"+damage.name, func(t *testing.T) {
					to := filepath.Join(t.TempDir(), filepath.Base(path))
					broken := copyDamaged(t, path, to, damage.do)
					m, err := tool.Read([]string{to})
					if err == nil {
						t.Fatalf("Read took %s with %d launches, want an error", broken, len(m.Launches))
					}
					if !strings.Contains(err.Error(), filepath.Base(broken)) {
						t.Errorf("the error does not name %s: %v", broken, err)
					}
				})
			}
		}
	}
}

// copyDamaged copies a result and damages its largest file.
func copyDamaged(t *testing.T, from, to string, damage func([]byte) []byte) string {
	t.Helper()
	largest, size := "", -1
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, _ := filepath.Rel(from, path)
		target := filepath.Join(to, rest)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		data, err := os.ReadFile(path)
		if len(data) > size {
			largest, size = target, len(data)
		}
		return errors.Join(err, os.WriteFile(target, data, 0o644))
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(largest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(largest, damage(data), 0o644); err != nil {
		t.Fatal(err)
	}
	return largest
}

func TestDetect(t *testing.T) {
	for _, tt := range []struct {
		paths []string
		want  string
	}{
		{nil, "nothing to read"},
		{[]string{"testdata/missing"}, "no such file"},
		{[]string{t.TempDir()}, "no tool knows this as its own result; name the tool"},
		{[]string{"testdata/genai-bench/errors", t.TempDir()}, "no tool knows this"},
	} {
		_, err := Detect(tt.paths)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Detect(%v) = %v, want %q", tt.paths, err, tt.want)
		}
	}
	if _, err := Find("jmeter"); err == nil || !strings.Contains(err.Error(), "genai-bench") {
		t.Errorf("Find of an unknown tool = %v, want the names of those that are known", err)
	}
}

// A failed import leaves nothing behind.
func TestWriteFails(t *testing.T) {
	m, err := GenAIBench.Read(samples(t, GenAIBench)[:1])
	if err != nil {
		t.Fatal(err)
	}
	m.Launches[0].Points[0].Chunks = append(m.Launches[0].Points[0].Chunks, record.Chunk{Request: 1 << 40})
	out := t.TempDir()
	_, _, err = m.Write(t.Context(), Options{Out: out, Now: time.Unix(1_700_000_000, 0)})
	if err == nil || !strings.Contains(err.Error(), "which there is not") {
		t.Errorf("Write = %v, want an error about the answer without a request", err)
	}
	if left, _ := os.ReadDir(out); len(left) > 0 {
		t.Errorf("%d folders are left behind, such as %s", len(left), left[0].Name())
	}
}
