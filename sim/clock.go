package sim

import "time"

// A clock reads the host's monotonic clock in nanoseconds since boot, so that
// stamps of two programs on one host can be laid side by side.
type clock struct {
	epoch  time.Time
	offset int64 // host clock at epoch
}

// newClock ties Go's own monotonic reading, which costs no system call, to the
// host's clock. The tie is off by at most half of the tightest bracket found,
// some tens of nanoseconds.
func newClock() clock {
	epoch := time.Now()
	best := clock{epoch: epoch}
	width := time.Hour
	for range 100 {
		before := time.Since(epoch)
		host := hostMonotonic()
		after := time.Since(epoch)
		if after-before < width {
			width = after - before
			best.offset = host - int64(before+width/2)
		}
	}
	return best
}

func (c clock) now() int64 { return int64(time.Since(c.epoch)) + c.offset }
