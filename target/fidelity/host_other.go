//go:build !linux

package fidelity

import (
	"fmt"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is zero: only Linux tells the time of one thread, so that of decoding
// stays part of the whole.
func threadTime() (time.Duration, error) { return 0, nil }

// residentSet is the largest that this process has had, in which that of its parent
// may be counted. How much of it is file pages is not reported.
func residentSet() (peak, file int64, err error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, 0, fmt.Errorf("getrusage: %w", err)
	}
	return int64(u.Maxrss), 0, nil // in bytes on Darwin
}

// startOn starts cmd anywhere: threads cannot be pinned here.
func startOn(cmd *exec.Cmd, _ ...int) error { return cmd.Start() }

// SpareCores is nil: nothing is kept from a processor here.
func SpareCores() ([]int, error) { return nil, nil }

// TwoCores is nil: client and simulator share what there is.
func TwoCores() ([]int, error) { return nil, nil }
