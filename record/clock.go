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

// readings is how often the host's clock is read to find where it stands against Go's. A
// busy host takes the processor away between two instructions now and then, for
// milliseconds; that it does so every time is not to be feared.
const readings = 16

// StartClock returns a clock whose stamp zero is now.
func StartClock() (*Clock, error) {
	var best Clock
	least := time.Duration(-1)
	for range readings {
		// The epoch is read between two readings of Go's own monotonic clock; the
		// middle is off by at most half their distance, well under a microsecond.
		var ts unix.Timespec
		before := time.Now()
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
			return nil, fmt.Errorf("read %s: %w", ClockID, err)
		}
		if apart := time.Since(before); least < 0 || apart < least {
			least, best = apart, Clock{start: before.Add(apart / 2), Epoch: ts.Nano()}
		}
	}
	return &best, nil
}

// ClockFrom returns a clock whose stamp zero is when this host's CLOCK_MONOTONIC showed
// epoch, which may lie ahead. A load generator gets the epoch of the launch in its own
// host's time, so that its stamps are the launch's.
func ClockFrom(epoch int64) (*Clock, error) {
	c, err := StartClock()
	if err != nil {
		return nil, err
	}
	return &Clock{start: c.start.Add(time.Duration(epoch - c.Epoch)), Epoch: epoch}, nil
}

// Mono is CLOCK_MONOTONIC of this host and time namespace in nanoseconds.
func Mono() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0 // cannot happen: StartClock has read it
	}
	return ts.Nano()
}

// Now is the current stamp.
func (c *Clock) Now() int64 { return int64(time.Since(c.start)) }

// At is the stamp of t, which must carry Go's monotonic reading.
func (c *Clock) At(t time.Time) int64 { return int64(t.Sub(c.start)) }

// Until is how long it is until the stamp at; negative when it has passed.
func (c *Clock) Until(at int64) time.Duration { return time.Duration(at - c.Now()) }
