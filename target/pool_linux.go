package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"net/url"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An epollEngine keeps connections to plain HTTP targets and the loops that read
// them.
type epollEngine struct {
	client *Client
	hosts  []string // of each URL, with its port
	dialer net.Dialer
	kernel bool // ask the kernel for stamps
	start  sync.Once
	failed error // why the loops could not start
	ended  sync.WaitGroup
	loops  []*loop
	keeper int           // a socket that keeps the kernel stamping, or -1
	dials  chan struct{} // holds one for each dial under way

	mu     sync.Mutex
	closed bool
	idle   map[string][]*conn
}

// newEngine returns nil where net/http must do the work.
func newEngine(c *Client) engine {
	e := &epollEngine{
		client: c, kernel: c.cfg.Reader != ReadEpoll, keeper: -1, idle: map[string][]*conn{},
		dialer: net.Dialer{Timeout: 30 * time.Second},
		dials:  make(chan struct{}, mostDials),
	}
	for _, u := range c.urls {
		host, ok := plainHost(u)
		if !ok || c.cfg.Reader == ReadNetHTTP {
			return nil
		}
		e.hosts = append(e.hosts, host)
	}
	return e
}

// plainHost is where to connect to for u. Names that need encoding are left to
// net/http.
func plainHost(u *url.URL) (string, bool) {
	for _, r := range u.Host {
		if r >= 0x80 {
			return "", false
		}
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port), u.Scheme == "http"
}

// open starts the loops at the first exchange: a client that is never used
// needs no thread.
func (e *epollEngine) open() error {
	e.start.Do(func() {
		var limit unix.Rlimit
		if e.failed = unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); e.failed != nil {
			return
		}
		// One thread reads 150 000 events a second; more help only where there
		// are processors to spare.
		for range min(4, max(1, runtime.NumCPU()/8)) {
			l, err := newLoop(e.client.clock, int(min(limit.Cur, 1<<20)))
			if err != nil {
				e.failed = err
				return
			}
			e.loops = append(e.loops, l)
			e.ended.Go(l.run)
		}
		// A loop keeps its processor between two system calls. With no other one
		// the users that it wakes could not run.
		if procs := len(e.loops) + 1; runtime.GOMAXPROCS(0) < procs {
			runtime.GOMAXPROCS(procs)
		}
		if e.kernel {
			e.keepStamping()
		}
	})
	return e.failed
}

// keepStamping holds a socket that asks for stamps. The kernel begins to stamp
// some time after the first socket asks, and stops when none is left.
func (e *epollEngine) keepStamping() {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return // stamps are taken after the read then, and records say so
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	e.keeper = fd
}

func (e *epollEngine) close() {
	e.mu.Lock()
	already := e.closed
	e.closed = true
	e.mu.Unlock()
	e.start.Do(func() { e.failed = net.ErrClosed })
	if already {
		return
	}
	for _, l := range e.loops {
		l.halt()
	}
	e.ended.Wait()
	if e.keeper >= 0 {
		_ = unix.Close(e.keeper)
	}
}

// do carries out one exchange. Nothing but the write happens on the caller's
// goroutine; it then sleeps until a loop wakes it.
func (e *epollEngine) do(ctx context.Context, p Prepared, raw *Raw) {
	raw.request.Sent = e.client.clock.Now()
	x := e.client.exchanges.Get().(*exchange)
	x.reset(raw.request.Sent, &raw.phases.wrote)
	x.began, x.lines = p.FirstByte, e.client.endsAtDone
	raw.exchange = x
	c, err := e.begin(ctx, e.hosts[int(p.Call.ID)%len(e.hosts)], x, &raw.phases)
	if err != nil {
		x.finish(err, e.client.clock.Now())
		raw.fail(x.end, err)
		return
	}
	e.send(c, x, p.wire)
	e.await(ctx, c, x, raw.request.Sent)
	if x.reusable {
		e.keep(c)
	}
	raw.Done, raw.err = x.end, x.err
	raw.phases.first.Store(x.first)
}

// warm implements engine.
func (e *epollEngine) warm(ctx context.Context, n int) error {
	if err := e.open(); err != nil {
		return err
	}
	return openMany(n, e.hosts, func(host string) error {
		c, err := e.dial(ctx, host, &phases{})
		if err == nil {
			e.keep(c)
		}
		return err
	})
}

// begin gives x a connection: one that is open, or a new one.
func (e *epollEngine) begin(ctx context.Context, host string, x *exchange, t *phases) (*conn, error) {
	if err := e.open(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for c := e.spare(host); c != nil; c = e.spare(host) {
		if c.claim(x) {
			return c, nil
		}
	}
	c, err := e.dial(ctx, host, t)
	if err != nil {
		return nil, err
	}
	if !c.claim(x) {
		return nil, fmt.Errorf("the server closed a new connection at once: %w", syscall.ECONNRESET)
	}
	return c, nil
}

// spare takes the connection that was used last, which is the least likely to
// have been closed by the server.
func (e *epollEngine) spare(host string) *conn {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.idle[host]
	if len(list) == 0 {
		return nil
	}
	c := list[len(list)-1]
	e.idle[host] = list[:len(list)-1]
	return c
}

// keep puts c where spare finds it. Whatever is too many ends.
func (e *epollEngine) keep(c *conn) {
	e.mu.Lock()
	full := e.closed || len(e.idle[c.host]) >= max(1, e.client.cfg.Connections)
	if !full {
		e.idle[c.host] = append(e.idle[c.host], c)
	}
	e.mu.Unlock()
	if full {
		c.hangUp()
	}
}

// claim gives an idle connection to x unless it has ended. The server may have
// closed it a moment ago, which only a look at the socket tells.
func (c *conn) claim(x *exchange) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	var b [1]byte
	if _, _, err := unix.Recvfrom(c.fd, b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT); err != unix.EAGAIN {
		return false // readable: the loop sees it too and closes it
	}
	c.now.Store(x)
	return true
}

// hangUp ends both directions. The loop sees it as the end of the connection.
func (c *conn) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		_ = unix.Shutdown(c.fd, unix.SHUT_RDWR) // fails only when the server was faster
	}
}

// mostDials bounds the dials at one time. Each needs some 20 kB while it lasts:
// ten thousand at once were half of all the memory a run ever needed.
const mostDials = 256

type dialed struct {
	conn *conn
	err  error
}

// dial opens a connection. It does so on a goroutine of its own: the resolver
// needs a deep stack, and ten thousand users should not each keep one.
func (e *epollEngine) dial(ctx context.Context, host string, t *phases) (*conn, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if limit := e.client.cfg.Timeout; limit > 0 {
		defer time.AfterFunc(limit, func() { cancel(errTotalTimeout) }).Stop()
	}
	defer time.AfterFunc(e.client.idleLimit(), func() { cancel(errIdleTimeout) }).Stop()
	select {
	case e.dials <- struct{}{}:
		defer func() { <-e.dials }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	result := make(chan dialed, 1)
	go func() { // ends with ctx at the latest; the line below waits for it
		nc, err := e.dialer.DialContext(httptrace.WithClientTrace(ctx, t.trace(e.client.clock)), "tcp", host)
		if err != nil {
			result <- dialed{nil, err}
			return
		}
		c, err := e.adopt(nc.(*net.TCPConn), host)
		result <- dialed{c, err}
	}()
	r := <-result
	if r.err != nil {
		return nil, cause(ctx, r.err)
	}
	t.connections.Add(1)
	t.newConnections.Add(1)
	return r.conn, nil
}

// adopt takes the socket away from the Go runtime, whose own poller would be
// woken by every packet too, and gives it to a loop.
func (e *epollEngine) adopt(nc *net.TCPConn, host string) (*conn, error) {
	defer nc.Close()
	raw, err := nc.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	var dupErr error
	err = raw.Control(func(old uintptr) { fd, dupErr = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) })
	if err = errors.Join(err, dupErr); err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("fcntl", err)}
	}
	l := e.loops[fd%len(e.loops)]
	c := &conn{fd: fd, host: host, loop: l}
	if fd >= len(l.conns) {
		return nil, errors.Join(fmt.Errorf("descriptor %d is beyond the limit of %d", fd, len(l.conns)), unix.Close(fd))
	}
	if e.kernel {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) // else we stamp, and say so
	}
	l.conns[fd].Store(c)
	if err := l.watch(unix.EPOLL_CTL_ADD, fd, unix.EPOLLIN|unix.EPOLLRDHUP); err != nil {
		l.conns[fd].Store(nil)
		return nil, errors.Join(fmt.Errorf("epoll_ctl: %w", err), unix.Close(fd))
	}
	return c, nil
}

// send writes the request. What the socket does not take at once is left to the
// loop, which is told when there is room again.
func (e *epollEngine) send(c *conn, x *exchange, wire []byte) {
	n, errno := send(c.fd, wire)
	if n == len(wire) {
		x.wrote.Store(e.client.clock.Now())
		return
	}
	if errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
		x.sending.Store(true) // never sent in full: the connection ends with its answer
		return
	}
	x.unsent = wire[n:]
	x.sending.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		_ = c.loop.watch(unix.EPOLL_CTL_MOD, c.fd, unix.EPOLLIN|unix.EPOLLRDHUP|unix.EPOLLOUT)
	}
}

// await returns when x has finished, and sees to it that it does.
func (e *epollEngine) await(ctx context.Context, c *conn, x *exchange, sent int64) {
	timer := time.NewTimer(e.patience(x, sent))
	defer timer.Stop()
	done := ctx.Done()
	for {
		select {
		case <-x.signal:
			if x.finished.Load() {
				return
			}
			if x.done.Load() {
				timer.Reset(doneGrace)
			}
		case <-done:
			done = nil
			reason := context.Cause(ctx)
			x.cause.Store(&reason)
			c.giveUp(x)
		case <-timer.C:
			if wait := e.patience(x, sent); wait > 0 && !x.done.Load() {
				timer.Reset(wait)
				continue
			}
			reason := e.expired(sent)
			x.cause.Store(&reason)
			c.giveUp(x)
		}
	}
}

// giveUp ends the connection of x, unless x has just ended and another exchange
// has it.
func (c *conn) giveUp(x *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && c.now.Load() == x {
		_ = unix.Shutdown(c.fd, unix.SHUT_RDWR) // fails only when the server was faster
	}
}

// patience is how long x may go on without news.
func (e *epollEngine) patience(x *exchange, sent int64) time.Duration {
	now := e.client.clock.Now()
	wait := time.Duration(1 << 62)
	if e.client.cfg.Idle > 0 {
		wait = e.client.cfg.Idle - time.Duration(now-x.last.Load())
	}
	if e.client.cfg.Timeout > 0 {
		wait = min(wait, e.client.cfg.Timeout-time.Duration(now-sent))
	}
	return wait
}

func (e *epollEngine) expired(sent int64) error {
	if limit := e.client.cfg.Timeout; limit > 0 && time.Duration(e.client.clock.Now()-sent) >= limit {
		return errTotalTimeout
	}
	return errIdleTimeout
}
