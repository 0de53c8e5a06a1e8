package generator

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/record"
)

func listening(t *testing.T, count int) *Leader {
	t.Helper()
	l, err := Listen(Options{Run: "a run", Program: "1", Count: count, Epoch: record.Mono()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func credentialsOf(t *testing.T, l *Leader, number int) Credentials {
	t.Helper()
	data, err := l.Credentials(number)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ParseCredentials(data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func joined(t *testing.T, c Credentials) *Member {
	t.Helper()
	m, err := Join(t.Context(), c, Hello{Program: "1", Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// awaitRefusal waits until the leader has turned somebody away for a reason.
func awaitRefusal(t *testing.T, l *Leader, why string) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		for _, refused := range l.Refused() {
			if strings.Contains(refused, why) {
				return
			}
		}
	}
	t.Fatalf("refused %q, want one for %q", l.Refused(), why)
}

// Whoever has no certificate of this run, or one that is not a generator's, or one whose
// number is taken, is refused and named; the generator itself then gets its place.
func TestInterlopersAreRefused(t *testing.T) {
	t.Parallel()
	const stranger = "no certificate of this run"
	l, other := listening(t, 2), listening(t, 2)
	first := credentialsOf(t, l, 0)
	dial := func(c Credentials, change func(*tls.Config)) {
		config, err := c.joining()
		if err != nil {
			t.Fatal(err)
		}
		change(config)
		conn, err := tls.Dial("tcp", l.address, config)
		if err == nil {
			_, err = conn.Read(make([]byte, 1)) // the leader's alert comes after the handshake
			conn.Close()
		}
		if err == nil {
			t.Error("an interloper was answered")
		}
	}
	tests := []struct {
		name, why string
		try       func()
	}{
		{"speaks in the open", stranger, func() {
			conn, err := net.Dial("tcp", l.address)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(conn, `{"rank":0,"token":"guess"}`+"\n")
			_, _ = io.Copy(io.Discard, conn)
			conn.Close()
		}},
		{"has no certificate", stranger, func() { dial(first, func(c *tls.Config) { c.Certificates = nil }) }},
		{"has a certificate of another run", stranger, func() {
			foreign := credentialsOf(t, other, 0)
			dial(foreign, func(c *tls.Config) { c.InsecureSkipVerify = true })
		}},
		{"knows the certificate and not its key", stranger, func() {
			_, key, err := ed25519.GenerateKey(rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			dial(first, func(c *tls.Config) { c.Certificates[0].PrivateKey = key })
		}},
		{"speaks an older TLS", stranger, func() {
			dial(first, func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS12, tls.VersionTLS12 })
		}},
		{"is another version", "install one version", func() {
			m, err := Join(t.Context(), first, Hello{Program: "2", Host: "h"})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if _, open := <-m.Orders(); open {
				t.Error("it was given an order")
			}
		}},
	}
	for _, tt := range tests {
		tt.try()
		awaitRefusal(t, l, tt.why)
	}
	joined(t, first)
	joined(t, credentialsOf(t, l, 1))
	if err := l.Gather(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, err := Join(t.Context(), first, Hello{Program: "1", Host: "elsewhere"})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	awaitRefusal(t, l, "load generator 0 is on h already, and another process on elsewhere")
	if _, open := <-second.Orders(); open {
		t.Error("the second to come was given an order")
	}
	if err := l.Sync(t.Context(), Before, 2); err != nil {
		t.Errorf("those who were there first are disturbed: %v", err)
	}
}

// A certificate of a generator does not make a leader.
func TestNobodyElseLeads(t *testing.T) {
	t.Parallel()
	l := listening(t, 2)
	victim, thief := credentialsOf(t, l, 0), credentialsOf(t, l, 1)
	key, err := x509.ParsePKCS8PrivateKey(thief.Key)
	if err != nil {
		t.Fatal(err)
	}
	fake, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{thief.Certificate}, PrivateKey: key}}})
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	go func() {
		for {
			conn, err := fake.Accept()
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, conn)
		}
	}()
	victim.Address = fake.Addr().String()
	if _, err := Join(t.Context(), victim, Hello{Program: "1"}); err == nil {
		t.Error("a generator took another generator for its leader")
	}
}

// A wire stands between a generator and its leader, keeps what the generator says, and
// may alter a byte of it.
type wire struct {
	listener net.Listener

	mu    sync.Mutex
	said  []byte
	alter bool
}

func between(t *testing.T, leader string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: listener}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", leader)
			if err != nil {
				in.Close()
				return
			}
			go func() { _, _ = io.Copy(in, out); in.Close() }()
			go func() { _, _ = io.Copy(out, w.tap(in)); out.Close() }()
		}
	}()
	return w
}

func (w *wire) tap(from io.Reader) io.Reader {
	return readFunc(func(p []byte) (int, error) {
		n, err := from.Read(p)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.said = append(w.said, p[:n]...)
		if w.alter && n > 0 {
			p[n-1] ^= 1
		}
		return n, err
	})
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// What was said once opens nothing again, and a byte that was altered on the way ends the
// line of the generator, which is named.
func TestReplayedAndAlteredBytes(t *testing.T) {
	t.Parallel()
	l := listening(t, 1)
	c := credentialsOf(t, l, 0)
	w := between(t, l.address)
	c.Address = w.listener.Addr().String()
	m := joined(t, c)
	if err := l.Gather(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Sync(t.Context(), Before, 2); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	said := bytes.Clone(w.said)
	w.alter = true
	w.mu.Unlock()
	conn, err := net.Dial("tcp", l.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = conn.Write(said)
	if answer, _ := io.ReadAll(conn); len(said) == 0 || bytes.Contains(answer, []byte("order")) {
		t.Errorf("%d replayed bytes were answered with %q", len(said), answer)
	}
	awaitRefusal(t, l, "no certificate of this run")

	_ = m.Event(record.Event{Name: "x"})
	_ = m.Report(Report{Stage: Ready}) // arrives altered
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = l.await(ctx, "wait", func(*peer) bool { return false })
	if err == nil || !strings.Contains(err.Error(), "load generator 0 on h: its line broke") {
		t.Errorf("altered bytes: %v", err)
	}
}

// A frame that is too long, and rows that cannot be, end the line of whoever sent them.
func TestUnreadableFrames(t *testing.T) {
	t.Parallel()
	f := func(why string, say func(*Member) error) {
		t.Helper()
		l := listening(t, 1)
		m := joined(t, credentialsOf(t, l, 0))
		if err := l.Gather(t.Context()); err != nil {
			t.Fatal(err)
		}
		_ = say(m)
		err := l.await(t.Context(), "wait", func(*peer) bool { return false })
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %q", err, why)
		}
	}
	f("a frame of", func(m *Member) error { return m.line.send(frameRows, make([]byte, mostToLeader)) })
	f("rows that cannot be read", func(m *Member) error { return m.line.send(frameRows, []byte{200, 200, 200}) })
	f("rows outside of a point", func(m *Member) error { return m.line.send(frameRows, (&Rows{}).encode()) })
	f("which no generator sends", func(m *Member) error { return m.line.send(framePing, stamps(1)) })
	f("cannot be read", func(m *Member) error { return m.line.send(frameReport, []byte("{")) })
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	l := listening(t, 1)
	c := credentialsOf(t, l, 0)
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{nil, []byte("{}"), text[:len(text)/2], make([]byte, mostCredentials+1)} {
		if _, err := ParseCredentials(data); err == nil {
			t.Errorf("%d bytes were taken for credentials", len(data))
		}
	}
	c.Key = c.Key[:10]
	if _, err := Join(t.Context(), c, Hello{}); err == nil {
		t.Error("half a key was taken")
	}
}
