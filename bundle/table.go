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
type Table[T any] struct {
	name string
	wake chan<- struct{} // to the flusher: a block is full

	clean    func([]T)        // used by the flusher alone
	segments segmentWriter[T] // used by the flusher alone

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

	// segmentRows bounds a segment, and with it what the encoder holds.
	segmentRows = 1 << 20
)

func newTable[T any](name, dir string, o origin, wake chan<- struct{}, clean func([]T)) *Table[T] {
	t := &Table[T]{name: name, wake: wake, clean: clean}
	t.segments = segmentWriter[T]{dir: dir, table: name, origin: o}
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

// flush writes the blocks that are full now; with finish also the one being
// filled, and ends the segment. Blocks that fill up meanwhile wait for the next
// call, or a fast producer could hold the end of the segment off for ever.
func (t *Table[T]) flush(finish bool) {
	t.mu.Lock()
	if finish && len(t.filling) > 0 {
		t.full = append(t.full, t.filling)
		t.filling = nil
	}
	n := len(t.full)
	t.mu.Unlock()
	for range n {
		block := t.take()
		if block == nil {
			return
		}
		t.recycle(block, t.write(block))
	}
	if finish {
		t.fail(t.segments.finish())
	}
}

func (t *Table[T]) take() []T {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil || len(t.full) == 0 {
		return nil
	}
	block := t.full[0]
	t.full = append(t.full[:0], t.full[1:]...)
	return block
}

func (t *Table[T]) write(block []T) error {
	t.clean(block)
	if err := t.segments.write(block); err != nil {
		return err
	}
	if t.segments.rows >= segmentRows {
		return t.segments.finish()
	}
	return nil
}

// recycle returns a written block and lets one waiting Append go on.
func (t *Table[T]) recycle(block []T, err error) {
	clear(block) // lets go of the texts
	t.mu.Lock()
	t.free = append(t.free, block[:0])
	t.mu.Unlock()
	t.room.Broadcast()
	t.fail(err)
}

// fail keeps the first error and stops the table: what is on disk stays, and
// nobody waits for room that will not come.
func (t *Table[T]) fail(err error) {
	if err == nil {
		return
	}
	t.segments.discard()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = fmt.Errorf("table %s: %w", t.name, err)
	}
	t.full, t.filling, t.free = nil, nil, nil
	t.room.Broadcast()
}

// end refuses further rows; the flusher's last flush follows.
func (t *Table[T]) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.room.Broadcast()
}

// failure is the first error.
func (t *Table[T]) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

func (t *Table[T]) merge() error {
	return mergeTable[T](t.segments.dir, t.name, t.segments.origin)
}
