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
	x.wire = p.wire
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
	c, err := e.dial(x.ctx, host, &x.raw.phases)
	if err == nil && !c.begin(x, wire) {
		err = fmt.Errorf("the server closed a new connection at once: %w", syscall.ECONNRESET)
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
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || readable(c.fd) {
		return false // what can be read the loop sees too, and closes it
	}
	c.loop.busy.Add(1)
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
	n, errno := send(c.fd, wire)
	if n == len(wire) {
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
	if x := c.now.Load(); x != nil && x.ctx.Err() != nil {
		l.giveUp(c, x, context.Cause(x.ctx), now)
	}
}

// expire ends the exchange of c if it is beyond a limit.
func (l *loop) expire(c *conn, now int64) {
	x := c.now.Load()
	if x == nil {
		return
	}
	cfg, quiet := &l.engine.client.cfg, time.Duration(now-x.last)
	switch {
	case x.done && quiet > doneGrace:
		l.giveUp(c, x, nil, now)
	case cfg.Timeout > 0 && time.Duration(now-x.sent) >= cfg.Timeout:
		l.giveUp(c, x, errTotalTimeout, now)
	case cfg.Idle > 0 && quiet >= cfg.Idle:
		l.giveUp(c, x, errIdleTimeout, now)
	}
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
