package target

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"assay/record"
)

// A loop reads every connection given to it on one operating-system thread. On
// its path a read returns, the stamp is taken and the bytes are kept: no lock,
// no allocation, no goroutine to be woken in between. Whoever waits for an
// answer is reported on this thread too, and may send the next request from it.
type loop struct {
	clock  *record.Clock
	engine *epollEngine
	epoll  int
	bell   int        // an eventfd that ends the wait
	rope   sync.Mutex // held to ring the bell, and to take it away
	gone   bool       // the bell is closed; rope is held
	conns  connTable
	stop   atomic.Bool
	offset int64 // add it to CLOCK_REALTIME to get a stamp
	synced int64 // when offset was measured

	busy   atomic.Int64 // exchanges under way
	alarm  atomic.Bool  // some context has ended
	swept  int64        // when the last part of a sweep was made
	cursor int          // the descriptor at which the next part begins

	events  []unix.EpollEvent
	buffer  []byte
	text    []byte // what TLS makes of it; nil until it is needed
	control [64]byte
	vector  unix.Iovec
	message unix.Msghdr

	// Of the read under way; see conn.sentTogether.
	asked, single bool
	info          unix.TCPInfo
}

// A conn is one connection that a loop reads.
type conn struct {
	fd   int
	host string
	loop *loop
	now  atomic.Pointer[exchange] // nil while it is idle

	sealed *sealedConn // nil without TLS
	http2  *http2Conn  // nil for HTTP/1.1, whose exchange is now

	segments segmentCount

	mu     sync.Mutex // for its beginning and end, not for its reads
	closed bool
}

// readSize is the most that one read takes. One thread reads for everybody, so
// there is one such buffer and not one per stream.
const readSize = 256 << 10

func newLoop(e *epollEngine) (*loop, error) {
	l := &loop{clock: e.client.clock, engine: e, events: make([]unix.EpollEvent, 512), buffer: make([]byte, readSize)}
	var err error
	if l.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, fmt.Errorf("epoll_create: %w", err)
	}
	if l.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, errors.Join(fmt.Errorf("eventfd: %w", err), unix.Close(l.epoll))
	}
	err = unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, l.bell, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(l.bell)})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("epoll_ctl: %w", err), unix.Close(l.bell), unix.Close(l.epoll))
	}
	l.vector.Base = &l.buffer[0]
	l.message.Iov, l.message.Iovlen = &l.vector, 1
	l.message.Control = &l.control[0]
	return l, nil
}

// run reads until halt is called.
func (l *loop) run() {
	runtime.LockOSThread() // never unlocked: the thread ends with the loop
	for !l.stop.Load() {
		now := l.clock.Now()
		if now-l.synced > int64(syncEvery) || l.synced == 0 {
			l.sync(now)
		}
		l.sweep(now) // not among the events, which may name what it closes
		for i := range l.wait() {
			event := &l.events[i]
			if c := l.conns.at(int(event.Fd)); c != nil {
				l.serve(c, event.Events)
			} else if int(event.Fd) == l.bell {
				l.hush()
			}
		}
	}
	for fd := range l.conns.size() {
		if c := l.conns.at(fd); c != nil {
			l.drop(c, net.ErrClosed)
		}
	}
	l.rope.Lock()
	defer l.rope.Unlock()
	l.gone = true
	_ = unix.Close(l.bell) // nothing was written that could be lost
	_ = unix.Close(l.epoll)
}

// halt makes run return.
func (l *loop) halt() {
	l.stop.Store(true)
	l.ring()
}

// ring ends the wait. The end of a context may ring when the loop has ended, and
// the descriptor may be somebody else's by then.
func (l *loop) ring() {
	l.rope.Lock()
	defer l.rope.Unlock()
	if l.gone {
		return
	}
	one := [8]byte{1}
	_, _ = unix.Write(l.bell, one[:]) // fails only when it has been rung 2^64 times
}

// hush makes the bell ready to be rung again.
func (l *loop) hush() {
	var count [8]byte
	_, _ = unix.Read(l.bell, count[:]) // it can only have been read already
}

// wait returns how many events there are. It asks without waiting first: while
// there is more to read, the Go scheduler need not know that this thread makes
// system calls, and does not take its processor away.
func (l *loop) wait() int {
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(l.epoll),
		uintptr(unsafe.Pointer(&l.events[0])), uintptr(len(l.events)), 0, 0, 0)
	if errno == 0 && n > 0 {
		return int(n)
	}
	// The clocks are compared again at least this often; see sync.
	limit := syncEvery
	if l.busy.Load() > 0 {
		limit = sweepEvery
		if l.engine.client.cfg.Spin {
			return 0 // the next round asks again, and sweeps in between
		}
	}
	waited, err := unix.EpollWait(l.epoll, l.events, int(limit/time.Millisecond))
	if err != nil {
		return 0 // interrupted
	}
	return waited
}

// syncEvery is how often the two clocks are compared. Both run at the same rate,
// which NTP steers for the two alike; only a step of the wall clock changes
// their distance, and a stamp taken across one is caught in stampOf or is at
// most this old.
const syncEvery = 100 * time.Millisecond

// sync measures the distance from CLOCK_REALTIME, in which the kernel stamps, to
// our own clock. The tightest of five brackets is off by some tens of
// nanoseconds; more are made where each of the five was interrupted.
func (l *loop) sync(now int64) {
	var low, high int64
	for i := 0; i < 5 || i < 100 && high-low > int64(time.Microsecond); i++ {
		before := l.clock.Now()
		wall := time.Now().UnixNano()
		after := l.clock.Now()
		if i == 0 || after-before < high-low {
			low, high = before-wall, after-wall
		}
	}
	l.offset = settle(l.offset, low, high)
	l.synced = now
}

// settle returns the distance between the clocks after it was found to lie between low
// and high. The one that was known stays unless it is outside: then a clock stepped, or
// it was never measured.
func settle(known, low, high int64) int64 {
	if low <= known && known <= high {
		return known
	}
	return low + (high-low)/2
}

// serve does what events say can be done on c.
func (l *loop) serve(c *conn, events uint32) {
	if c.http2 != nil {
		l.serveStreams(c.http2, events)
		return
	}
	x := c.now.Load()
	if x == nil {
		l.idle(c)
		return
	}
	if events&unix.EPOLLOUT != 0 && x.sending.Load() {
		c.push(x, l.clock)
	}
	if events&^unix.EPOLLOUT != 0 {
		l.read(c, x)
	}
}

// idle ends a connection on which something happens between two exchanges: the
// server closed it, or says what nobody asked.
func (l *loop) idle(c *conn) {
	c.mu.Lock()
	begun := c.now.Load()
	if begun == nil && !l.quiet(c) {
		c.shut()
	}
	c.mu.Unlock()
	if begun != nil {
		l.read(c, begun)
	}
}

// read is the measured path.
func (l *loop) read(c *conn, x *exchange) {
	n, wall, errno := l.receive(c)
	now := l.clock.Now()
	switch {
	case errno == unix.EAGAIN || errno == unix.EINTR:
		return
	case errno != 0:
		l.lost(c, x, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", errno)}, now)
		return
	case c.sealed != nil:
		l.unseal(c, x, n, wall, now)
		return
	case n == 0:
		l.lost(c, x, x.framer.eof(), now)
		return
	}
	at, kernel := l.stampOf(wall, x.last, now)
	x.last = at
	if err := x.take(l.buffer[:n], at, kernel); err != nil || x.framer.state == atEnd {
		l.end(c, x, err, at)
	}
}

// lost ends an exchange whose connection the server has ended, or sends its request
// once more on a new one; see stale.
func (l *loop) lost(c *conn, x *exchange, err error, now int64) {
	if x.reads > 0 || !x.raw.stale(err, now) || x.ctx.Err() != nil {
		l.end(c, x, err, now)
		return
	}
	c.mu.Lock()
	c.now.Store(nil)
	c.shut()
	c.mu.Unlock()
	l.busy.Add(-1)
	x.raw.resent = true
	x.unsent = nil
	x.sending.Store(false)
	go l.engine.dialFor(x, c.host, x.wire) // ends with the dial
}

// syncSlack is how far two measurements of sync may differ though the wall clock did
// not step. Packets that were read across one seem to go back in time by so much.
const syncSlack = int64(20 * time.Microsecond)

// stampOf prefers the kernel's stamp. One that lies clearly before what this
// connection has already seen, or in the future, comes from a step of the wall clock.
func (l *loop) stampOf(wall, last, now int64) (at int64, kernel bool) {
	at = wall + l.offset
	if wall == 0 || at < last-syncSlack || at > now+syncSlack {
		return now, false
	}
	return min(max(at, last), now), true
}

// receive reads what has come and when the kernel got the last of it, zero when
// it did not say.
//
// The call never blocks and is raw: telling the Go scheduler about it would cost
// more than the call.
func (l *loop) receive(c *conn) (n int, wall int64, errno syscall.Errno) {
	return l.receiveUpTo(c, len(l.buffer))
}

// receiveUpTo is receive for so many bytes at most.
func (l *loop) receiveUpTo(c *conn, most int) (n int, wall int64, errno syscall.Errno) {
	l.vector.SetLen(most)
	l.message.SetControllen(len(l.control))
	got, _, errno := syscall.RawSyscall(unix.SYS_RECVMSG, uintptr(c.fd), uintptr(unsafe.Pointer(&l.message)), unix.MSG_DONTWAIT)
	if errno != 0 {
		return 0, 0, errno
	}
	c.segments.reads++
	l.asked = false
	if uint64(l.message.Controllen) >= unix.SizeofCmsghdr+uint64(unsafe.Sizeof(unix.Timespec{})) {
		header := (*unix.Cmsghdr)(unsafe.Pointer(&l.control[0]))
		if header.Level == unix.SOL_SOCKET && header.Type == unix.SCM_TIMESTAMPNS {
			stamp := (*unix.Timespec)(unsafe.Pointer(&l.control[unix.SizeofCmsghdr]))
			wall = stamp.Nano()
		}
	}
	return int(got), wall, 0
}

// end finishes the exchange of c, keeps the connection if it can carry another
// one and closes it otherwise.
func (l *loop) end(c *conn, x *exchange, err error, at int64) {
	reusable := err == nil && x.framer.state == atEnd && x.framer.keep && !x.framer.extra && !x.sending.Load()
	c.mu.Lock()
	c.now.Store(nil)
	if !reusable {
		c.shut()
	}
	c.mu.Unlock()
	l.busy.Add(-1)
	if !reusable {
		c = nil
	}
	l.engine.leave(x.ctx, c)
	x.finish(err, at)
}

// drop ends c whatever it is doing.
func (l *loop) drop(c *conn, err error) {
	if c.http2 != nil {
		l.loseStreams(c.http2, err, l.clock.Now())
		return
	}
	if x := c.now.Load(); x != nil {
		x.framer.keep = false
		l.end(c, x, err, l.clock.Now())
		return
	}
	c.mu.Lock()
	c.shut()
	c.mu.Unlock()
}

// shut closes the descriptor. Only the loop does it, so that none of its events
// can belong to the descriptor's next owner; c.mu is held.
func (c *conn) shut() {
	if c.closed {
		return
	}
	c.closed = true
	if c.sealed != nil {
		c.sealed.goodbye()
	}
	c.loop.conns.set(c.fd, nil)
	_ = unix.Close(c.fd) // what was sent is answered or lost already
}

// push writes what is left of the request of x. A failed write is left to the
// reading side: the server may have answered before it closed.
func (c *conn) push(x *exchange, clock *record.Clock) {
	n, errno := c.write(x.unsent)
	x.unsent = x.unsent[n:]
	if errno == unix.EAGAIN || errno == unix.EINTR || errno == 0 && len(x.unsent) > 0 {
		return
	}
	if errno == 0 {
		x.raw.phases.wrote.Store(clock.Now())
		x.sending.Store(false)
	}
	_ = c.loop.watch(unix.EPOLL_CTL_MOD, c.fd, unix.EPOLLIN|unix.EPOLLRDHUP)
}

func (l *loop) watch(what, fd int, events uint32) error {
	return unix.EpollCtl(l.epoll, what, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)})
}

// readable reports whether anything has come, an end or an error too. It takes
// nothing away.
func readable(fd int) bool {
	var b [1]byte
	_, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd),
		uintptr(unsafe.Pointer(&b[0])), 1, unix.MSG_PEEK|unix.MSG_DONTWAIT, 0, 0)
	return errno != unix.EAGAIN
}

// send writes what the socket takes without blocking.
func send(fd int, b []byte) (int, syscall.Errno) {
	if len(b) == 0 {
		return 0, 0
	}
	n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}
