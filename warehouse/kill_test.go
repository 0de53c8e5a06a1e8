package warehouse

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/judge"
	"assay/tests/whole"
)

// childMode tells the test binary to be a process that another test harms.
const childMode = "ASSAY_WAREHOUSE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(childMode); mode {
	case "":
		os.Exit(m.Run())
	case "keep":
		exit(keepAll(os.Args[1], os.Args[2:]))
	case "limited":
		exit(errors.Join(limitFiles(200<<10), keepAll(os.Args[1], os.Args[2:])))
	default:
		exit(fmt.Errorf("%s=%q: want keep or limited", childMode, mode))
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// limitFiles has every write beyond a size fail, as a full disk would.
func limitFiles(most uint64) error {
	signal.Ignore(syscall.SIGXFSZ) // the limit shall be an error of write, not a death
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most})
}

// keepAll keeps bundles and prints the digest of each once it is kept.
func keepAll(dir string, bundles []string) error {
	ctx := context.Background()
	w, err := OpenWriter(ctx, dir)
	if err != nil {
		return err
	}
	defer w.Close()
	for _, path := range bundles {
		j, err := judge.Open(path, options)
		if err != nil {
			return err
		}
		kept, err := w.Keep(ctx, j, time.Now())
		if err != nil {
			return err
		}
		if _, err := fmt.Println(kept.Digest); err != nil {
			return err
		}
		if err := w.Refresh(ctx); err != nil {
			return err
		}
	}
	return nil
}

func child(mode, dir string, bundles []string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{dir}, bundles...)...)
	cmd.Env = append(os.Environ(), childMode+"="+mode)
	return cmd
}

func someBundles(t *testing.T, n int) (list []string) {
	for i := range n {
		list = append(list, sealed(t, fmt.Sprintf("run-%d", i), 1+float64(i)/100, machine("570")))
	}
	return list
}

// A process is killed at random moments while it keeps bundles. What it said is kept must
// be there, nothing half may be seen, and the next process must finish the work.
func TestKilled(t *testing.T) {
	moments := 5
	switch {
	case whole.Exhaustive():
		moments = 200
	case whole.All():
		moments = 30
	}
	bundles := someBundles(t, 6)
	begun := time.Now()
	must(t, child("keep", filepath.Join(t.TempDir(), "w"), bundles).Run())
	takes := time.Since(begun)
	rng := rand.New(rand.NewPCG(5, 6))
	early, late := 0, 0
	for moment := range moments {
		dir := filepath.Join(t.TempDir(), "w")
		said := killAfter(t, child("keep", dir, bundles), time.Duration(rng.Int64N(int64(takes))))
		w, err := OpenWriter(t.Context(), dir)
		must(t, err)
		there := clearedUp(t, w)
		for _, digest := range said {
			if !slices.Contains(there, digest) {
				t.Errorf("moment %d: %s was kept, and the catalogue has it not", moment, digest)
			}
		}
		must(t, w.Close())
		if moment%10 == 0 {
			must(t, finish(t, dir, bundles))
		}
		if len(said) == 0 {
			early++
		} else {
			late++
		}
		must(t, os.RemoveAll(dir))
	}
	t.Logf("%d moments before the first bundle was kept, %d after it", early, late)
}

// killAfter is what the process said before it was killed.
func killAfter(t *testing.T, cmd *exec.Cmd, after time.Duration) (said []string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	timer := time.AfterFunc(after, func() { cmd.Process.Kill() }) // it may have ended by itself
	defer timer.Stop()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		said = append(said, lines.Text())
	}
	cmd.Wait() // was killed, most often
	return said
}

// clearedUp is intact, and wants no copy without a name: the writer has cleared up.
func clearedUp(t *testing.T, w *Warehouse) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(w.dir, bundlesDir, "??", ".*"))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return intact(t, w)
}

// finish does what a killed process began.
func finish(t *testing.T, dir string, bundles []string) error {
	t.Helper()
	if err := child("keep", dir, bundles).Run(); err != nil {
		return err
	}
	w, err := OpenWriter(t.Context(), dir)
	if err != nil {
		return err
	}
	if got := intact(t, w); len(got) != len(bundles) {
		t.Errorf("%d bundles after the work was finished, want %d", len(got), len(bundles))
	}
	return w.Close()
}

// Where the disk takes no more, the error says so, what was kept stays, and nothing half
// is seen.
func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "w")
	bundles := someBundles(t, 4)
	must(t, child("keep", dir, bundles[:1]).Run())
	var errs bytes.Buffer
	cmd := child("limited", dir, bundles)
	cmd.Stderr = &errs
	if err := cmd.Run(); err == nil {
		t.Fatal("the limit was never reached")
	}
	if text := errs.String(); !strings.Contains(text, "limit") && !strings.Contains(text, "full") && !strings.Contains(text, "disk I/O") {
		t.Errorf("the error is %q, want what is wrong with the disk", text)
	}
	w := writer(t, dir)
	if got := clearedUp(t, w); len(got) < 1 {
		t.Error("what was kept before is gone")
	}
	for _, path := range bundles {
		keep(t, w, path)
	}
	if got := intact(t, w); len(got) != len(bundles) {
		t.Errorf("%d bundles once there is room, want %d", len(got), len(bundles))
	}
}

// Two processes that keep at once take turns.
func TestAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "w")
	bundles := someBundles(t, 4)
	a, b := child("keep", dir, bundles), child("keep", dir, bundles)
	a.Stderr, b.Stderr = os.Stderr, os.Stderr
	must(t, a.Start())
	must(t, b.Start())
	must(t, a.Wait())
	must(t, b.Wait())
	if got := intact(t, writer(t, dir)); len(got) != len(bundles) {
		t.Errorf("%d bundles, want %d", len(got), len(bundles))
	}
}
