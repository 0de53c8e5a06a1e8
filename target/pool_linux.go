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
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// An epollEngine keeps connections to targets and the loops that read them.
type epollEngine struct {
	client  *Client
	hosts   []string // of each URL, with its port
	dialer  net.Dialer
	kernel  bool // ask the kernel for stamps
	http2   bool // see Client.overHTTP2
	opened  sync.Once
	failed  error // why the loops could not start
	ended   sync.WaitGroup
	loops   []*loop
	keeper  int           // see keepStamping; -1 without one
	dials   chan struct{} // holds one for each dial under way
	adopted atomic.Int64  // connections, which the loops take in turns

	mu     sync.Mutex
	closed bool
	idle   map[string][]*conn              // those of HTTP/2 always, since each takes many exchanges
	ends   map[<-chan struct{}]*contextEnd // of the contexts of exchanges under way
	shared sharedDials
}

// A contextEnd waits for the end of a context that n exchanges have.
type contextEnd struct {
	n    int
	stop func() bool
}

// newEngine returns nil where net/http must do the work.
func newEngine(c *Client) engine {
	e := &epollEngine{
		client: c, kernel: c.cfg.Reader != ReadEpoll, http2: c.overHTTP2(), keeper: -1,
		idle: map[string][]*conn{}, ends: map[<-chan struct{}]*contextEnd{},
		dialer: net.Dialer{Timeout: 30 * time.Second},
		dials:  make(chan struct{}, mostDials),
	}
	for _, u := range c.urls {
		host, ok := dialable(u)
		if !ok || c.cfg.Reader == ReadNetHTTP {
			return nil
		}
		e.hosts = append(e.hosts, host)
	}
	return e
}

// dialable is where to connect to for u. Names that need encoding are left to
// net/http.
func dialable(u *url.URL) (string, bool) {
	for _, r := range u.Host {
		if r >= 0x80 {
			return "", false
		}
	}
	return hostPort(u), true
}

// open starts the loops at the first exchange: a client that is never used
// needs no thread.
func (e *epollEngine) open() error {
	e.opened.Do(func() {
		for range e.client.cfg.ReaderCount() {
			l, err := newLoop(e)
			if err != nil {
				e.failed = err
				return
			}
			e.loops = append(e.loops, l)
			e.ended.Go(l.run)
		}
		// A loop keeps its processor between two system calls. With no other one
		// nothing else could run.
		if procs := len(e.loops) + 1; runtime.GOMAXPROCS(0) < procs {
			runtime.GOMAXPROCS(procs)
		}
		if e.kernel {
			e.keeper = keepStamping()
		}
	})
	return e.failed
}

func (e *epollEngine) close() {
	e.mu.Lock()
	already := e.closed
	e.closed = true
	e.mu.Unlock()
	e.opened.Do(func() { e.failed = net.ErrClosed })
	if already {
		return
	}
	e.shared.close()
	for _, l := range e.loops {
		l.halt()
	}
	e.ended.Wait()
	if e.keeper >= 0 {
		_ = unix.Close(e.keeper)
	}
}

// warm implements engine.
func (e *epollEngine) warm(ctx context.Context, n int) error {
	if err := e.open(); err != nil {
		return err
	}
	if e.http2 {
		return e.warmStreams(ctx, n)
	}
	return openMany(n, e.hosts, func(host string) error {
		c, err := e.dial(ctx, host, &phases{})
		if err == nil {
			e.keep(c)
		}
		return err
	})
}

// enter notes that an exchange with ctx begins, and takes the connection that was
// used last, which is the least likely to have been closed by the server.
func (e *epollEngine) enter(ctx context.Context, host string) *conn {
	e.mu.Lock()
	defer e.mu.Unlock()
	if end := ctx.Done(); end != nil {
		w := e.ends[end]
		if w == nil {
			w = &contextEnd{stop: context.AfterFunc(ctx, e.alarm)}
			e.ends[end] = w
		}
		w.n++
	}
	return e.spare(host)
}

// again takes the next connection, when the one that enter took had ended.
func (e *epollEngine) again(host string) *conn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.spare(host)
}

func (e *epollEngine) spare(host string) *conn {
	list := e.idle[host]
	if e.http2 {
		return emptiest(list)
	}
	if len(list) == 0 {
		return nil
	}
	c := list[len(list)-1]
	e.idle[host] = list[:len(list)-1]
	return c
}

// leave notes that an exchange with ctx has ended and keeps its connection c,
// which is nil when it cannot carry another one.
func (e *epollEngine) leave(ctx context.Context, c *conn) {
	e.mu.Lock()
	if end := ctx.Done(); end != nil {
		if w := e.ends[end]; w.n > 1 {
			w.n--
		} else {
			w.stop()
			delete(e.ends, end)
		}
	}
	over := c != nil && !e.hold(c)
	e.mu.Unlock()
	if over {
		c.hangUp()
	}
}

// keep puts c where it will be found. Whatever is too many ends.
func (e *epollEngine) keep(c *conn) {
	e.mu.Lock()
	held := e.hold(c)
	e.mu.Unlock()
	if !held {
		c.hangUp()
	}
}

func (e *epollEngine) hold(c *conn) bool {
	if e.closed || c.http2 == nil && len(e.idle[c.host]) >= max(1, e.client.cfg.Connections) {
		return false
	}
	e.idle[c.host] = append(e.idle[c.host], c)
	return true
}

// alarm makes every loop look for exchanges whose context has ended.
func (e *epollEngine) alarm() {
	for _, l := range e.loops {
		l.alarm.Store(true)
		l.ring()
	}
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

// limited is ctx with the time limits of an exchange.
func (e *epollEngine) limited(ctx context.Context) (limited context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	idle := time.AfterFunc(e.client.idleLimit(), func() { cancel(errIdleTimeout) })
	total := idle
	if limit := e.client.cfg.Timeout; limit > 0 {
		total = time.AfterFunc(limit, func() { cancel(errTotalTimeout) })
	}
	return ctx, func() {
		idle.Stop()
		total.Stop()
		cancel(nil)
	}
}

// dial opens a connection, with the handshake of TLS.
func (e *epollEngine) dial(ctx context.Context, host string, t *phases) (*conn, error) {
	ctx, stop := e.limited(ctx)
	defer stop()
	select {
	case e.dials <- struct{}{}:
		defer func() { <-e.dials }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	nc, err := e.dialer.DialContext(httptrace.WithClientTrace(ctx, t.trace(e.client.clock)), "tcp", host)
	if err != nil {
		return nil, cause(ctx, err)
	}
	sealed, err := e.agree(ctx, nc, host, t)
	if err != nil {
		nc.Close()
		return nil, cause(ctx, err)
	}
	c, err := e.adopt(nc.(*net.TCPConn), host, sealed)
	if err != nil {
		return nil, err
	}
	t.connections.Add(1)
	t.newConnections.Add(1)
	return c, nil
}

// adopt takes the socket away from the Go runtime, whose own poller would be
// woken by every packet too, and gives it to a loop.
func (e *epollEngine) adopt(nc *net.TCPConn, host string, sealed *sealedConn) (*conn, error) {
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
	l := e.loops[int(e.adopted.Add(1))%len(e.loops)]
	c := &conn{fd: fd, host: host, loop: l, sealed: sealed}
	if fd >= mostConns {
		return nil, errors.Join(fmt.Errorf("descriptor %d is beyond the limit of %d", fd, mostConns), unix.Close(fd))
	}
	if e.kernel {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) // else we stamp, and say so
	}
	if err := c.greet(e.http2); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	l.conns.set(fd, c)
	if err := l.watch(unix.EPOLL_CTL_ADD, fd, unix.EPOLLIN|unix.EPOLLRDHUP); err != nil {
		l.conns.set(fd, nil)
		return nil, errors.Join(fmt.Errorf("epoll_ctl: %w", err), unix.Close(fd))
	}
	return c, nil
}
