package published

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/suite/acts"
)

// A promotion replaces what is current, keeps what was, and enters both in the acts; a
// copy that does not check, and one without a reason, change nothing.
func TestPromote(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "published")
	sealed := func(id string) Promotion {
		t.Helper()
		dir := filepath.Join(t.TempDir(), id)
		w, err := bundle.Create(dir, bundle.Header{RunID: id, Created: time.Unix(1e9, 0), Spec: []byte(id), Plan: []byte("{}"), Tool: bundle.Tool{Name: "assay", Version: "0.1.0"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{}); err != nil {
			t.Fatal(err)
		}
		return Promotion{Bundle: dir, To: to, RunID: id, Digest: "sha256:" + id, Why: "release", At: time.Unix(1e9, 0), Check: func(string) error { return nil }}
	}
	holds := func(path, want string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(to, path)); string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", path, got, err, want)
		}
	}
	for _, id := range []string{"a", "b"} {
		if _, err := Promote(t.Context(), sealed(id)); err != nil {
			t.Fatal(err)
		}
	}
	holds("current/b/spec.yaml", "b")
	holds("archive/a-20010909T014640Z/a/spec.yaml", "a")
	p, known, err := Read(to)
	if err != nil || !known || p.RunID != "b" || p.Replaces != "a" || p.Why != "release" {
		t.Errorf("%+v, %v, %v", p, known, err)
	}
	broken, silent, again, linked := sealed("c"), sealed("d"), sealed("b"), sealed("e")
	broken.Check = func(string) error { return errors.New("NOT VERIFIED") }
	silent.Why = ""
	if err := os.Symlink("/etc/passwd", filepath.Join(linked.Bundle, "link")); err != nil {
		t.Fatal(err)
	}
	changed := sealed("f")
	if err := os.WriteFile(filepath.Join(changed.Bundle, bundle.SpecFile), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string]Promotion{"NOT VERIFIED": broken, "--why": silent, "already": again, "no plain file": linked, "does not verify": changed} {
		if _, err := Promote(t.Context(), p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	holds("current/b/spec.yaml", "b")
	list, err := acts.Read(filepath.Join(to, ActsFile))
	if err != nil || len(list) != 2 || list[1].Subject != "b" || list[1].Act != acts.Promoted {
		t.Errorf("%+v, %v", list, err)
	}
}

// Where the new one cannot take the place of the old, the old one stays.
func TestFailedReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, Current, "kept"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := replace(dir, filepath.Join(dir, "nothing"), Package{RunID: "a"}, true); err == nil {
		t.Fatal("nothing took the place of something")
	}
	if _, err := os.Stat(filepath.Join(dir, Current, "kept")); err != nil {
		t.Error(err)
	}
}
