package target

import "sync/atomic"

// A connTable finds connections by descriptor without a lock. It grows by pages: a
// limit of a million descriptors is common, and eight megabytes for the garbage
// collector to look through are not.
type connTable struct {
	pages [mostConns / tablePage]atomic.Pointer[[tablePage]atomic.Pointer[conn]]
	used  atomic.Int64 // pages, counted from the first
}

const (
	tablePage = 1 << 10
	mostConns = 1 << 20 // the kernel's own limit, fs.nr_open, unless somebody raised it
)

// size is beyond every descriptor ever set.
func (t *connTable) size() int { return int(t.used.Load()) * tablePage }

// at returns what was set at fd, nil if nothing was.
func (t *connTable) at(fd int) *conn {
	page := t.pages[fd/tablePage].Load()
	if page == nil {
		return nil
	}
	return page[fd%tablePage].Load()
}

// set may be called from any thread; no two may set the same descriptor at once.
func (t *connTable) set(fd int, c *conn) {
	page := t.pages[fd/tablePage].Load()
	if page == nil {
		t.pages[fd/tablePage].CompareAndSwap(nil, new([tablePage]atomic.Pointer[conn]))
		page = t.pages[fd/tablePage].Load()
	}
	page[fd%tablePage].Store(c)
	for used := t.used.Load(); used <= int64(fd/tablePage); used = t.used.Load() {
		t.used.CompareAndSwap(used, int64(fd/tablePage)+1)
	}
}
