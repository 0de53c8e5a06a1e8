package fidelity

import (
	"bytes"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestSenders(t *testing.T) {
	for n, want := range map[int]int{1: 1, 3: 1, 4: 2, 12: 4, 100: 4} {
		if got := Senders(make([]int, n)); got != want {
			t.Errorf("%d spare processors: %d senders, want %d", n, got, want)
		}
	}
	if got := Senders(nil); got < 1 || got > max(1, runtime.NumCPU()/8) {
		t.Errorf("no spare processors of %d: %d senders", runtime.NumCPU(), got)
	}
}

// The simulator of a client that is kept on one processor runs on the others.
func TestSpareCores(t *testing.T) {
	cores, err := TwoCores()
	if err != nil || cores == nil {
		t.Skipf("two processors are needed, and this machine or its affinity gives one: %v", err)
	}
	runtime.LockOSThread() // and never unlocked: the thread ends with the test, and its processor with it
	var one unix.CPUSet
	one.Set(cores[0])
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	spare, err := SpareCores()
	if err != nil || slices.Contains(spare, cores[0]) || !slices.Contains(spare, cores[1]) {
		t.Fatalf("spare processors %v, %v; want all but %d", spare, err, cores[0])
	}
	for which, want := range []bool{true, false} { // the client stays
		cmd := exec.Command("cat", "/proc/self/status")
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := (Bench{Spare: spare}).start(cmd, which); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), fmt.Sprintf("Cpus_allowed_list:\t%d\n", cores[0])); got != want {
			t.Errorf("process %d on processor %d alone: %v, want %v", which, cores[0], got, want)
		}
	}
}
