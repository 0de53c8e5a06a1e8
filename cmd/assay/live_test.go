package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/tests/whole"
)

// A terminalScreen is a real terminal: tmux, which a test can look at and type into.
type terminalScreen struct {
	t      *testing.T
	socket string
}

// openTerminal runs a command line in a terminal of 80 columns and 24 lines.
func openTerminal(t *testing.T, line string) *terminalScreen {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed; make test installs it")
	}
	s := &terminalScreen{t, filepath.Join(t.TempDir(), "tmux")}
	s.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", line)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", s.socket, "kill-server").Run() }) // it may have ended with its command
	return s
}

func (s *terminalScreen) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// sees waits until the screen shows text.
func (s *terminalScreen) sees(text string) string {
	s.t.Helper()
	var shown string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if shown = s.tmux("capture-pane", "-p"); strings.Contains(shown, text) {
			return shown
		}
	}
	s.t.Fatalf("the screen never showed %q:\n%s", text, shown)
	return ""
}

// The live view in a real terminal: it draws, it explains itself, it aborts when
// asked twice, and it leaves a valid bundle and the terminal as it was.
func TestLiveView(t *testing.T) {
	whole.Only(t)
	out := t.TempDir()
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("CI", "")
	s := openTerminal(t, fmt.Sprintf("stty -g >%[2]s/before; %[1]s demo --duration 30s -o %[2]s 2>&1; code=$?; stty -g >%[2]s/after; echo left with $code; sleep 60", os.Args[0], out))
	shown := s.sees("point 1 of 3")
	for _, want := range []string{"assay  demo", "launch 1 of 3", "TTFT", "in flight", "errors    none", "steady", "client", "q twice: abort"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the screen lacks %q:\n%s", want, shown)
		}
	}
	s.sees("by 1 user ·")
	s.tmux("send-keys", "?")
	s.sees("Figures are of the moment")
	s.tmux("send-keys", "?")
	s.sees("in flight")
	s.tmux("send-keys", "q")
	s.sees("Press q again within 3 s")
	s.tmux("send-keys", "q")
	s.sees("left with 1")
	if shown := s.tmux("capture-pane", "-p", "-S", "-200"); !strings.Contains(shown, "aborted from the keyboard") || strings.Contains(shown, "q twice") {
		t.Errorf("after the abort the screen shows\n%s", shown)
	}
	before, _ := os.ReadFile(filepath.Join(out, "before"))
	after, _ := os.ReadFile(filepath.Join(out, "after"))
	if len(before) == 0 || string(before) != string(after) {
		t.Errorf("the terminal was %q and is %q", before, after)
	}
	dirs, err := filepath.Glob(filepath.Join(out, "*__run__demo"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("bundles %v, %v; want one", dirs, err)
	}
	text, stderr, code := call(t, "verify", dirs[0], "--key", filepath.Join(out, "demo.key.pub"))
	if code != exitOK {
		t.Errorf("verify: exit %d\n%s%s", code, text, stderr)
	}
	b, err := bundle.Open(dirs[0])
	if err != nil || b.Manifest.Status != bundle.Aborted {
		t.Errorf("status %v, %v; want aborted", b.Manifest.Status, err)
	}
}

// A job in the background of a shell must not be stopped for touching the terminal.
func TestLiveViewInTheBackground(t *testing.T) {
	out := t.TempDir()
	t.Setenv("CI", "")
	s := openTerminal(t, fmt.Sprintf("bash -mc '%s demo --duration 30s -o %s & wait'", os.Args[0], out))
	if shown := s.sees("launch 1 of 3  "); strings.Contains(shown, "q twice") {
		t.Errorf("it draws all the same:\n%s", shown)
	}
	s.sees("concurrency=1")
}

// On a pipe there is a line in every interval.
func TestPlainProgress(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits
	source, err := demoSource("700ms", 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(source), "concurrency: [1, 4, 16]", "calibrate: false\n    concurrency: [4]", 1)
	text = strings.Replace(text, "warmup: {duration: 1s}", "warmup: {duration: 700ms}", 1)
	file := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := call(t, "run", file, "--out", t.TempDir(), "--progress-interval", "200ms")
	if code != exitOK {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	if !regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  launch \d of 3  concurrency=4  measuring \d+ %  .*/s  in flight \d+  TTFT p50 .* p99 .*  errors 0 of \d+  run \d+ %, `).MatchString(stderr) {
		t.Errorf("no line of a measured window:\n%s", stderr)
	}
	if !regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  launch 3 of 3  concurrency=4$`).MatchString(stderr) {
		t.Errorf("no line for the step of a launch:\n%s", stderr)
	}
}

func TestProgressFlags(t *testing.T) {
	if _, stderr, code := call(t, "run", "--progress", "loud", "../../examples/minimal.yaml"); code != exitUsage || !strings.Contains(stderr, "want auto, tty, plain, json or none") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if _, stderr, code := call(t, "run", "--progress", "tty", "../../examples/minimal.yaml"); code != exitUsage || !strings.Contains(stderr, "not a terminal") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
