package workers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/tests/whole"
)

func TestUnpack(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	paths := make([]string, 4)
	for i := range paths {
		wait.Go(func() {
			path, err := Unpack(dir)
			if err != nil {
				t.Error(err)
			}
			paths[i] = path
		})
	}
	wait.Wait()
	for _, path := range paths {
		if path != paths[0] || !complete(path) {
			t.Errorf("unpacked at %s, want the complete sources at %s", path, paths[0])
		}
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("%d entries are left, want one", len(entries))
	}
	if err := os.WriteFile(filepath.Join(paths[0], "link.py"), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Unpack(dir); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("Unpack over changed sources = %v, want an error that says to remove them", err)
	}
}

func TestFindPythonSaysHow(t *testing.T) {
	_, err := FindPython(t.Context(), "/no/such/python")
	if err == nil || !strings.Contains(err.Error(), "pip install torch") || !strings.Contains(err.Error(), "--python") {
		t.Errorf("FindPython = %v, want how to get torch", err)
	}
}

// The Python tests start real ranks, so they need an interpreter with torch.
// ASSAY_TEST_PYTHON names another one than the usual.
func TestPython(t *testing.T) {
	whole.Only(t)
	python, err := FindPython(t.Context(), os.Getenv("ASSAY_TEST_PYTHON"))
	if err != nil {
		t.Skipf("no Python that can start ranks, make torch installs one: %v", err)
	}
	if python.Torch == "" || len(python.Backends) == 0 {
		t.Fatalf("FindPython = %+v, want a version and backends", python)
	}
	files, err := filepath.Glob("tests/test_*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("no Python tests: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
			defer cancel()
			command := exec.CommandContext(ctx, python.Path, "-B", filepath.Base(file))
			command.Dir = "tests"
			command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
			command.WaitDelay = 5 * time.Second
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%s with torch %s: %v\n%s", file, python.Torch, err, out)
			}
		})
	}
}
