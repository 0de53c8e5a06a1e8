package target

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A tap is a connection whose writes can be kept in place of sent.
type tap struct {
	net.Conn
	kept *bytes.Buffer // nil while they are sent
}

func (c *tap) Write(b []byte) (int, error) {
	if c.kept != nil {
		return c.kept.Write(b)
	}
	return c.Conn.Write(b)
}

// sealedPair makes a handshake and returns the client's side as a loop has it, and
// the server's, whose ciphertext is kept from then on.
func sealedPair(t *testing.T, version uint16) (*sealedConn, *tls.Conn, *tap) {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	below := &tap{Conn: far}
	cfg := authority(t).server.Clone()
	cfg.MaxVersion, cfg.SessionTicketsDisabled = version, true // tickets would wait for a reader
	server := tls.Server(below, cfg)
	var shaken sync.WaitGroup
	shaken.Go(func() {
		if err := server.Handshake(); err != nil {
			t.Error(err)
		}
	})
	trusting := authority(t).client.Clone()
	trusting.ServerName = "localhost"
	s := &sealedConn{Conn: near}
	s.tls = tls.Client(s, trusting)
	if err := s.tls.Handshake(); err != nil {
		t.Fatal(err)
	}
	shaken.Wait()
	s.handOver(-1) // nothing is written
	below.kept = &bytes.Buffer{}
	return s, server, below
}

// Wherever the network cuts the ciphertext, the same text comes out, each record with
// the read that completed it, and the end of TLS is the end.
func TestSealedCutEverywhere(t *testing.T) {
	t.Parallel()
	parts := []string{"first", "the second record", strings.Repeat("x", 40), "last"}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		room := make([]byte, 4*recordSize)
		size := len(recorded(t, version, parts))
		for cut := range size + 1 {
			s, server, below := sealedPair(t, version)
			ends := seal(t, server, below, parts)
			text, err := s.open(below.kept.Bytes()[:cut], room)
			if err != nil && cut < size {
				t.Fatalf("version %x, cut at %d: %v", version, cut, err)
			}
			if want := completed(parts, ends, cut); string(text) != want {
				t.Fatalf("version %x, cut at %d: first %q, want %q", version, cut, text, want)
			}
			got := string(text)
			if cut < size {
				text, err = s.open(below.kept.Bytes()[cut:], room)
				got += string(text)
			}
			if got != strings.Join(parts, "") || err != io.EOF {
				t.Fatalf("version %x, cut at %d: got %q, %v", version, cut, got, err)
			}
		}
	}
}

// seal writes each part as a record of its own and then the end of TLS, and returns
// where each record ends.
func seal(t *testing.T, server *tls.Conn, below *tap, parts []string) (ends []int) {
	t.Helper()
	for _, part := range parts {
		if _, err := io.WriteString(server, part); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, below.kept.Len())
	}
	if err := server.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	return ends
}

func recorded(t *testing.T, version uint16, parts []string) []byte {
	t.Helper()
	_, server, below := sealedPair(t, version)
	seal(t, server, below, parts)
	return below.kept.Bytes()
}

// completed is the text of the records that the first n bytes complete.
func completed(parts []string, ends []int, n int) string {
	whole := 0
	for whole < len(parts) && ends[whole] <= n {
		whole++
	}
	return strings.Join(parts[:whole], "")
}

// A connection that ends between two records has ended, one that ends within a record
// is broken, and so is one whose ciphertext was changed.
func TestSealedEnds(t *testing.T) {
	t.Parallel()
	room := make([]byte, 4*recordSize)
	f := func(what string, want error, change func(cipher []byte) []byte) {
		t.Helper()
		s, server, below := sealedPair(t, tls.VersionTLS13)
		seal(t, server, below, []string{"text"})
		record := below.kept.Bytes()
		record = record[:len(record)-24] // without the end of TLS
		_, err := s.open(change(record), room)
		if err == nil {
			_, err = s.hungUp(room)
		}
		if want != nil && err != want || want == nil && (err == nil || errors.Is(err, io.EOF)) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	f("between records", io.EOF, func(b []byte) []byte { return b })
	f("within a record", io.ErrUnexpectedEOF, func(b []byte) []byte { return b[:len(b)-1] })
	f("changed", nil, func(b []byte) []byte { b[len(b)-1] ^= 1; return b })
}

// What the socket has no room for goes out later, and nothing is lost.
func TestSealedFlush(t *testing.T) {
	t.Parallel()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	s, server, below := sealedPair(t, tls.VersionTLS13)
	s.handOver(fds[0])
	text := []byte(strings.Repeat("0123456789abcdef", 1<<16)) // beyond the buffers of a socket
	var cipher []byte
	for rest, turns := text, 0; len(rest) > 0 || turns == 0; turns++ {
		n, errno := s.seal(rest)
		rest = rest[n:]
		if errno == 0 && len(rest) == 0 {
			break
		}
		if errno != unix.EAGAIN || turns > 1<<12 {
			t.Fatalf("seal = %d, %v after %d turns", n, errno, turns)
		}
		cipher = drainSocket(cipher, fds[1])
	}
	cipher = drainSocket(cipher, fds[1])
	below.Conn = &recording{Reader: bytes.NewReader(cipher), Conn: below.Conn}
	got := make([]byte, len(text))
	if _, err := io.ReadFull(server, got); err != nil || !bytes.Equal(got, text) {
		t.Errorf("the server read %d bytes of %d (%v)", len(got), len(text), err)
	}
}

// A recording reads what was recorded.
type recording struct {
	io.Reader
	net.Conn
}

func (r *recording) Read(b []byte) (int, error) { return r.Reader.Read(b) }

func drainSocket(to []byte, fd int) []byte {
	for b := make([]byte, 64<<10); ; {
		n, err := unix.Read(fd, b)
		if n <= 0 || err != nil {
			return to
		}
		to = append(to, b[:n]...)
	}
}

// Reading costs the one small allocation that crypto/tls makes for each record.
func TestSealedAllocations(t *testing.T) {
	s, server, below := sealedPair(t, tls.VersionTLS13)
	room := make([]byte, 4*recordSize)
	event := []byte(strings.Repeat("x", 200))
	// What tests before this one left behind may still allocate, for long where others want
	// the processors too: the least of many counts.
	allocated := math.Inf(1)
	for begun := time.Now(); allocated > 2 && time.Since(begun) < 20*time.Second; {
		allocated = min(allocated, testing.AllocsPerRun(1000, func() {
			below.kept.Reset()
			server.Write(event)
			if text, err := s.open(below.kept.Bytes(), room); len(text) != len(event) || err != nil {
				t.Fatalf("%d bytes, %v", len(text), err)
			}
		}))
	}
	if allocated > 2 {
		t.Errorf("%v allocations for a record, want at most 2, the server's among them", allocated)
	}
}
