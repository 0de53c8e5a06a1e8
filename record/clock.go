package record

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// ClockID names the clock of every stamp in a bundle.
const ClockID = "CLOCK_MONOTONIC"

// A Clock gives the stamps of one launch: nanoseconds since its epoch. It is
// monotonic, so a step of the wall clock during a stream changes nothing.
type Clock struct {
	start time.Time

	// Epoch is the host's CLOCK_MONOTONIC, in nanoseconds, at stamp zero. Adding
	// it to a stamp gives a time that any program on this host can compare.
	Epoch int64
}

// StartClock returns a clock whose stamp zero is now.
func StartClock() (*Clock, error) {
	// The epoch is read between two readings of Go's own monotonic clock; the
	// middle is off by at most half their distance, well under a microsecond.
	var ts unix.Timespec
	before := time.Now()
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return nil, fmt.Errorf("read %s: %w", ClockID, err)
	}
	middle := before.Add(time.Since(before) / 2)
	return &Clock{start: middle, Epoch: ts.Nano()}, nil
}

// Now is the current stamp.
func (c *Clock) Now() int64 { return int64(time.Since(c.start)) }

// At is the stamp of t, which must carry Go's monotonic reading.
func (c *Clock) At(t time.Time) int64 { return int64(t.Sub(c.start)) }

// Until is how long it is until the stamp at; negative when it has passed.
func (c *Clock) Until(at int64) time.Duration { return time.Duration(at - c.Now()) }
