package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/bundle"
	"assay/plan"
)

// came is a bundle in a folder of staging, as a host that was lost has left it.
func came(t *testing.T, shared, name string) {
	t.Helper()
	p, err := plan.New(jobOf(t, "minimal.yaml").run)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	w, err := bundle.Create(filepath.Join(shared, name), bundle.Header{RunID: name, Spec: []byte("x"), Plan: encoded})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
}

// Every bundle that came back is brought home and sealed; one whose name is taken stays
// where it is, untouched, and the error says where.
func TestBringHome(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out [1]")
	shared, _, err := staging(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		came(t, shared, name)
	}
	if err := os.Mkdir(filepath.Join(out, "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	dirs, err := bringHome(t.Context(), shared, errors.New("host h is gone"))
	if err == nil || !strings.Contains(err.Error(), filepath.Join(out, "b")+" is there already: the bundle that came back stays at "+filepath.Join(shared, "b")) {
		t.Errorf("error %v, want one that says where b stays", err)
	}
	if len(dirs) != 2 {
		t.Fatalf("brought %q home, want a and c", dirs)
	}
	for _, dir := range dirs {
		b, err := bundle.Open(dir)
		if err != nil || !b.Sealed {
			t.Errorf("%s is not sealed: %v", dir, err)
		}
	}
	clearStaging(shared)
	if _, err := os.Stat(filepath.Join(shared, "b", bundle.SpecFile)); err != nil {
		t.Errorf("the bundle that stays was lost: %v", err)
	}
	if err := os.Rename(filepath.Join(shared, "b"), filepath.Join(out, "b2")); err != nil {
		t.Fatal(err)
	}
	clearStaging(shared)
	if _, err := os.Stat(shared); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder of staging is still there: %v", err)
	}
}
