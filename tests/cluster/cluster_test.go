package cluster

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/tests/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// hangs only ends a test that hangs: everything here takes seconds where nobody else
// wants the processors.
const hangs = 5 * time.Minute

// needs skips a test where something that it starts is not installed.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("hosts of its own need root: run it as root")
	}
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed: make test-cluster installs it", name)
		}
	}
}

// do runs a command and fails the test where it fails. A word @ is an empty one.
func do(t *testing.T, line string) string {
	t.Helper()
	words := strings.Fields(line)
	for i, word := range words {
		if word == "@" {
			words[i] = ""
		}
	}
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", line, err, out)
	}
	return string(out)
}

// background starts a process that ends with the test.
func background(t *testing.T, log string, args ...string) *exec.Cmd {
	t.Helper()
	file, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = file, file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		file.Close()
	})
	return cmd
}

// soon waits until something holds.
func soon(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(hangs); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%v later still not: %s", hangs, what)
		}
	}
}

// A said keeps what a program prints while it runs.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// start starts assay. Its output is there while it runs.
func start(t *testing.T, args ...string) (*exec.Cmd, *said) {
	t.Helper()
	limit := hangs
	if args[0] == "suite" { // hosts that share these processors take turns at them
		limit *= 3
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program.Path(t), args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	out := &said{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// assay runs the program to its end.
func assay(t *testing.T, args ...string) (said string, code int) {
	t.Helper()
	cmd, out := start(t, args...)
	_ = cmd.Wait()
	return out.String(), cmd.ProcessState.ExitCode()
}

// opened is the one bundle in a folder, which must verify.
func opened(t *testing.T, dir string) *bundle.Bundle {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(dir, "*__run__*"))
	if len(found) != 1 {
		t.Fatalf("%d bundles in %s, want one", len(found), dir)
	}
	if out, code := assay(t, "verify", found[0]); code != 0 {
		t.Errorf("the bundle does not verify: exit %d\n%s", code, out)
	}
	b, err := bundle.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ranksOf are the ranks of the first launch.
func ranksOf(t *testing.T, b *bundle.Bundle) (rows []record.Rank) {
	t.Helper()
	for row, err := range bundle.Rows[record.Rank](b, 0, bundle.Ranks) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// started wants the report to say where the run was started.
func started(t *testing.T, b *bundle.Bundle, want string) {
	t.Helper()
	out, code := assay(t, "report", "--all", b.Dir)
	for line := range strings.Lines(out) {
		if where, ok := strings.CutPrefix(line, "started "); ok && strings.Contains(where, want) {
			t.Log(strings.TrimSpace(line))
			return
		}
	}
	t.Errorf("exit %d, and the report does not say %q:\n%s", code, want, out)
}
