package published

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/suite/acts"
)

// A promotion replaces what is current, keeps what was, and enters both in the acts; a
// copy that does not check, and one without a reason, change nothing.
func TestPromote(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "published")
	bundle := func(id string) Promotion {
		t.Helper()
		dir := filepath.Join(t.TempDir(), id)
		if err := os.MkdirAll(filepath.Join(dir, "raw"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "raw", "rows"), []byte(id), 0o644); err != nil {
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
		if _, err := Promote(bundle(id)); err != nil {
			t.Fatal(err)
		}
	}
	holds("current/b/raw/rows", "b")
	holds("archive/a-20010909T014640Z/a/raw/rows", "a")
	p, known, err := Read(to)
	if err != nil || !known || p.RunID != "b" || p.Replaces != "a" || p.Why != "release" {
		t.Errorf("%+v, %v, %v", p, known, err)
	}
	broken, silent, again, linked := bundle("c"), bundle("d"), bundle("b"), bundle("e")
	broken.Check = func(string) error { return errors.New("NOT VERIFIED") }
	silent.Why = ""
	if err := os.Symlink("/etc/passwd", filepath.Join(linked.Bundle, "raw", "link")); err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string]Promotion{"NOT VERIFIED": broken, "--why": silent, "already": again, "no plain file": linked} {
		if _, err := Promote(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	holds("current/b/raw/rows", "b")
	list, err := acts.Read(filepath.Join(to, ActsFile))
	if err != nil || len(list) != 2 || list[1].Subject != "b" || list[1].Act != acts.Promoted {
		t.Errorf("%+v, %v", list, err)
	}
}
