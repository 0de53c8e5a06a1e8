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

// startOn starts cmd on some processors. A child inherits the set of the thread that
// made it, so that even its first instruction runs there.
func startOn(cmd *exec.Cmd, cores ...int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, some unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("sched_getaffinity: %w", err)
	}
	for _, core := range cores {
		some.Set(core)
	}
	if err := unix.SchedSetaffinity(0, &some); err != nil {
		return fmt.Errorf("sched_setaffinity to processors %v: %w", cores, err)
	}
	err := cmd.Start()
	return errors.Join(err, unix.SchedSetaffinity(0, &before))
}

// SpareCores are the processors of the host that this process is kept from, as by
// taskset; nil where it may use all. Those that its control group forbids may be among
// them.
func SpareCores() ([]int, error) {
	var own unix.CPUSet
	if err := unix.SchedGetaffinity(0, &own); err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	online, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return nil, err
	}
	var spare []int
	for span := range strings.SplitSeq(strings.TrimSpace(string(online)), ",") {
		from, to, isRange := strings.Cut(span, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("/sys/devices/system/cpu/online: %w", err)
		}
		for core := first; core <= last; core++ {
			if !own.IsSet(core) {
				spare = append(spare, core)
			}
		}
	}
	return spare, nil
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
