package probe

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

const secret = "0123456789abcdef0123456789abcdef"

// serving is a server on loopback.
func serving(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, listener, secret) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

func knock(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // only ends a hang
	t.Cleanup(func() { conn.Close() })
	return conn
}

// TestServeGivesStrangersNothing asks as a client of any version would, without the
// secret: not one byte of bulk comes.
func TestServeGivesStrangersNothing(t *testing.T) {
	t.Parallel()
	address := serving(t)
	give := binary.LittleEndian.AppendUint64([]byte{askGive}, 1<<62)
	for name, said := range map[string]string{
		"the wire of before":    "assay-net/1\n" + string(give),
		"no proof":              greeting + string(give) + strings.Repeat("0", 200),
		"a nonce and no proof":  greeting + strings.Repeat("0", 32+64) + string(give),
		"garbage":               strings.Repeat("\xff\x00", 500),
		"nothing, and goes off": "",
	} {
		conn := knock(t, address)
		_, _ = io.WriteString(conn, said)
		_ = conn.(*net.TCPConn).CloseWrite()
		got, _ := io.ReadAll(io.LimitReader(conn, 1<<20))
		if len(got) > 32+64 { // the server's nonce and proof
			t.Errorf("%s: got %d bytes", name, len(got))
		}
	}
	for range 500 {
		knock(t, address) // and says nothing
	}
	s, err := dial(t.Context(), address, secret)
	if err != nil {
		t.Fatal(err)
	}
	defer s.conn.Close()
	if err := s.receive(1 << 20); err != nil || s.wrong != 0 {
		t.Errorf("who knows the secret gets %v, %d wrong", err, s.wrong)
	}
}

// TestServeIsBounded asks for more than one transfer has, and for a message that is
// too long.
func TestServeIsBounded(t *testing.T) {
	t.Parallel()
	address := serving(t)
	for _, ask := range []struct {
		what byte
		n    uint64
	}{{askGive, 1 << 62}, {askGive, 1 << 63}, {askGive, mostBulk + 1}, {askSink, 1 << 62}, {askEcho, mostEcho + 1}, {'x', 8}} {
		s, err := dial(t.Context(), address, secret)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = s.conn.Write(binary.LittleEndian.AppendUint64([]byte{ask.what}, ask.n))
		_ = s.conn.SetDeadline(time.Now().Add(time.Minute))
		if got, _ := io.ReadAll(io.LimitReader(s.conn, 1<<20)); len(got) > 0 {
			t.Errorf("%c %d: got %d bytes, want to be hung up on", ask.what, ask.n, len(got))
		}
		s.conn.Close()
	}
}

// TestClientTrustsNoServer has a stranger serve.
func TestClientTrustsNoServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	heard := make(chan []byte, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		said := make([]byte, len(greeting)+32)
		_, _ = io.ReadFull(conn, said)
		heard <- said
		_, _ = conn.Write(bytes.Repeat([]byte("0"), 32+64))
		_, _ = io.WriteString(conn, greeting)
	}()
	if _, err := dial(t.Context(), listener.Addr().String(), secret); err == nil || !strings.Contains(err.Error(), "does not know the secret") {
		t.Errorf("dial = %v, want that it does not know the secret", err)
	}
	if bytes.Contains(<-heard, []byte(secret)) {
		t.Error("the client told its secret")
	}
}
