package load

import (
	"context"
	"runtime"

	"golang.org/x/sys/unix"

	"assay/record"
)

// An Exact pacer holds its schedule to some microseconds on a machine that has a
// core to spare: a thread of its own sleeps until shortly before the stamp, by
// the host's clock, and waits for the rest awake.
type Exact struct{ Clock *record.Clock }

var _ Pacer = Exact{}

// Begin implements Pacer. It locks the calling goroutine to its thread, which
// ends with it, and asks the kernel to wake that thread without the usual 50 µs
// of slack; a refusal only makes the wait a little less exact.
func (Exact) Begin() {
	runtime.LockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
}

// Wait implements Pacer.
func (e Exact) Wait(ctx context.Context, at int64) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		ahead := e.Clock.Until(at)
		if ahead <= spin {
			break
		}
		// An absolute time: an interrupted sleep is begun again without drift.
		wake := unix.NsecToTimespec(e.Clock.Epoch + at - int64(max(spin, ahead-nap)))
		_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &wake, nil)
	}
	for e.Clock.Until(at) > 0 {
	}
	return nil
}
