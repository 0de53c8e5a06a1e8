package collective

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

const (
	// A message up to inline is written by the caller: waking the sender costs more
	// than the write. It fits the smallest buffers that a kernel gives a socket, so
	// ranks that all write before they read do not wait for each other.
	inline = 16 << 10

	// What is received to be added is taken in pieces that stay in a processor's own
	// cache between the read and the addition.
	addPiece = 256 << 10

	// What is only passed on is taken in larger pieces.
	movePiece = 512 << 10

	// wakeAt is how much of a large message must have come before its reader is woken.
	wakeAt = 128 << 10
)

// A PeerError is trouble with one peer. It may be that peer's consequence of
// another's trouble.
type PeerError struct {
	Rank int
	Addr string
	Err  error
}

func (e *PeerError) Error() string { return fmt.Sprintf("rank %d at %s: %v", e.Rank, e.Addr, e.Err) }

func (e *PeerError) Unwrap() error { return e.Err }

// A link is the connection to one peer. One goroutine calls its methods; a second
// one, the sender, writes what the first does not write itself.
type link struct {
	rank    int
	addr    string
	conn    *net.TCPConn
	timeout time.Duration

	readBy, writeBy time.Time // when the deadlines were last set
	wakeAt          int       // as the kernel was last told; 0 before

	mu      sync.Mutex
	work    sync.Cond // something to write, or closed
	idle    sync.Cond // something was written, or closed
	queue   [][]byte
	next    int // index of the first in queue that nobody has taken
	pending int // not yet handed to the kernel
	given   int // that the sender was ever given
	closed  bool
	err     error
}

func newLink(rank int, addr string, conn *net.TCPConn, timeout time.Duration) *link {
	l := &link{rank: rank, addr: addr, conn: conn, timeout: timeout}
	l.work.L, l.idle.L = &l.mu, &l.mu
	return l
}

// send hands b to the kernel, or to the sender when that could take long. b must not
// be changed before flush.
func (l *link) send(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	l.mu.Lock()
	if l.err != nil || l.closed {
		defer l.mu.Unlock()
		return l.trouble(l.err)
	}
	if l.pending == 0 && len(b) <= inline {
		l.mu.Unlock() // only this goroutine gives the sender work
		return l.write(b)
	}
	l.queue = append(l.queue, b)
	l.pending++
	l.given++
	l.work.Signal()
	l.mu.Unlock()
	return nil
}

// serve is the sender. It ends with close; failed is called with the first error.
func (l *link) serve(failed func(error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		for l.next == len(l.queue) && !l.closed {
			l.work.Wait()
		}
		if l.closed {
			return
		}
		b := l.queue[l.next]
		if l.next++; l.next == len(l.queue) {
			l.queue, l.next = l.queue[:0], 0
		}
		l.mu.Unlock()
		err := l.write(b)
		if err != nil {
			failed(err)
		}
		l.mu.Lock()
		if l.pending--; err != nil {
			l.err = err
			l.idle.Broadcast()
			return
		}
		l.idle.Broadcast()
	}
}

// mark is the place in the order of sending that left waits for. Only the goroutine
// that sends may ask.
func (l *link) mark() int { return l.given }

// left returns when all that was sent before mark is with the kernel.
func (l *link) left(mark int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.given-l.pending < mark {
		if l.err != nil || l.closed {
			return l.trouble(l.err)
		}
		l.idle.Wait()
	}
	if l.err != nil {
		return l.err
	}
	return nil
}

// flush returns when all that was sent is with the kernel.
func (l *link) flush() error { return l.left(l.mark()) }

// close wakes whoever waits and ends the sender.
func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.work.Broadcast()
	l.idle.Broadcast()
	l.conn.Close()
}

func (l *link) write(b []byte) error {
	for len(b) > 0 {
		piece := b[:min(len(b), movePiece)]
		if now := time.Now(); now.Sub(l.writeBy) > l.timeout/4 {
			l.writeBy = now
			l.conn.SetWriteDeadline(now.Add(l.timeout))
		}
		if _, err := l.conn.Write(piece); err != nil {
			return l.trouble(err)
		}
		b = b[len(piece):]
	}
	return nil
}

// recv fills b. The deadline is that of the piece: a link may be slow for as long as
// it moves. It is set again only now and then, because that costs as much as a read.
func (l *link) recv(b []byte) error {
	for len(b) > 0 {
		if now := time.Now(); now.Sub(l.readBy) > l.timeout/4 {
			l.readBy = now
			l.conn.SetReadDeadline(now.Add(l.timeout))
		}
		l.wake(len(b))
		n, err := l.conn.Read(b[:min(len(b), movePiece)])
		if err != nil {
			return l.trouble(err)
		}
		b = b[n:]
	}
	return nil
}

// wake says how much must have come before a read that waits is woken. To be woken
// for every segment of a large message costs more than to copy it; the end of a
// message must not wait for what nobody sends.
func (l *link) wake(left int) {
	at := 1
	if left >= 2*wakeAt {
		at = wakeAt
	}
	if at != l.wakeAt {
		l.wakeAt = at
		setLowWater(l.conn, at)
	}
}

// trouble is err with the peer's name and in words that say what happened.
func (l *link) trouble(err error) error {
	var named *PeerError
	switch {
	case errors.As(err, &named):
		return err
	case err == nil || errors.Is(err, net.ErrClosed):
		err = net.ErrClosed
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the peer closed the connection")
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("nothing moved for %v: %w", l.timeout, os.ErrDeadlineExceeded)
	default:
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err // the addresses are said already
		}
	}
	return &PeerError{l.rank, l.addr, err}
}
