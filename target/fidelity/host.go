package fidelity

import (
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// mostSenders is enough for 200,000 events a second, which is more than most clients read.
const mostSenders = 4

// Senders is how many processors a simulator may send from without taking them from its
// client: half of the spare ones, or where there are none an eighth of all, each of which
// a sender may use whole.
func Senders(spare []int) int {
	if len(spare) > 0 {
		return min(mostSenders, max(1, len(spare)/2))
	}
	return min(mostSenders, max(1, runtime.NumCPU()/8))
}

// processTime is the processor time that this process has used.
func processTime() (time.Duration, error) { return usage(unix.RUSAGE_SELF) }

func usage(who int) (time.Duration, error) {
	var u unix.Rusage
	if err := unix.Getrusage(who, &u); err != nil {
		return 0, fmt.Errorf("getrusage: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
