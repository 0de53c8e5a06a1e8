package target

import (
	"math"
	"slices"

	"golang.org/x/net/http2"
	"golang.org/x/sys/unix"
)

// room reports whether one more stream may be begun.
func (h *http2Conn) room() bool { return !h.going.Load() && h.open.Load() < h.limit.Load() }

// begin sends the request of x as a stream of its own, unless there is no room for
// one. As with conn.begin all of it is done under c.mu.
func (h *http2Conn) begin(x *exchange) bool {
	c := h.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || !h.room() {
		return false
	}
	x.stream, x.window, x.unsent = h.next, h.initial, x.wire
	if h.next += 2; h.next > math.MaxInt32 {
		h.going.Store(true) // every number is used up
	}
	x.sending.Store(true)
	c.loop.busy.Add(1)
	h.mu.Lock()
	h.streams[x.stream] = x
	h.mu.Unlock()
	h.open.Add(1)
	h.writeHead(x)
	h.waiting = append(h.waiting, x)
	h.pump()
	if x.ctx.Err() != nil {
		c.loop.engine.alarm() // see conn.begin
	}
	return true
}

// writeHead writes the head of a request, in as many frames as the server wants.
func (h *http2Conn) writeHead(x *exchange) {
	n := min(len(x.block), int(h.largest))
	_ = h.framer.WriteHeaders(http2.HeadersFrameParam{
		StreamID: x.stream, BlockFragment: x.block[:n], EndHeaders: n == len(x.block), EndStream: len(x.unsent) == 0,
	})
	for rest := x.block[n:]; len(rest) > 0; rest = rest[n:] {
		n = min(len(rest), int(h.largest))
		_ = h.framer.WriteContinuation(x.stream, n == len(rest), rest[:n])
	}
}

// pump sends what the windows and the socket take, bodies in the order in which
// they were begun. c.mu is held.
func (h *http2Conn) pump() {
	for {
		moved := h.fill()
		if blocked := h.flush(); blocked || !moved {
			h.watch(blocked)
			return
		}
	}
}

// watch has the loop told when there is room to write, or no longer.
func (h *http2Conn) watch(room bool) {
	if room == h.watched {
		return
	}
	h.watched = room
	events := uint32(unix.EPOLLIN | unix.EPOLLRDHUP)
	if room {
		events |= unix.EPOLLOUT
	}
	_ = h.conn.loop.watch(unix.EPOLL_CTL_MOD, h.conn.fd, events)
}

// fill moves bodies into the queue, and reports whether it could.
func (h *http2Conn) fill() (moved bool) {
	h.waiting = slices.DeleteFunc(h.waiting, func(x *exchange) bool {
		for len(x.unsent) > 0 {
			n := min(int64(len(x.unsent)), x.window, h.window, h.largest)
			if n <= 0 || h.queue.Len() >= mostQueued/4 {
				return false
			}
			_ = h.framer.WriteData(x.stream, n == int64(len(x.unsent)), x.unsent[:n])
			x.unsent = x.unsent[n:]
			x.window -= n
			h.window -= n
			moved = true
		}
		h.queued = append(h.queued, x)
		return true
	})
	return moved
}

// flush writes the queue and reports whether the socket took less than all. When it
// took all, it has the requests whose last frames were there.
func (h *http2Conn) flush() (blocked bool) {
	n, errno := h.conn.write(h.queue.Bytes())
	h.queue.Next(n)
	if errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
		h.going.Store(true) // the reading side sees why; the server may have answered before
		return false
	}
	if errno != 0 || h.queue.Len() > 0 {
		return true
	}
	for i, x := range h.queued {
		x.raw.phases.wrote.Store(h.conn.loop.clock.Now())
		x.sending.Store(false)
		h.queued[i] = nil
	}
	h.queued = h.queued[:0]
	return false
}

// forget drops what was still to be sent for x. c.mu is held.
func (h *http2Conn) forget(x *exchange) {
	if !x.sending.Load() {
		return
	}
	same := func(other *exchange) bool { return other == x }
	h.waiting = slices.DeleteFunc(h.waiting, same)
	h.queued = slices.DeleteFunc(h.queued, same)
}

// reply writes frames to be sent when the read has been handled.
func (h *http2Conn) reply(write func()) {
	h.conn.mu.Lock()
	defer h.conn.mu.Unlock()
	write()
	h.answers = true
}

// settings takes what the server says about itself.
func (h *http2Conn) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	h.conn.mu.Lock()
	defer h.conn.mu.Unlock()
	err := f.ForeachSetting(func(s http2.Setting) error {
		if err := s.Valid(); err != nil {
			return err
		}
		switch s.ID {
		case http2.SettingMaxFrameSize:
			h.largest = int64(s.Val)
		case http2.SettingMaxConcurrentStreams:
			h.limit.Store(int64(s.Val))
		case http2.SettingInitialWindowSize:
			h.resize(int64(s.Val))
		}
		return nil
	})
	if err != nil {
		return err
	}
	_ = h.framer.WriteSettingsAck()
	h.answers = true
	h.settled = true
	h.unready.Do(func() { close(h.ready) })
	return nil
}

// resize makes the windows of all streams as if they had begun with size.
func (h *http2Conn) resize(size int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, x := range h.streams {
		x.window += size - h.initial
	}
	h.initial = size
}

// widen takes more room for bodies.
func (h *http2Conn) widen(f *http2.WindowUpdateFrame) error {
	x := h.find(f.StreamID)
	if f.StreamID != 0 && x == nil {
		return nil
	}
	h.conn.mu.Lock()
	defer h.conn.mu.Unlock()
	window := &h.window
	if x != nil {
		window = &x.window
	}
	if *window += int64(f.Increment); *window > math.MaxInt32 {
		return http2.ConnectionError(http2.ErrCodeFlowControl)
	}
	h.answers = true // bodies may go on
	return nil
}
