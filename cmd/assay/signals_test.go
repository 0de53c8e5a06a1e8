package main

import (
	"context"
	"os"
	"syscall"
	"testing"
)

// What holds nothing ends with the first signal; what holds something is asked to
// end by the first and ended by the second.
func TestAwait(t *testing.T) {
	f := func(held int32, sent []os.Signal, ends bool, want int, cancelled bool) {
		t.Helper()
		signals := make(chan os.Signal, len(sent))
		for _, s := range sent {
			signals <- s
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var h heldWork
		h.n.Store(held)
		done := make(chan int, 1)
		if ends {
			context.AfterFunc(ctx, func() { done <- exitFailed })
		}
		if got := await(done, signals, &h, cancel); got != want || (ctx.Err() != nil) != cancelled {
			t.Errorf("%d held, %v: ended with %d, cancelled %v; want %d, %v", held, sent, got, ctx.Err() != nil, want, cancelled)
		}
	}
	f(0, []os.Signal{os.Interrupt}, false, 130, false)
	f(0, []os.Signal{syscall.SIGTERM}, false, 143, false)
	f(1, []os.Signal{os.Interrupt}, true, 130, true)
	f(1, []os.Signal{os.Interrupt, syscall.SIGTERM}, false, 143, true)
}
