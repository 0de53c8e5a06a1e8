package target

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// start implements engine. With an open connection at hand nothing but the write
// happens, on the caller's goroutine; a dial is left to a goroutine of its own.
func (e *epollEngine) start(ctx context.Context, p Prepared, raw *Raw, done func(*Raw)) {
	raw.request.Sent = e.client.clock.Now()
	x := e.client.exchanges.Get().(*exchange)
	x.reset(ctx, raw, done)
	x.wire, x.block = p.wire, p.block
	x.began, x.lines, x.limit = p.FirstByte, e.client.endsAtDone, e.client.cfg.AnswerLimit
	raw.exchange = x
	err := e.open()
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		go x.finish(err, e.client.clock.Now()) // ends with done
		return
	}
	host := e.hosts[int(p.Call.ID)%len(e.hosts)]
	for c := e.enter(ctx, host); c != nil; c = e.again(host) {
		if c.begin(x, p.wire) {
			return
		}
	}
	go e.dialFor(x, host, p.wire) // ends with the dial
}

// dialFor opens a connection and sends wire on it for x.
func (e *epollEngine) dialFor(x *exchange, host string, wire []byte) {
	open := e.dial
	if e.http2 {
		open = e.dialShared
	}
	c, err := open(x.ctx, host, &x.raw.phases)
	for err == nil && !c.begin(x, wire) {
		if !e.http2 || c.http2.going.Load() {
			err = fmt.Errorf("the server closed a new connection at once: %w", syscall.ECONNRESET)
			break
		}
		c, err = open(x.ctx, host, &x.raw.phases) // others have taken its places
	}
	if err != nil {
		e.leave(x.ctx, nil)
		x.finish(err, e.client.clock.Now())
	}
}

// begin gives an idle connection to x and sends wire on it, unless it has ended.
// The server may have closed it a moment ago, which only a look at the socket
// tells. All of it is done under c.mu, so that the loop can neither end x nor
// close the descriptor before the write has returned.
func (c *conn) begin(x *exchange, wire []byte) bool {
	if c.http2 != nil {
		return c.http2.begin(x)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.ended() {
		return false // what can be read the loop sees too, and closes it
	}
	c.loop.busy.Add(1)
	x.packets = c
	c.now.Store(x)
	c.send(x, wire)
	if x.ctx.Err() != nil {
		c.loop.engine.alarm() // it may have ended after enter and before the loop could see x
	}
	return true
}

// send writes the request. What the socket does not take at once is left to the
// loop, which is told when there is room again.
func (c *conn) send(x *exchange, wire []byte) {
	n, errno := c.write(wire)
	if n == len(wire) && errno == 0 {
		x.raw.phases.wrote.Store(c.loop.clock.Now())
		return
	}
	if errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
		x.sending.Store(true) // never sent in full: the connection ends with its answer
		return
	}
	x.unsent = wire[n:]
	x.sending.Store(true)
	_ = c.loop.watch(unix.EPOLL_CTL_MOD, c.fd, unix.EPOLLIN|unix.EPOLLRDHUP|unix.EPOLLOUT)
}

// sweepEvery is how often each exchange is looked at for its time limits. It is
// well below any limit worth setting; looks every 10 ms at a thousand streams took
// 4 % of the reading thread's time.
const sweepEvery = 25 * time.Millisecond

// sweep ends exchanges that took too long, and after an alarm those whose context
// has ended. It goes on a little with each round of the loop, so that ten
// thousand streams are never all looked at between two reads.
func (l *loop) sweep(now int64) {
	size := l.conns.size()
	if l.alarm.Swap(false) {
		for fd := range size {
			if c := l.conns.at(fd); c != nil {
				l.cut(c, now)
			}
		}
	}
	part := int(min(int64(size), int64(size)*(now-l.swept)/int64(sweepEvery)))
	if part == 0 {
		return
	}
	l.swept = now
	for range part {
		l.cursor = (l.cursor + 1) % size
		if c := l.conns.at(l.cursor); c != nil {
			l.expire(c, now)
		}
	}
}

// cut ends the exchange of c if its context has ended.
func (l *loop) cut(c *conn, now int64) {
	if c.http2 != nil {
		l.cutStreams(c.http2, now)
		return
	}
	if x := c.now.Load(); x != nil && x.ctx.Err() != nil {
		l.giveUp(c, x, context.Cause(x.ctx), now)
	}
}

// expire ends the exchange of c if it is beyond a limit.
func (l *loop) expire(c *conn, now int64) {
	if c.http2 != nil {
		l.expireStreams(c.http2, now)
		return
	}
	x := c.now.Load()
	if x == nil {
		return
	}
	if reason, over := l.overdue(x, now); over {
		l.giveUp(c, x, reason, now)
	}
}

// overdue reports whether x is beyond a limit, and which.
func (l *loop) overdue(x *exchange, now int64) (reason error, over bool) {
	cfg, quiet := &l.engine.client.cfg, time.Duration(now-x.last)
	switch {
	case x.done && quiet > doneGrace:
		return nil, true
	case cfg.Timeout > 0 && time.Duration(now-x.sent) >= cfg.Timeout:
		return errTotalTimeout, true
	case cfg.Idle > 0 && quiet >= cfg.Idle:
		return errIdleTimeout, true
	}
	return nil, false
}

// giveUp ends x, after a last look at what has come. That look may end x, and
// its user may already have begun another exchange on c.
func (l *loop) giveUp(c *conn, x *exchange, reason error, now int64) {
	raw := x.raw
	l.read(c, x)
	if left := c.now.Load(); left != nil && left.raw == raw {
		x.framer.keep = false
		l.end(c, x, reason, now)
	}
}
