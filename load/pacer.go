package load

import (
	"context"
	"time"

	"assay/record"
)

// A Pacer waits for stamps. Both methods are called by one goroutine.
type Pacer interface {
	// Begin readies the calling goroutine to wait. It is called once, first.
	Begin()

	// Wait returns at the stamp at, at once when that has passed, or early with
	// the cause when ctx is cancelled.
	Wait(ctx context.Context, at int64) error
}

// Timers is the Pacer of Go's timers, which an idle program wakes up to 1 ms late
// (golang/go#44343). It needs no thread of its own and runs on a fake clock.
type Timers struct{ Clock *record.Clock }

var _ Pacer = Timers{}

// Begin implements Pacer.
func (Timers) Begin() {}

// Wait implements Pacer.
func (t Timers) Wait(ctx context.Context, at int64) error {
	if ahead := t.Clock.Until(at); ahead > 0 {
		return wait(ctx, ahead, nil)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

const (
	// spin is how long before its time a call is waited for awake: above the
	// usual wake-up delay of a sleeping thread, and 1 % of a core at 100 calls a
	// second. Waiting longer awake makes the tail worse on a shared core: the
	// kernel then takes the thread off it as one that had its share.
	spin = 100 * time.Microsecond

	// nap bounds one sleep, so that a cancelled point ends soon.
	nap = 20 * time.Millisecond
)
