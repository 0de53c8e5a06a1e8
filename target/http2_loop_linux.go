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

// readStreams is the measured path of HTTP/2.
func (l *loop) readStreams(h *http2Conn) {
	c := h.conn
	if c.closed { // by this thread, the only one that does
		return
	}
	n, wall, errno := l.receive(c)
	now := l.clock.Now()
	if errno == unix.EAGAIN || errno == unix.EINTR {
		return
	}
	if errno != 0 {
		l.loseStreams(h, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", errno)}, now)
		return
	}
	at, kernel := l.stampOf(wall, h.stamp.at, now)
	h.stamp = http2Stamp{at, now, kernel}
	text, err := l.buffer[:n], error(nil)
	switch {
	case c.sealed != nil:
		text, err = l.textOf(c.sealed, n)
	case n == 0:
		err = io.EOF
	}
	if fault := h.feed(text); fault != nil {
		err = fault
	}
	if err == nil {
		err = h.settle()
	}
	if err != nil {
		l.loseStreams(h, h.lastWord(err), now)
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
