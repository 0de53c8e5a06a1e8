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

// A waker is a sleep that another goroutine can cut short, here with the
// millisecond accuracy of Go's timers.
type waker struct{ woken chan struct{} }

func newWaker() (*waker, error) { return &waker{make(chan struct{}, 1)}, nil }

func (w *waker) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

func (w *waker) wait(d time.Duration) (woken bool) {
	var timeout <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-w.woken:
		return true
	case <-timeout:
		return false
	}
}

func (w *waker) close() {}

// sendNow leaves everything to the connection's blocking writer.
func sendNow(uintptr, []byte) (int, syscall.Errno) { return 0, syscall.EAGAIN }
