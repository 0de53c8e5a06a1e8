package triage

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/telemetry"
)

// A triage has facts, readings and the words of a command, says which profilers are not
// here, is marked, and no bundle.
func TestGather(t *testing.T) {
	t.Parallel()
	host := telemetry.Local(t.Context())
	defer host.Close()
	dir, m, err := Gather(t.Context(), Options{
		Root: t.TempDir(), Tag: "a b", Host: host, Duration: time.Minute, Command: []string{"sh", "-c", "echo working; echo with canary-3f9a1c77e2"}, Profile: true, Now: time.Unix(1e9, 0),
		Redactor: bundle.NewRedactor([]string{"canary-3f9a1c77e2"}, nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(dir, "_20010909T014640Z_a-b") || m.Evidence {
		t.Errorf("%s, %+v", dir, m)
	}
	for _, name := range []string{bundle.TriageFile, "environment.json", "doctor.json", "samples.csv"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 50 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"nsys", "ncu"} {
		i := slices.IndexFunc(m.Tools, func(t Tool) bool { return t.Name == name })
		if i < 0 || m.Tools[i].Absent == "" && m.Tools[i].File == "" {
			t.Errorf("%s is neither run nor called absent: %+v", name, m.Tools)
		}
	}
	i := slices.IndexFunc(m.Tools, func(t Tool) bool { return t.Name == "command" })
	if said, _ := os.ReadFile(filepath.Join(dir, "command.log")); i >= 0 && !strings.HasPrefix(string(said), "working\n") {
		t.Errorf("the command said %q", said)
	}
	if _, err := bundle.Open(dir); !errors.Is(err, bundle.ErrNotBundle) || !strings.Contains(err.Error(), "no evidence") {
		t.Errorf("opened as a bundle: %v", err)
	}
	for _, name := range []string{bundle.TriageFile, "command.log"} {
		if data, _ := os.ReadFile(filepath.Join(dir, name)); strings.Contains(string(data), "canary") {
			t.Errorf("%s holds a secret: %s", name, data)
		}
	}
	packed, err := Pack(dir)
	if err != nil {
		t.Fatal(err)
	}
	if names := namesIn(t, packed); !slices.Contains(names, filepath.Base(dir)+"/"+bundle.TriageFile) {
		t.Errorf("%s holds %v", packed, names)
	}
}

func namesIn(t *testing.T, path string) (names []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(unpacked); ; {
		head, err := archive.Next()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, head.Name)
	}
}
