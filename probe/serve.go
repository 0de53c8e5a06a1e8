package probe

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"

	"assay/door"
)

// What one server does for those who know its secret. A client is a stream; a host
// with more of them measures its own scheduler.
const (
	mostClients = 256
	mostEcho    = 64 << 10 // of one message
	mostBulk    = 1 << 40  // of one transfer: 20 s at 400 Gbit/s
)

// thinking is how long a client may take between two questions: as long as a variant
// lasts.
const thinking = 10 * patience

// Serve answers network probes of those who know the secret until ctx ends, and then
// returns nil. Nobody else can make this host send or keep anything.
func Serve(ctx context.Context, listener net.Listener, secret string) error {
	if err := door.CheckSecret(secret); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { listener.Close() })
	defer stop()
	places := make(chan struct{}, mostClients)
	err := door.Serve(listener, door.Options{}, func(conn net.Conn, admit func()) {
		defer conn.Close()
		defer context.AfterFunc(ctx, func() { conn.Close() })()
		if welcome(conn, secret) != nil {
			return
		}
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		default:
			return
		}
		admit()
		_ = answer(conn) // a client that goes away is no concern of the server's
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// welcome is the server's side of the greeting.
func welcome(conn net.Conn, secret string) error {
	hello := make([]byte, len(greeting))
	if _, err := io.ReadFull(conn, hello); err != nil || string(hello) != greeting {
		return fmt.Errorf("greeting %q: %w", hello, err)
	}
	if err := door.Receive(conn, secret, greeting); err != nil {
		return err
	}
	_, err := io.WriteString(conn, greeting)
	return err
}

// A patient connection ends when nothing moves for as long as patience lasts.
type patient struct{ net.Conn }

func (c patient) Read(b []byte) (int, error) {
	_ = c.SetReadDeadline(time.Now().Add(patience))
	return c.Conn.Read(b)
}

func (c patient) Write(b []byte) (int, error) {
	_ = c.SetWriteDeadline(time.Now().Add(patience))
	return c.Conn.Write(b)
}

// answer serves one client to its end.
func answer(conn net.Conn) error {
	block, echo := make([]byte, bulkBlock), make([]byte, mostEcho)
	moving := patient{conn}
	var head [headBytes]byte
	for {
		_ = conn.SetDeadline(time.Now().Add(thinking))
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return err
		}
		n := int64(binary.LittleEndian.Uint64(head[1:]))
		var err error
		switch {
		case head[0] == askEcho && n >= 0 && n <= mostEcho:
			// No deadline of its own: setting one takes a part of a round trip.
			if _, err = io.ReadFull(conn, echo[:n]); err == nil {
				_, err = conn.Write(echo[:n])
			}
		case head[0] == askSink && n >= 8 && n <= mostBulk:
			err = sink(moving, n, block)
		case head[0] == askGive && n >= 8 && n <= mostBulk:
			err = pour(moving, n, block)
		default:
			err = fmt.Errorf("asked for %q of %d bytes", head[0], n)
		}
		if err != nil {
			return err
		}
	}
}

// sink takes n bytes and says how many came, and the last eight of them.
func sink(conn io.ReadWriter, n int64, block []byte) error {
	last, err := drain(conn, n, block)
	if err != nil {
		return err
	}
	var reply [headBytes + 8]byte
	putHead(reply[:], askSink, n)
	binary.LittleEndian.PutUint64(reply[headBytes:], last)
	_, err = conn.Write(reply[:])
	return err
}
