//go:build !linux

package sim

import (
	"syscall"
	"time"
)

// hostMonotonic has no portable form; stamps then count from the start of the
// server.
func hostMonotonic() int64 { return 0 }

func tightenTimer() {}

// A bell is a sleep that another goroutine can cut short, here with the
// millisecond accuracy of Go's timers.
type bell struct{ rung chan struct{} }

func newBell() (*bell, error) { return &bell{make(chan struct{}, 1)}, nil }

func (b *bell) ring() {
	select {
	case b.rung <- struct{}{}:
	default:
	}
}

func (b *bell) wait(d time.Duration) (rung bool) {
	var timeout <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-b.rung:
		return true
	case <-timeout:
		return false
	}
}

func (b *bell) close() {}

// sendNow leaves everything to the connection's blocking writer.
func sendNow(uintptr, []byte) (int, syscall.Errno) { return 0, syscall.EAGAIN }
