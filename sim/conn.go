package sim

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A conn is one client connection. Its goroutine reads requests one after the
// other; answers are written from there or, token by token, from a pacer.
type conn struct {
	server *Server
	net    net.Conn
	limit  io.LimitedReader
	in     *bufio.Reader

	mu       sync.Mutex
	direct   bool            // net's writes never wait
	raw      syscall.RawConn // nil when writes cannot be done without blocking
	rawWrite func(fd uintptr) bool
	out      []byte // what rawWrite still has to write
	errno    syscall.Errno
	backlog  []byte // waits for flush
	flushing bool
	flushed  sync.Cond // flushing ended
	broken   bool      // writing failed: the client is gone
}

const (
	maxHead = 1 << 20
	maxBody = 256 << 20

	// maxBodies is what all connections together may be about to send: anybody who
	// reaches the simulator can open many.
	maxBodies = 512 << 20
)

// A rationedBody counts what it has read against what all may hold.
type rationedBody struct {
	from io.Reader
	held *atomic.Int64 // by all
	own  int64
}

var errBodies = errors.New("too much is being sent at once")

func (r *rationedBody) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	r.own += int64(n)
	if r.held.Add(int64(n)) > maxBodies {
		return n, errBodies
	}
	return n, err
}

func newConn(s *Server, nc net.Conn) *conn {
	c := &conn{server: s, net: nc}
	c.flushed.L = &c.mu
	c.limit.R = nc
	c.in = bufio.NewReaderSize(&c.limit, 4096)
	if tcp, ok := nc.(*net.TCPConn); ok {
		if raw, err := tcp.SyscallConn(); err == nil {
			c.raw = raw
		}
	}
	// One closure for the life of the connection: a fresh one for each token
	// would be garbage on the sending path.
	c.rawWrite = func(fd uintptr) bool {
		for len(c.out) > 0 {
			n, errno := sendNow(fd, c.out)
			if errno != 0 && errno != syscall.EINTR {
				c.errno = errno
				return true
			}
			c.out = c.out[n:]
		}
		return true
	}
	return c
}

// serve answers requests until the client leaves or an answer ends the
// connection.
func (c *conn) serve() {
	defer c.close()
	for {
		c.limit.N = maxHead
		head, err := http.ReadRequest(c.in)
		if err != nil {
			if !clientLeft(err) {
				c.refuse(&refusal{400, "BadRequestError", "", "the HTTP request cannot be read: " + err.Error()}, true)
			}
			return
		}
		c.limit.N = maxBody
		if !c.server.answer(c, head) || head.Close {
			return
		}
	}
}

func clientLeft(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &op)
}

// readBody reads the whole body, first telling a client that waits for it to go
// on. A body that cannot be read is answered and ends the connection.
func (c *conn) readBody(head *http.Request) (body []byte, ok bool) {
	if strings.EqualFold(head.Header.Get("Expect"), "100-continue") {
		c.send([]byte("HTTP/1.1 100 Continue\r\n\r\n"))
	}
	ration := &rationedBody{from: head.Body, held: &c.server.held}
	body, err := io.ReadAll(ration)
	c.server.held.Add(-ration.own)
	switch {
	case err == nil:
		return body, true
	case errors.Is(err, errBodies):
		c.refuse(&refusal{503, "ServiceUnavailableError", "", fmt.Sprintf("%v, want at most %d bytes in all", err, maxBodies)}, true)
	case c.limit.N <= 0:
		c.refuse(&refusal{413, "BadRequestError", "", fmt.Sprintf("the body is too long, want at most %d bytes", maxBody)}, true)
	case !clientLeft(err):
		c.refuse(badRequest("", "the body cannot be read: %v", err), true)
	}
	return nil, false
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// watch waits for a stream to end, and tells the server when the client leaves
// before that. The next byte from the client would be its next request; it is
// left where it is.
func (c *conn) watch(st *stream) {
	c.limit.N = maxHead
	if _, err := c.in.Peek(1); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		c.server.cancel(st)
	}
	<-st.done
	_ = c.net.SetReadDeadline(time.Time{})
}

// send writes b, without blocking when the connection allows it; what the
// socket does not take at once follows in order from a goroutine.
func (c *conn) send(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken {
		return
	}
	if c.direct {
		_, err := c.net.Write(b)
		c.broken = err != nil
		return
	}
	if !c.flushing && c.raw != nil {
		c.out, c.errno = b, 0
		if err := c.raw.Write(c.rawWrite); err != nil || (c.errno != 0 && c.errno != syscall.EAGAIN) {
			c.broken = true
			return
		}
		b = c.out
	}
	if len(b) == 0 {
		return
	}
	c.backlog = append(c.backlog, b...)
	if !c.flushing {
		c.flushing = true
		c.server.work.Go(c.flush)
	}
}

// flush writes the backlog until none is left.
func (c *conn) flush() {
	var spare []byte
	for {
		c.mu.Lock()
		batch := c.backlog
		c.backlog = spare[:0]
		if len(batch) == 0 || c.broken {
			c.flushing = false
			c.flushed.Broadcast()
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		if _, err := c.net.Write(batch); err != nil {
			c.mu.Lock()
			c.broken = true
			c.mu.Unlock()
		}
		spare = batch
	}
}

// close ends the connection once everything sent is written, or at once when
// the server cuts it meanwhile. Only the connection's own goroutine calls it.
func (c *conn) close() {
	c.mu.Lock()
	for c.flushing {
		c.flushed.Wait()
	}
	c.mu.Unlock()
	_ = c.net.Close()
}

// hold keeps the connection silent until the client leaves or the server
// closes.
func (c *conn) hold() { _, _ = io.Copy(io.Discard, c.in) }
