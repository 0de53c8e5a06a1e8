package probe

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"assay/door"
)

// The wire of the network probe: a client greets, then asks again and again with a
// head of one byte and eight; the server answers each in full before it reads the
// next.
//
//	greeting  "assay-net/2\n" from the client; then each side proves that it knows the
//	          secret, as package door has it; then the same greeting back
//	'p' n     n bytes follow; the server sends them back
//	's' n     n bytes follow; the server sends back a head with how many came, and
//	          the last eight of them
//	'g' n     the server sends n bytes
//
// The last eight bytes of whatever is sent in bulk are its length, so that an end
// that is cut off or out of place shows.
const greeting = "assay-net/2\n"

const (
	askEcho = 'p'
	askSink = 's'
	askGive = 'g'
)

const headBytes = 9

// bulkBlock is what one write or read moves at most: large enough that system calls
// do not decide the rate.
const bulkBlock = 256 << 10

// patience is how long a peer that says nothing is waited for.
const patience = 30 * time.Second

func putHead(to []byte, ask byte, n int64) {
	to[0] = ask
	binary.LittleEndian.PutUint64(to[1:], uint64(n))
}

// pour sends n bytes, of which the last eight are n.
func pour(to io.Writer, n int64, block []byte) error {
	for left := n; left > 0; {
		part := block[:min(left, int64(len(block)))]
		if left -= int64(len(part)); left < 8 && left > 0 {
			part = part[:len(part)-8] // the number is not torn between two writes
			left += 8
		}
		if left == 0 {
			binary.LittleEndian.PutUint64(part[len(part)-8:], uint64(n))
		}
		if _, err := to.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// drain reads n bytes and returns the last eight.
func drain(from io.Reader, n int64, block []byte) (last uint64, err error) {
	var tail [8]byte
	for left := n; left > 0; {
		got, err := from.Read(block[:min(left, int64(len(block)))])
		if got > 0 {
			left -= int64(got)
			part := block[:got]
			if got >= 8 {
				copy(tail[:], part[got-8:])
			} else {
				copy(tail[:], tail[got:])
				copy(tail[8-got:], part)
			}
		}
		if err != nil && (left > 0 || !errors.Is(err, io.EOF)) {
			return 0, err
		}
	}
	return binary.LittleEndian.Uint64(tail[:]), nil
}

// A stream is one connection to a server.
type stream struct {
	conn  *net.TCPConn
	block []byte
	wrong int64

	resent uint32 // as the kernel said last
}

// DefaultPort is where assay net --serve listens.
const DefaultPort = "7077"

// EnvSecret is the variable in which client and server have their secret.
const EnvSecret = "ASSAY_TOKEN"

// address is host with the port that the server has where none is said.
func address(host string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return net.JoinHostPort(host, DefaultPort)
}

// cutOffs is how often a client that was cut off while it greeted tries again: a
// server that many strangers knock at may take it for one of them.
const cutOffs = 20

func dial(ctx context.Context, host, secret string) (*stream, error) {
	if secret == "" {
		return nil, fmt.Errorf("assay net --serve on %s printed a secret: set %s to it", host, EnvSecret)
	}
	dialer := net.Dialer{Timeout: patience}
	for attempt := 1; ; attempt++ {
		conn, err := dialer.DialContext(ctx, "tcp", address(host))
		if err != nil {
			return nil, fmt.Errorf("%w: run assay net --serve on %s", err, host)
		}
		_ = conn.SetDeadline(time.Now().Add(patience))
		if err = greet(conn, secret); err == nil {
			return &stream{conn: conn.(*net.TCPConn), block: make([]byte, bulkBlock)}, conn.SetDeadline(time.Time{})
		}
		err = errors.Join(fmt.Errorf("%s does not answer as assay net --serve of this version does: %w", address(host), err), conn.Close())
		if attempt == cutOffs || !cutOff(err) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// cutOff says that the other side ended the connection without a word.
func cutOff(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// greet is the client's side of the greeting.
func greet(conn net.Conn, secret string) error {
	if _, err := io.WriteString(conn, greeting); err != nil {
		return err
	}
	if err := door.Greet(conn, secret, greeting); errors.Is(err, door.ErrStranger) {
		return fmt.Errorf("%w: is %s what it printed?", err, EnvSecret)
	} else if err != nil {
		return err
	}
	hello := make([]byte, len(greeting))
	if _, err := io.ReadFull(conn, hello); err != nil {
		return err
	}
	if string(hello) != greeting {
		return fmt.Errorf("it greets with %q", hello)
	}
	return nil
}

// send sends n bytes and waits until the server has them all.
func (s *stream) send(n int64) error {
	var head [headBytes]byte
	putHead(head[:], askSink, n)
	if _, err := s.conn.Write(head[:]); err != nil {
		return err
	}
	if err := pour(s.conn, n, s.block); err != nil {
		return err
	}
	var reply [headBytes + 8]byte
	if _, err := io.ReadFull(s.conn, reply[:]); err != nil {
		return err
	}
	if binary.LittleEndian.Uint64(reply[headBytes:]) != uint64(n) {
		s.wrong++
	}
	return nil
}

// receive asks for n bytes and takes them all.
func (s *stream) receive(n int64) error {
	var head [headBytes]byte
	putHead(head[:], askGive, n)
	if _, err := s.conn.Write(head[:]); err != nil {
		return err
	}
	last, err := drain(s.conn, n, s.block)
	if last != uint64(n) && err == nil {
		s.wrong++
	}
	return err
}

// trip sends so many bytes there and takes them back.
func (s *stream) trip(message, back []byte) error {
	if _, err := s.conn.Write(message); err != nil {
		return err
	}
	if _, err := io.ReadFull(s.conn, back); err != nil {
		return err
	}
	if string(back) != string(message[headBytes:]) {
		s.wrong++
	}
	return nil
}
