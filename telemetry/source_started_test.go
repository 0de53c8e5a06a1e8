package telemetry

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// What a started program and the program that it started use is seen while they run,
// and stays in the account when they have ended.
func TestStarted(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to start: want sh on the path")
	}
	h := Tree("/")
	read := func() float64 {
		spent, err := readStarted(h)
		if err != nil {
			t.Skipf("this kernel does not list children (CONFIG_PROC_CHILDREN): %v", err)
		}
		return spent
	}
	before := read()
	cmd := exec.Command(shell, "-c", "sh -c 'while :; do :; done' & trap \"kill $!\" TERM; wait $!; wait")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const least = .05 // s
	grown := 0.0
	for begun := time.Now(); grown < least && time.Since(begun) < time.Minute; time.Sleep(20 * time.Millisecond) {
		grown = read() - before
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was told to end
	if after := read() - before; grown < least || after < least {
		t.Errorf("a loop used %.3f s while it ran and %.3f s when it had ended, want %.2f s at least", grown, after, least)
	}
}
