package bundle

import "fmt"

// segmentRows bounds a segment, and with it what the encoder holds.
const segmentRows = 1 << 20

// A drain writes the rows of its Table to segments. Rows are flushed by the launch's flusher
// alone; merge, end and failure may be called beside it.
type drain[T any] struct {
	*Table[T]
	clean    func([]T)
	segments segmentWriter[T]
}

// flush writes the blocks that are full now; with finish also the one being
// filled, and ends the segment. Blocks that fill up meanwhile wait for the next
// call, or a fast producer could hold the end of the segment off for ever.
func (d *drain[T]) flush(finish bool) {
	d.mu.Lock()
	if finish && len(d.filling) > 0 {
		d.full = append(d.full, d.filling)
		d.filling = nil
	}
	n := len(d.full)
	d.mu.Unlock()
	for range n {
		block := d.take()
		if block == nil {
			return
		}
		d.recycle(block, d.write(block))
	}
	if finish {
		d.fail(d.segments.finish())
	}
}

func (d *drain[T]) take() []T {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil || len(d.full) == 0 {
		return nil
	}
	block := d.full[0]
	d.full = append(d.full[:0], d.full[1:]...)
	return block
}

func (d *drain[T]) write(block []T) error {
	d.clean(block)
	if err := d.segments.write(block); err != nil {
		return err
	}
	if d.segments.rows >= segmentRows {
		return d.segments.finish()
	}
	return nil
}

// recycle returns a written block and lets one waiting Append go on.
func (d *drain[T]) recycle(block []T, err error) {
	clear(block) // lets go of the texts
	d.mu.Lock()
	d.free = append(d.free, block[:0])
	d.mu.Unlock()
	d.room.Broadcast()
	d.fail(err)
}

// fail keeps the first error and stops the table: what is on disk stays, and
// nobody waits for room that will not come.
func (d *drain[T]) fail(err error) {
	if err == nil {
		return
	}
	d.segments.discard()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = fmt.Errorf("table %s: %w", d.name, err)
	}
	d.full, d.filling, d.free = nil, nil, nil
	d.room.Broadcast()
}

// end refuses further rows; the flusher's last flush follows.
func (d *drain[T]) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	d.room.Broadcast()
}

// failure is the first error.
func (d *drain[T]) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func (d *drain[T]) merge() error {
	return mergeTable[T](d.segments.dir, d.name, d.segments.origin)
}
