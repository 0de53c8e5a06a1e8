package fidelity

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time that this thread has used.
func threadTime() (time.Duration, error) { return usage(unix.RUSAGE_THREAD) }

// residentSet is the largest that this process has had, which unlike getrusage's
// does not begin with that of the parent, and how much of it is file pages now.
func residentSet() (peak, file int64, err error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "VmHWM:" && fields[0] != "RssFile:" {
			continue
		}
		kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("/proc/self/status, %s %w", fields[0], err)
		}
		if fields[0] == "VmHWM:" {
			peak = kilobytes << 10
		} else {
			file = kilobytes << 10
		}
	}
	if peak == 0 {
		return 0, 0, errors.New("/proc/self/status has no VmHWM")
	}
	return peak, file, nil
}

// startOn starts cmd on one processor. A child inherits the set of the thread that
// made it, so that even its first instruction runs there.
func startOn(cmd *exec.Cmd, core int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("sched_getaffinity: %w", err)
	}
	one.Set(core)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return fmt.Errorf("sched_setaffinity to processor %d: %w", core, err)
	}
	err := cmd.Start()
	return errors.Join(err, unix.SchedSetaffinity(0, &before))
}

// TwoCores are the first two processors that this process may use; nil when
// there are fewer, and then client and simulator share what there is.
func TwoCores() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	var cores []int
	for i := 0; i < 1024 && len(cores) < 2; i++ {
		if set.IsSet(i) {
			cores = append(cores, i)
		}
	}
	if len(cores) < 2 {
		return nil, nil
	}
	return cores, nil
}
