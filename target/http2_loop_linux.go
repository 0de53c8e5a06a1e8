package target

import (
	"context"
	"errors"
	"io"
	"net"
	"os"

	"golang.org/x/net/http2"
	"golang.org/x/sys/unix"
)

// serveStreams does what events say can be done on a connection of HTTP/2.
func (l *loop) serveStreams(h *http2Conn, events uint32) {
	if events&unix.EPOLLOUT != 0 {
		h.conn.mu.Lock()
		h.pump()
		h.conn.mu.Unlock()
	}
	if events&^unix.EPOLLOUT != 0 {
		l.readStreams(h)
	}
}

// The events of all streams come through one socket, and a read has the stamp of the
// last byte that it took: when the thread is late, one large read would give many
// events the stamp of the last. So reads are short while frames are, a few events
// each, and grow with the frames.
const (
	shortRead = 512
	mostReads = 256 // in a row, before other connections have their turn
)

// readStreams is the measured path of HTTP/2.
func (l *loop) readStreams(h *http2Conn) {
	for range mostReads {
		if more := l.readSome(h); !more {
			return
		}
	}
}

// readSome makes one read and reports whether it was full, so that there may be more.
func (l *loop) readSome(h *http2Conn) (more bool) {
	c := h.conn
	if c.closed { // by this thread, the only one that does
		return false
	}
	n, wall, errno := l.receiveUpTo(c, h.reading)
	now := l.clock.Now()
	if errno == unix.EAGAIN || errno == unix.EINTR {
		return false
	}
	if errno != 0 {
		l.loseStreams(h, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", errno)}, now)
		return false
	}
	// A stamp of our own lies after those of the packets that wait to be read: they are
	// compared with the kernel's last one.
	at, kernel := l.stampOf(wall, h.newest, now)
	if kernel {
		h.newest = at
	}
	h.stamp = http2Stamp{at, now, kernel}
	text, err := l.buffer[:n], error(nil)
	switch {
	case c.sealed != nil:
		text, err = l.textOf(c.sealed, n)
	case n == 0:
		err = io.EOF
	}
	before := h.frames
	if fault := h.feed(text); fault != nil {
		err = fault
	}
	if err == nil {
		err = h.settle()
	}
	if err != nil {
		l.loseStreams(h, h.lastWord(err), now)
		return false
	}
	more = n == h.reading
	if more {
		h.adapt(h.frames - before)
	}
	return more
}

// adapt sets the size of the next read after a full one that completed some frames.
func (h *http2Conn) adapt(frames int) {
	switch {
	case frames <= 1:
		h.reading = min(2*h.reading, readSize)
	case frames >= 4:
		h.reading = max(h.reading/2, shortRead)
	}
}

var errUnread = errors.New("the server asks for answers and does not read them")

// settle sends what the frames of a read made necessary.
func (h *http2Conn) settle() error {
	if !h.answers {
		return nil
	}
	h.answers = false
	h.conn.mu.Lock()
	defer h.conn.mu.Unlock()
	if h.conn.closed {
		return nil
	}
	h.pump()
	if h.queue.Len() > mostQueued {
		return errUnread
	}
	return nil
}

// loseStreams closes a connection and ends every stream that it leaves with err.
func (l *loop) loseStreams(h *http2Conn, err error, now int64) {
	c := h.conn
	h.going.Store(true)
	l.engine.forget(c)
	c.mu.Lock()
	var broken http2.ConnectionError
	if errors.As(err, &broken) && !c.closed {
		_ = h.framer.WriteGoAway(0, http2.ErrCode(broken), nil)
		h.flush()
	}
	c.shut()
	c.mu.Unlock()
	for _, id := range h.ids(nil) {
		if x := h.find(id); x != nil {
			h.endAt(x, err, now)
		}
	}
	h.unready.Do(func() {
		h.fault = err
		close(h.ready)
	})
}

// cutStreams ends the streams whose contexts have ended.
func (l *loop) cutStreams(h *http2Conn, now int64) {
	h.each(func(x *exchange) {
		if x.ctx.Err() != nil {
			l.giveUpStream(h, x, context.Cause(x.ctx), now)
		}
	})
}

// expireStreams ends the streams that are beyond a limit.
func (l *loop) expireStreams(h *http2Conn, now int64) {
	h.each(func(x *exchange) {
		if reason, over := l.overdue(x, now); over {
			l.giveUpStream(h, x, reason, now)
		}
	})
	if h.going.Load() && h.open.Load() == 0 {
		l.loseStreams(h, net.ErrClosed, now) // its last stream has ended
	}
}

// each calls look with every open stream. Those it ends may end others.
func (h *http2Conn) each(look func(*exchange)) {
	h.list = h.ids(h.list[:0])
	for _, id := range h.list {
		if x := h.find(id); x != nil {
			look(x)
		}
	}
	if h.settle() != nil {
		h.going.Store(true) // the next read ends it
	}
}

// giveUpStream ends x, after a last look at what has come.
func (l *loop) giveUpStream(h *http2Conn, x *exchange, reason error, now int64) {
	id := x.stream
	l.readStreams(h)
	if left := h.find(id); left != nil {
		h.endAt(left, reason, now)
	}
}
