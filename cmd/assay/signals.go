package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
)

// A heldWork counts the work under way that a signal must not cut off: a run that
// seals what it has measured, a server that says goodbye.
type heldWork struct{ n atomic.Int32 }

// take begins such work; calling release ends it.
func (h *heldWork) take() (release func()) {
	h.n.Add(1)
	return func() { h.n.Add(-1) }
}

// hold keeps the first signal from ending the program until release is called: it
// cancels the context instead.
func (e Env) hold() (release func()) {
	if e.held == nil {
		return func() {} // a test: nobody sends it signals
	}
	return e.held.take()
}

// await waits until the program has ended, or a signal ends it. What holds nothing
// ends with the first signal; the rest is asked to end by its context, and ends with
// the second. The code is that of a shell, 128 and the number of the signal, also of a
// run that the first signal cut short.
func await(done <-chan int, signals <-chan os.Signal, held *heldWork, cancel context.CancelCauseFunc) int {
	asked := 0 // the number of the signal that asked for the end
	for {
		select {
		case code := <-done:
			if asked > 0 && code == exitFailed {
				return 128 + asked // it was cut short, and sealed what it had
			}
			return code
		case s := <-signals:
			number, _ := s.(syscall.Signal) // every signal of this system is one
			if asked > 0 || held.n.Load() == 0 {
				return 128 + int(number)
			}
			asked = int(number)
			cancel(fmt.Errorf("%v signal received", s))
		}
	}
}
