// Package program builds the assay command once for a test binary and runs it as a
// user would: arguments in, output, exit code and peak memory out. Tests that attack
// the program from outside start here; it is not part of the product.
package program

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A Result is what one run of the program left behind.
type Result struct {
	Stdout, Stderr string
	Code           int   // exit code; -1 when it was killed
	PeakBytes      int64 // the largest resident set
	TimedOut       bool
}

// Text is everything that a person would have seen.
func (r Result) Text() string { return r.Stdout + r.Stderr }

// A Command is one call of the program. The zero value runs in a new folder with
// the environment of the test and a limit of two minutes.
type Command struct {
	Args  []string
	Dir   string
	Env   []string // added to the environment
	Stdin []byte
	Limit time.Duration
}

// Run runs assay with args in dir.
func Run(t testing.TB, dir string, args ...string) Result {
	t.Helper()
	return Command{Args: args, Dir: dir}.Run(t)
}

// Run runs the command until it ends or its limit has passed; then it is killed and
// the result says so.
func (c Command) Run(t testing.TB) Result {
	t.Helper()
	if c.Limit == 0 {
		c.Limit = 2 * time.Minute
	}
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	path := Path(t) // before the limit begins: a build on a busy machine takes minutes
	ctx, cancel := context.WithTimeout(t.Context(), c.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, c.Args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, append(os.Environ(), c.Env...), bytes.NewReader(c.Stdin)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended, peak := make(chan struct{}), make(chan int64, 1)
	go func() { peak <- WatchPeak(cmd.Process.Pid, path, ended) }() // ends with the process
	_ = cmd.Wait()                                                  // how it ended is in its state
	close(ended)
	return Result{
		Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode(), TimedOut: ctx.Err() != nil, PeakBytes: <-peak,
	}
}

// WatchPeak reads the largest resident size of a process until it ends. What the system
// says of an ended process is no less than the size of this one, whose memory it shared
// for a moment before it became another program. Which program it is follows the memory,
// unlike its name: once it is the one at path, the next reading is of its own memory.
func WatchPeak(pid int, path string, ended <-chan struct{}) (most int64) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && exe == path {
			most = max(most, peakOf(pid))
		}
		select {
		case <-ended:
			return most
		case <-tick.C:
		}
	}
}

// peakOf is the largest resident size so far, 0 where the system does not say.
func peakOf(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	var kib int64
	if _, after, ok := strings.Cut(string(text), "VmHWM:"); ok {
		_, _ = fmt.Sscan(after, &kib)
	}
	return kib << 10
}
