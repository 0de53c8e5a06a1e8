package bundle

import (
	"fmt"
	"sync"
	"unsafe"
)

// A Table takes the rows of one raw table of one launch.
//
// Append copies rows into a block and returns; the launch's flusher writes full
// blocks to the open segment and finishes it twice a second, so that a kill
// loses less than the last second. When the disk cannot keep up, Append waits:
// memory is bounded by the queue.
//
// It knows nothing of its drain: wherever a bundle is known, so are the types of its
// tables, and every such package would compile the encoders of all of them again.
type Table[T any] struct {
	name string
	wake chan<- struct{} // to the flusher: a block is full

	mu      sync.Mutex
	room    sync.Cond // the flusher took blocks, or there will be no more room
	filling []T
	full    [][]T
	free    [][]T
	closed  bool
	err     error // the first failure; nothing is taken after it
}

const (
	// blockBytes is large enough to spread the cost of one hand-over over
	// thousands of rows and small enough to stay in a core's cache.
	blockBytes = 256 << 10

	// maxFull bounds the queue to 16 MiB of rows for each table.
	maxFull = 64
)

func newTable[T any](name string, wake chan<- struct{}) *Table[T] {
	t := &Table[T]{name: name, wake: wake}
	t.room.L = &t.mu
	return t
}

func blockRows[T any]() int {
	var row T
	return max(64, blockBytes/int(unsafe.Sizeof(row)))
}

// Append adds rows. It may be called concurrently; it waits only when the disk
// cannot keep up, and returns the first error the disk gave.
func (t *Table[T]) Append(rows ...T) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(rows) > 0 {
		if err := t.reserve(); err != nil {
			return err
		}
		n := min(len(rows), cap(t.filling)-len(t.filling))
		t.filling = append(t.filling, rows[:n]...)
		rows = rows[n:]
		if len(t.filling) == cap(t.filling) {
			t.hand()
		}
	}
	return nil
}

// reserve waits until filling has room for a row.
func (t *Table[T]) reserve() error {
	for len(t.full) >= maxFull && t.err == nil && !t.closed {
		t.room.Wait()
	}
	switch {
	case t.err != nil:
		return t.err
	case t.closed:
		return fmt.Errorf("table %s: the launch is closed", t.name)
	case t.filling != nil:
		return nil
	}
	if last := len(t.free) - 1; last >= 0 {
		t.filling, t.free = t.free[last], t.free[:last]
	} else {
		t.filling = make([]T, 0, blockRows[T]())
	}
	return nil
}

// hand gives the filling block to the flusher.
func (t *Table[T]) hand() {
	t.full = append(t.full, t.filling)
	t.filling = nil
	select {
	case t.wake <- struct{}{}:
	default: // it has been called already
	}
}
