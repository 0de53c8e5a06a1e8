package bundle

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/record"
)

// childMode tells the test binary to be a process that another test harms.
const childMode = "ASSAY_BUNDLE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(childMode); mode {
	case "":
		os.Exit(m.Run())
	case "endless":
		exit(writeForEver(os.Args[1]))
	case "limited":
		exit(writeLimited(os.Args[1]))
	default:
		exit(fmt.Errorf("%s=%q: want endless or limited", childMode, mode))
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func child(mode, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), childMode+"="+mode)
	cmd.Stderr = os.Stderr
	return cmd
}

// writeForEver makes launches that are long enough to have segments to merge. Its rows
// are numbered, and it tells of every hundredth that it appended it.
func writeForEver(dir string) error {
	w, err := Create(dir, header())
	if err != nil {
		return err
	}
	for launch := 0; ; launch++ {
		l, err := w.StartLaunch(LaunchStart{Index: launch, Order: launch})
		if err != nil {
			return err
		}
		// The first ends soon, so that there is a merge to hit; the others last, so
		// that rows which nobody flushed would be missed.
		end := time.Now().Add(min(1300*time.Millisecond+time.Duration(launch)*time.Hour, time.Hour))
		for i := int64(0); time.Now().Before(end); i++ {
			if err := l.Chunks.Append(record.Chunk{Request: i, Kind: record.Content}); err != nil {
				return err
			}
			if i%100 == 0 {
				fmt.Println(launch, i) // for the parent, who will ask what was lost
				time.Sleep(time.Millisecond)
			}
		}
		if err := l.Close(LaunchEnd{Outcome: LaunchCompleted}); err != nil {
			return err
		}
	}
}

// A process killed at any moment leaves a bundle that Recover seals, without a
// gap, without a row twice, and without more than the last second missing.
func TestKill(t *testing.T) {
	t.Parallel()
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, seed))
	for i := range 6 {
		wait := 200*time.Millisecond + time.Duration(rng.Int64N(int64(4500*time.Millisecond)))
		t.Run(fmt.Sprintf("%d after %v", i, wait.Round(time.Millisecond)), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "bundle")
			cmd := child("endless", dir)
			var told bytes.Buffer
			cmd.Stdout = &told
			check(t, cmd.Start())
			waitForFile(t, filepath.Join(dir, LedgerFile))
			time.Sleep(wait)
			check(t, cmd.Process.Kill())
			_ = cmd.Wait() // says that it was killed
			for launch, rows := range checkRecovered(t, dir) {
				checkLost(t, told.String(), launch, rows)
			}
		})
	}
}

// checkLost finds the first row that was appended, as the child told, and is not
// in the bundle. The child must not have told of a thousand more: it tells of one in a
// millisecond at most, so that is a second of its time, however busy the host is.
func checkLost(t *testing.T, told string, launch int, rows int64) {
	t.Helper()
	lost, since := int64(-1), 0
	for line := range strings.Lines(told) {
		var l int
		var row int64
		if n, err := fmt.Sscan(line, &l, &row); n < 2 || err != nil || l != launch || row < rows {
			continue // the last line may be torn
		}
		if since++; lost < 0 {
			lost = row
		}
	}
	if since > 1000 {
		t.Errorf("launch %d: row %d is lost, and the child lived for %d ms or more after it", launch, lost, since)
	}
}

func waitForFile(t *testing.T, path string) {
	t.Helper()
	for range 1000 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s did not appear within 10s", path)
}

// checkRecovered recovers and reads the bundle and returns the rows it holds of
// each launch.
func checkRecovered(t *testing.T, dir string) map[int]int64 {
	t.Helper()
	m, err := Recover(context.Background(), dir, SealOptions{})
	check(t, err)
	if m.Status != Partial {
		t.Errorf("status = %s, want partial", m.Status)
	}
	if r := verify(t, dir); !r.Verified {
		t.Errorf("a recovered bundle must verify: %+v", r.Failures())
	}
	b, err := Open(dir)
	check(t, err)
	rows := map[int]int64{}
	for _, l := range b.Launches() {
		rows[l.Index] = 0 // a launch that lost everything counts too
		for row, err := range Rows[record.Chunk](b, l.Index, Chunks) {
			check(t, err)
			if row.Request != rows[l.Index] {
				t.Fatalf("launch %d: got row %d, want %d", l.Index, row.Request, rows[l.Index])
			}
			rows[l.Index]++
		}
		if want, ok := l.Rows[Chunks]; ok && want != rows[l.Index] {
			t.Errorf("launch %d: got %d rows, the ledger says %d", l.Index, rows[l.Index], want)
		}
	}
	for _, f := range allFiles(t, dir) {
		if outside(f) && f != ManifestFile {
			t.Errorf("%s is left after recovery", f)
		}
	}
	return rows
}

// What recovery finds at the moments that are too short to be hit by chance.
func TestRecover(t *testing.T) {
	t.Parallel()
	half := func(t *testing.T) string { // a run with an open launch, as a kill leaves it
		w := create(t, header())
		l := startLaunch(t, w, 0)
		appendAll(t, l, 10, 1)
		l.flushNow(t)
		check(t, l.halt())
		check(t, w.Abandon())
		return w.Dir()
	}
	write := func(dir, name, text string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644) }
	tests := []struct {
		name     string
		change   func(dir string) error
		warnings int
	}{
		{"as killed", func(string) error { return nil }, 0},
		{"torn ledger line", func(d string) error {
			text, err := os.ReadFile(filepath.Join(d, LedgerFile))
			if err != nil {
				return err
			}
			return write(d, LedgerFile, string(text)+`{"event":"en`)
		}, 1},
		{"unfinished segment", func(d string) error { return write(d, "raw/launch-00/chunks-00001.parquet.tmp", "PAR1") }, 0},
		{"signed, killed before the manifest", func(d string) error { return write(d, AttestationFile, "{}\n") }, 0},
		{"killed while the draft was saved", func(d string) error { return write(d, draftFile+tmpSuffix, "{") }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := half(t)
			check(t, tt.change(dir))
			if _, err := Open(dir); err != nil {
				t.Errorf("Open before recovery: %v", err)
			}
			key := newKey(t)
			m, err := Recover(context.Background(), dir, SealOptions{Signer: key})
			check(t, err)
			if len(m.Warnings) != tt.warnings || m.Launches[0].Outcome != LaunchAborted {
				t.Errorf("got warnings %q, outcome %s; want %d and aborted", m.Warnings, m.Launches[0].Outcome, tt.warnings)
			}
			if r := verify(t, dir, key.Public()); !r.Verified {
				t.Errorf("Verify: %+v", r.Failures())
			}
			b, err := Open(dir)
			check(t, err)
			if got := len(collect(t, Rows[record.Step](b, 0, Steps))); got != 10 {
				t.Errorf("got %d steps, want 10", got)
			}
		})
	}
}

// Whoever knows what killed a run may say so.
func TestRecoverSaysWhy(t *testing.T) {
	w := create(t, header())
	l := startLaunch(t, w, 0)
	check(t, l.halt())
	check(t, w.Abandon())
	m, err := Recover(context.Background(), w.Dir(), SealOptions{Killed: "host n1: the node is down"})
	check(t, err)
	if got := m.Launches[0]; got.Outcome != LaunchAborted || !strings.HasPrefix(got.Reason, "host n1: the node is down; the run was killed") {
		t.Errorf("the launch is %s: %s", got.Outcome, got.Reason)
	}
}

// A segment torn by a power cut is kept and marked, and the rest stays readable.
func TestRecoverDamagedSegment(t *testing.T) {
	w := create(t, header())
	l := startLaunch(t, w, 0)
	appendAll(t, l, 10, 1)
	check(t, l.halt())
	check(t, w.Abandon())
	damaged := "raw/launch-00/chunks-00000.parquet"
	check(t, os.Truncate(filepath.Join(w.Dir(), damaged), 100))
	m, err := Recover(context.Background(), w.Dir(), SealOptions{})
	check(t, err)
	if len(m.Warnings) != 1 {
		t.Errorf("warnings = %q, want one about the segment", m.Warnings)
	}
	r := verify(t, w.Dir())
	if !r.Verified || len(r.Notes) != 2 {
		t.Errorf("got %+v, notes %q; want verified, with the warning and a note", r.Failures(), r.Notes)
	}
	b, err := Open(w.Dir())
	check(t, err)
	if got := len(collect(t, Rows[record.Chunk](b, 0, Chunks))); got != 0 {
		t.Errorf("got %d chunks from a damaged segment, want none", got)
	}
	if got := len(collect(t, Rows[record.Event](b, 0, Events))); got != 10 {
		t.Errorf("got %d events, want 10", got)
	}
}

// The same, in a launch that had ended before the power was cut: the ledger says
// how many rows there were.
func TestRecoverDamagedLaunch(t *testing.T) {
	w := create(t, header())
	l := startLaunch(t, w, 0)
	appendAll(t, l, 10, 1)
	check(t, l.Close(LaunchEnd{Outcome: LaunchCompleted}))
	check(t, w.Abandon())
	check(t, os.Truncate(filepath.Join(w.Dir(), "raw/launch-00/chunks-00000.parquet"), 100))
	m, err := Recover(context.Background(), w.Dir(), SealOptions{})
	check(t, err)
	if m.Launches[0].Rows[Chunks] != 10 {
		t.Errorf("the ledger says %d chunks, want the 10 that were written", m.Launches[0].Rows[Chunks])
	}
	if r := verify(t, w.Dir()); !r.Verified || len(r.Notes) != 1 {
		t.Errorf("got %+v, notes %q; want verified with a note about the loss", r.Failures(), r.Notes)
	}
}

func TestRecoverRefusals(t *testing.T) {
	if _, err := Recover(context.Background(), t.TempDir(), SealOptions{}); err == nil {
		t.Error("a folder that is no bundle: got no error")
	}
	dir := sealed(t, 1, nil)
	before := readAll(t, filepath.Join(dir, ManifestFile))
	check(t, os.WriteFile(filepath.Join(dir, draftFile), []byte("{}"), 0o644)) // killed right after the manifest
	m, err := Recover(context.Background(), dir, SealOptions{})
	check(t, err)
	if m.Status != Completed || string(readAll(t, filepath.Join(dir, ManifestFile))) != string(before) {
		t.Errorf("a sealed bundle got status %s, want it left as it was", m.Status)
	}
	w := create(t, header())
	check(t, w.Abandon())
	check(t, os.Remove(filepath.Join(w.Dir(), PlanFile)))
	if _, err := Recover(context.Background(), w.Dir(), SealOptions{}); err == nil {
		t.Error("a run killed before it had a plan: got no error")
	}
}
