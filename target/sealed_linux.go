package target

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A sealedConn is what crypto/tls reads and writes below a connection. The
// handshake is made over the socket as usual. From then on a loop reads the
// ciphertext, with the kernel's stamp, and crypto/tls is given what the loop has
// read: when that is used up, it hears that there is nothing at the moment, keeps
// the part of a record that it has, and goes on with the next read.
type sealedConn struct {
	net.Conn // of the handshake; nil once a loop has the connection
	tls      *tls.Conn
	fd       int
	came     []byte // what the loop has read and crypto/tls has not taken
	end      error  // what follows it; nil while the connection lasts

	// Beside the sender the reading thread writes too: crypto/tls answers some
	// records by itself.
	mu     sync.Mutex
	unsent []byte // ciphertext that the socket did not take
}

// errNothingYet tells crypto/tls that no more ciphertext has come so far. It gives a
// connection up at every error but a temporary one.
var errNothingYet net.Error = nothingYet{}

type nothingYet struct{}

func (nothingYet) Error() string   { return "no more ciphertext has come" }
func (nothingYet) Timeout() bool   { return true }
func (nothingYet) Temporary() bool { return true }

// recordSize is the most plaintext that a record of TLS holds.
const recordSize = 16 << 10

// agree makes the handshake of TLS over nc. It returns nil for a host without TLS.
func (e *epollEngine) agree(ctx context.Context, nc net.Conn, host string, t *phases) (*sealedConn, error) {
	if !e.client.secured(host) {
		return nil, nil
	}
	cfg := e.client.tlsFor(host)
	cfg.DynamicRecordSizingDisabled = true // a request in one record is one write
	s := &sealedConn{Conn: nc}
	s.tls = tls.Client(s, cfg)
	begin := e.client.clock.Now()
	if err := s.tls.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	t.tls.Store(e.client.clock.Now() - begin)
	if e.http2 && s.tls.ConnectionState().NegotiatedProtocol != "h2" {
		return nil, errNoHTTP2
	}
	return s, nil
}

// handOver makes fd, which a loop reads, the connection in place of the one that
// the handshake was made over.
func (s *sealedConn) handOver(fd int) { s.Conn, s.fd = nil, fd }

// open decrypts b, the bytes of one read, into room and returns the text of the
// records that they complete. Room must be longer than b by a record. The error
// says how the connection has ended, if it has.
func (s *sealedConn) open(b, room []byte) ([]byte, error) {
	s.came = b
	n := 0
	for {
		m, err := s.tls.Read(room[n:])
		n += m
		switch {
		case err == errNothingYet:
			return room[:n], nil
		case err != nil:
			return room[:n], err
		}
	}
}

// hungUp is open for the end of the connection. The end of TLS itself or an end
// between two records is io.EOF.
func (s *sealedConn) hungUp(room []byte) ([]byte, error) {
	s.end = io.EOF
	return s.open(nil, room)
}

// Read implements net.Conn for crypto/tls.
func (s *sealedConn) Read(b []byte) (int, error) {
	switch {
	case s.Conn != nil:
		return s.Conn.Read(b)
	case len(s.came) > 0:
		n := copy(b, s.came)
		s.came = s.came[n:]
		return n, nil
	case s.end != nil:
		return 0, s.end
	}
	return 0, errNothingYet
}

// Write implements net.Conn for crypto/tls. It takes everything: what the socket
// has no room for is kept, and flush sends it.
func (s *sealedConn) Write(b []byte) (int, error) {
	if s.Conn != nil {
		return s.Conn.Write(b)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	if len(s.unsent) == 0 {
		var errno syscall.Errno
		if n, errno = send(s.fd, b); errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
			return 0, os.NewSyscallError("write", errno)
		}
	}
	s.unsent = append(s.unsent, b[n:]...)
	return len(b), nil
}

// SetWriteDeadline implements net.Conn. No write waits once a loop has the
// connection.
func (s *sealedConn) SetWriteDeadline(t time.Time) error {
	if s.Conn != nil {
		return s.Conn.SetWriteDeadline(t)
	}
	return nil
}

// seal encrypts and sends as much of b as the socket takes. The error is EAGAIN when
// b, or ciphertext of it, is left.
func (s *sealedConn) seal(b []byte) (n int, errno syscall.Errno) {
	for {
		if errno := s.flush(); errno != 0 || n == len(b) {
			return n, errno
		}
		record := b[n:min(len(b), n+recordSize)]
		if _, err := s.tls.Write(record); err != nil {
			errno := unix.EPIPE
			errors.As(err, &errno)
			return n, errno
		}
		n += len(record)
	}
}

// flush sends what the socket did not take before.
func (s *sealedConn) flush() syscall.Errno {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, errno := send(s.fd, s.unsent)
	s.unsent = s.unsent[n:]
	switch {
	case errno != 0:
		return errno
	case len(s.unsent) > 0:
		return unix.EAGAIN
	}
	s.unsent = nil
	return 0
}

// goodbye tells the server that nothing follows, as far as the socket takes it.
func (s *sealedConn) goodbye() { _ = s.tls.CloseWrite() }

// unseal is the part of a read that connections with TLS have more. The stamp is
// that of the read that completed a record, and the record is opened after it was
// taken.
func (l *loop) unseal(c *conn, x *exchange, n int, wall, now int64) {
	text, err := l.textOf(c.sealed, n)
	if len(text) > 0 {
		at, kernel := l.stampOf(wall, x.last, now)
		x.last = at
		if fault := x.take(text, at, kernel); fault != nil || x.framer.state == atEnd {
			x.framer.keep = x.framer.keep && err == nil
			l.end(c, x, fault, at)
			return
		}
	}
	switch {
	case err == io.EOF:
		l.lost(c, x, x.framer.eof(), now)
	case err != nil:
		l.lost(c, x, err, now)
	}
}

// textOf opens the n bytes that were just read; none is the end of the connection.
func (l *loop) textOf(s *sealedConn, n int) ([]byte, error) {
	if l.text == nil {
		l.text = make([]byte, readSize+2*recordSize)
	}
	if n == 0 {
		return s.hungUp(l.text)
	}
	return s.open(l.buffer[:n], l.text)
}

// quiet reads an idle connection and reports whether nothing has happened that ends
// it: a server with TLS may send tickets at any time. c.mu is held.
func (l *loop) quiet(c *conn) bool {
	if c.sealed == nil {
		return false
	}
	n, _, errno := l.receive(c)
	if errno == unix.EAGAIN || errno == unix.EINTR {
		return true
	}
	if errno != 0 {
		return false
	}
	text, err := l.textOf(c.sealed, n)
	return err == nil && len(text) == 0
}

// ended reports whether the server has closed an idle connection, or says what
// nobody asked. With TLS only the loop can tell what was said.
func (c *conn) ended() bool {
	if !readable(c.fd) {
		return false
	}
	if c.sealed == nil {
		return true
	}
	fds := []unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLRDHUP}}
	_, err := unix.Poll(fds, 0)
	return err == nil && fds[0].Revents != 0
}

// write sends what the socket takes of b without blocking, encrypted where the
// connection is. Everything is out when it is all of b and the error is 0.
func (c *conn) write(b []byte) (int, syscall.Errno) {
	if c.sealed != nil {
		return c.sealed.seal(b)
	}
	return send(c.fd, b)
}
