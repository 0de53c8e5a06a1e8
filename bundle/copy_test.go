package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A copy holds every file, verifies by itself, cannot be written to and is made once.
func TestCopy(t *testing.T) {
	w := create(t, header())
	l := startLaunch(t, w, 0)
	check(t, l.Close(LaunchEnd{Outcome: LaunchCompleted}))
	_, err := w.Seal(t.Context(), Completed, SealOptions{})
	check(t, err)
	to := filepath.Join(t.TempDir(), "archive", "run-1") + "/"
	check(t, Copy(t.Context(), w.Dir(), to))
	seal, err := VerifyFor(to, Trust{})
	if err != nil || !seal.Verified {
		t.Errorf("the copy does not verify: %+v, %v", seal, err)
	}
	info, err := os.Stat(filepath.Join(to, ManifestFile))
	if err != nil || info.Mode().Perm()&0o222 != 0 {
		t.Errorf("manifest of the copy: mode %v, %v; want nobody to write to it", info.Mode(), err)
	}
	if err := Copy(t.Context(), w.Dir(), to); err == nil || !strings.Contains(err.Error(), "written once") {
		t.Errorf("a second copy: %v, want it refused", err)
	}
}

// A bundle that is not what was sealed leaves no copy behind.
func TestCopyOfTamperedBundle(t *testing.T) {
	w := create(t, header())
	l := startLaunch(t, w, 0)
	check(t, l.Close(LaunchEnd{Outcome: LaunchCompleted}))
	_, err := w.Seal(t.Context(), Completed, SealOptions{})
	check(t, err)
	check(t, os.WriteFile(filepath.Join(w.Dir(), "plan.json"), []byte("{}"), 0o644))
	archive := t.TempDir()
	if err := Copy(t.Context(), w.Dir(), filepath.Join(archive, "run-1")); err == nil {
		t.Error("a changed bundle was copied")
	}
	if left, _ := os.ReadDir(archive); len(left) > 0 {
		t.Errorf("%v is left behind", left)
	}
}
