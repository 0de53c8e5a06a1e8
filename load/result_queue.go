package load

import (
	"sync"
	"sync/atomic"

	"assay/target"
)

// A resultQueue takes ended exchanges from threads that must not wait and passes them
// to a keep that may, one at a time and in order. Whoever puts into it bounds what
// is in it: a closed loop by its users, an open one by its calls in flight.
type resultQueue struct {
	keep func(*target.Raw)
	load atomic.Int64  // exchanges put and not yet kept
	wake chan struct{} // there is something to keep; holds one, since looking twice is no use
	done chan struct{} // closed when the last one has been kept

	mu   sync.Mutex
	list []queuedResult
}

// A queuedResult is an exchange and what is to be done once it has been kept.
type queuedResult struct {
	raw  *target.Raw
	then func()
}

func newResultQueue(keep func(*target.Raw)) *resultQueue {
	q := &resultQueue{keep: keep, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go q.serve() // ends with close, which waits for it
	return q
}

// waiting is how many exchanges are still to be kept.
func (q *resultQueue) waiting() int { return int(q.load.Load()) }

// put leaves raw to be kept; then, unless it is nil, is called after that.
func (q *resultQueue) put(raw *target.Raw, then func()) {
	q.load.Add(1)
	q.mu.Lock()
	defer q.mu.Unlock() // after the wake-up: raw may be the last one, and then wake is closed
	q.list = append(q.list, queuedResult{raw, then})
	select {
	case q.wake <- struct{}{}:
	default: // it will look anyway
	}
}

func (q *resultQueue) serve() {
	defer close(q.done)
	var mine []queuedResult
	for range q.wake {
		q.mu.Lock()
		mine, q.list = q.list, mine[:0]
		q.mu.Unlock()
		for i, k := range mine {
			mine[i] = queuedResult{}
			q.keep(k.raw)
			q.load.Add(-1)
			if k.then != nil {
				k.then()
			}
		}
	}
}

// close returns when everything has been kept. Nothing may be put after it.
func (q *resultQueue) close() {
	close(q.wake) // what is in it is still received
	<-q.done
}
