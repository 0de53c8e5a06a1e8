package load

import (
	"context"

	"assay/record"
)

// Together is how one load generator keeps step with the others of its run. The zero
// value is for one that is alone.
type Together struct {
	// Start is the stamp at which the point begins, the same for all of them; zero
	// means at once.
	Start int64

	// Rest is called when the last measured call of this generator has ended. Load goes
	// on until it returns, which is when those of all generators have: every measured
	// call is to see the full load. Nil means that nobody else is waited for.
	Rest func(ctx context.Context) error
}

// begin waits for the start.
func (t Together) begin(ctx context.Context, clock *record.Clock) error {
	if t.Start == 0 {
		return nil
	}
	return Timers{clock}.Wait(ctx, t.Start)
}

// from is the stamp of a schedule's zero.
func (t Together) from(clock *record.Clock) int64 {
	if t.Start != 0 {
		return t.Start
	}
	return clock.Now() + int64(lead)
}

// rest returns when every measured call has ended, here and at the other generators.
func (t Together) rest(ctx context.Context, drained <-chan struct{}) error {
	select {
	case <-drained:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if t.Rest == nil {
		return nil
	}
	return t.Rest(ctx)
}
