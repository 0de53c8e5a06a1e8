package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/bundle"
	"assay/record"
)

// What a library wrote is among the logs of its launch: whole where it is short, its
// beginning and its end where it is long.
func TestLibraryLogs(t *testing.T) {
	t.Parallel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir, ranks := filepath.Join(t.TempDir(), "b"), t.TempDir()
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: []byte("{}")})
	must(err)
	l, err := w.StartLaunch(bundle.LaunchStart{Index: 0, Clock: record.ClockID})
	must(err)
	long := "begin\n" + strings.Repeat("x\n", (keptFirst+keptLast)/2) + "the end\n"
	must(os.WriteFile(filepath.Join(ranks, "nccl-rank-00000.log"), []byte("NCCL INFO Channel 00\n"), 0o644))
	must(os.WriteFile(filepath.Join(ranks, "nccl-rank-00001.log"), []byte(long), 0o644))
	must(Launch{Out: l}.keepLibraryLogs(ranks, 3))
	must(l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}))
	read := func(rank string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, "raw", "launch-00", "logs", "world-03-nccl-rank-"+rank+".log"))
		must(err)
		return string(data)
	}
	if got := read("00000"); got != "NCCL INFO Channel 00\n" {
		t.Errorf("%q", got)
	}
	got := read("00001")
	if len(got) > keptFirst+keptLast+100 || !strings.HasPrefix(got, "begin\n") || !strings.HasSuffix(got, "the end\n") || !strings.Contains(got, "bytes are left out here") {
		t.Errorf("%d bytes are kept of %d", len(got), len(long))
	}
}
