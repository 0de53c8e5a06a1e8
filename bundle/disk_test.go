package bundle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/record"
)

// writeLimited runs into a limit on the size of its files, which any user may
// set on a process of their own.
func writeLimited(dir string) error {
	signal.Ignore(syscall.SIGXFSZ) // the limit shall be an error of write, not a death
	const limit = 200 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	return fillDisk(dir, syscall.EFBIG)
}

// fillDisk writes a launch that fits, then one that does not, and checks what
// the caller is told.
func fillDisk(dir string, want syscall.Errno) error {
	w, err := Create(dir, header())
	if err != nil {
		return err
	}
	small, err := w.StartLaunch(LaunchStart{Index: 0})
	if err != nil {
		return err
	}
	if err := small.Events.Append(record.Event{Name: "fits"}); err != nil {
		return err
	}
	if err := small.Close(LaunchEnd{Outcome: LaunchCompleted}); err != nil {
		return err
	}
	large, err := w.StartLaunch(LaunchStart{Index: 1, Order: 1})
	if err != nil {
		return err
	}
	appendErr := appendUntilFull(large)
	closeErr := large.Close(LaunchEnd{Outcome: LaunchCompleted})
	for what, err := range map[string]error{"Append": appendErr, "Close": closeErr} {
		if !errors.Is(err, want) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), " free") {
			return fmt.Errorf("%s: got %v, want %v with the path and the free space", what, err, want)
		}
	}
	return w.Abandon()
}

// appendUntilFull appends texts that do not compress.
func appendUntilFull(l *Launch) error {
	for seed := uint64(0); ; seed++ {
		rows := fill[record.Request](200, seed)
		for i := range rows {
			rows[i].Text = fmt.Sprint(fill[record.Chunk](2, seed*1000+uint64(i)))
		}
		if err := l.Requests.Append(rows...); err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func checkFull(t *testing.T, dir string) {
	t.Helper()
	b, err := Open(dir)
	check(t, err)
	if got := collect(t, Rows[record.Event](b, 0, Events)); len(got) != 1 || got[0].Name != "fits" {
		t.Errorf("the launch before the disk was full: got %+v, want its event", got)
	}
	if got := b.Launches()[1]; got.Outcome != LaunchFailed || !strings.Contains(got.Reason, "rows were lost") {
		t.Errorf("the launch that lost rows is %s (%s), want failed", got.Outcome, got.Reason)
	}
	collect(t, Rows[record.Request](b, 1, Requests)) // what is there stays readable
}

func TestFileSizeLimit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bundle")
	check(t, child("limited", dir).Run())
	checkFull(t, dir)
	_, err := Recover(context.Background(), dir, SealOptions{})
	check(t, err)
	if r := verify(t, dir); !r.Verified {
		t.Errorf("Verify after recovery: %+v", r.Failures())
	}
}

// A real full disk, where the test may mount one; the limit above takes the same
// way through the code everywhere.
func TestDiskFull(t *testing.T) {
	mount := t.TempDir()
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size=400k"); err != nil {
		t.Logf("no tmpfs (%v): TestFileSizeLimit covers this path", err)
		return
	}
	defer func() { check(t, syscall.Unmount(mount, 0)) }()
	dir := filepath.Join(mount, "bundle")
	check(t, fillDisk(dir, syscall.ENOSPC))
	checkFull(t, dir)
	if _, err := Create(filepath.Join(mount, "second"), header()); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Create on a full disk: got %v, want nil or ENOSPC", err)
	}
}

// A log on a full disk reports the failure to its writer.
func TestLogDiskFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	check(t, err)
	w := &logWriter{file: full}
	if _, err := w.Write([]byte("line\n")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want ENOSPC", err)
	}
}
