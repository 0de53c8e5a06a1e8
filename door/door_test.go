package door_test

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/door"
)

const secret = "0123456789abcdef0123456789abcdef"

// open serves a door on loopback that answers "in" to whoever knows the secret, and
// counts them.
func open(t *testing.T, o door.Options) (address string, admitted func() int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	n := 0
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = door.Serve(l, o, func(conn net.Conn, admit func()) {
			defer conn.Close()
			if door.Receive(conn, secret, "test/1") != nil {
				return
			}
			admit()
			mu.Lock()
			n++
			mu.Unlock()
			io.WriteString(conn, "in")
		})
	}()
	t.Cleanup(func() {
		l.Close()
		<-ended
	})
	return l.Addr().String(), func() int { mu.Lock(); defer mu.Unlock(); return n }
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // only ends a hang
	t.Cleanup(func() { conn.Close() })
	return conn
}

// enter says whether somebody with this secret gets in.
func enter(t *testing.T, address, secret string) error {
	t.Helper()
	conn := dial(t, address)
	if err := door.Greet(conn, secret, "test/1"); err != nil {
		return err
	}
	said, err := io.ReadAll(conn)
	if err == nil && string(said) != "in" {
		err = errors.New("turned away")
	}
	return err
}

// TestSilenceKeepsNobodyOut has many more connect than may wait, and say nothing,
// before the one that knows the secret comes.
func TestSilenceKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	address, admitted := open(t, door.Options{Waiting: 8, Patience: time.Hour})
	var silent []net.Conn
	for range 100 {
		silent = append(silent, dial(t, address))
	}
	if err := enter(t, address, secret); err != nil {
		t.Errorf("whoever knows the secret: %v", err)
	}
	// The first of them was cut off when the ninth came.
	if _, err := silent[0].Read(make([]byte, 1)); err == nil || errors.Is(err, net.ErrClosed) {
		t.Errorf("the one that waited longest reads %v, want that it was cut off", err)
	}
	if got := admitted(); got != 1 {
		t.Errorf("%d were admitted, want 1", got)
	}
}

func TestPatienceEnds(t *testing.T) {
	t.Parallel()
	address, _ := open(t, door.Options{Patience: time.Millisecond})
	if _, err := dial(t, address).Read(make([]byte, 1)); err == nil {
		t.Error("a silent connection was answered")
	}
}

// TestAdmittedHaveNoDeadline holds that patience is for strangers alone.
func TestAdmittedHaveNoDeadline(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go door.Serve(l, door.Options{Patience: 200 * time.Millisecond}, func(conn net.Conn, admit func()) {
		defer conn.Close()
		admit()
		_, err := conn.Read(make([]byte, 1))
		got <- err
	})
	defer l.Close()
	conn := dial(t, l.Addr().String())
	time.Sleep(400 * time.Millisecond)
	if _, err := conn.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Errorf("an admitted connection was read with %v", err)
	}
}

func TestStrangersAreTurnedAway(t *testing.T) {
	t.Parallel()
	address, admitted := open(t, door.Options{})
	if err := enter(t, address, strings.Repeat("x", 32)); !errors.Is(err, door.ErrStranger) {
		t.Errorf("a wrong secret: %v, want that this side notices first", err)
	}
	for name, said := range map[string]string{
		"garbage":          strings.Repeat("\x00\xff\n", 100),
		"HTTP":             "GET / HTTP/1.1\r\nHost: assay\r\n\r\n and more than a nonce and a proof have together, much more",
		"a nonce, no word": door.Nonce(),
		"a made-up proof":  door.Nonce() + strings.Repeat("0", 64),
	} {
		conn := dial(t, address)
		_, _ = io.WriteString(conn, said)
		_ = conn.(*net.TCPConn).CloseWrite()
		rest, _ := io.ReadAll(conn)
		if strings.HasSuffix(string(rest), "in") {
			t.Errorf("%s gets in", name)
		}
	}
	if got := admitted(); got != 0 {
		t.Errorf("%d were admitted, want none", got)
	}
}

// A tap keeps what goes each way.
type tap struct {
	net.Conn
	sent, received strings.Builder
}

func (c *tap) Write(b []byte) (int, error) { c.sent.Write(b); return c.Conn.Write(b) }

func (c *tap) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.received.Write(b[:n])
	return n, err
}

// TestReplay says again what a conversation that was listened to had said, to either
// side. The secret is not in it.
func TestReplay(t *testing.T) {
	t.Parallel()
	address, admitted := open(t, door.Options{})
	heard := &tap{Conn: dial(t, address)}
	if err := door.Greet(heard, secret, "test/1"); err != nil {
		t.Fatal(err)
	}
	if all := heard.sent.String() + heard.received.String(); strings.Contains(all, secret) {
		t.Error("the secret was said")
	}
	io.ReadAll(heard)
	again := dial(t, address)
	io.WriteString(again, heard.sent.String())
	if said, _ := io.ReadAll(again); strings.HasSuffix(string(said), "in") || admitted() != 1 {
		t.Error("what was said before opens the door again")
	}
	// The other way round: a listener that only repeats.
	here, there := net.Pipe()
	go func() {
		io.ReadFull(there, make([]byte, 32))
		io.WriteString(there, heard.received.String())
		there.Close()
	}()
	if err := door.Greet(here, secret, "test/1"); !errors.Is(err, door.ErrStranger) {
		t.Errorf("a listener that repeats: %v, want a stranger", err)
	}
}

// TestReflection sends a side its own words back.
func TestReflection(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	go func() {
		nonce := make([]byte, 32)
		io.ReadFull(there, nonce)
		// A second conversation, with this side as the one that is dialled, would answer
		// with this very proof if the roles were not part of it.
		there.Write(append(nonce, door.Proof(secret, "test/1", "dialled", string(nonce), string(nonce))...))
		there.Close()
	}()
	if err := door.Greet(here, secret, "test/1"); !errors.Is(err, door.ErrStranger) {
		t.Errorf("Greet = %v, want a stranger", err)
	}
}

// TestOtherWords has both sides know the secret and mean something else.
func TestOtherWords(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	go func() {
		_ = door.Receive(there, secret, "test/1", "rank 2")
		there.Close()
	}()
	if err := door.Greet(here, secret, "test/1", "rank 1"); !errors.Is(err, door.ErrStranger) {
		t.Errorf("Greet = %v, want a stranger", err)
	}
}

// TestProof holds the proof against one that Python made:
// hmac.new(b"key", b"a\nb", "sha256").hexdigest()
func TestProof(t *testing.T) {
	const want = "5460bc7da6ecb3a4b2c1470e0468f9debef55c0f1d60619e2b08ef89be62763d"
	if got := door.Proof("key", "a", "b"); got != want || !door.Proves(want, "key", "a", "b") || door.Proves(want, "key", "a", "c") {
		t.Errorf("Proof = %s, want %s and no other", got, want)
	}
}

func TestCheckSecret(t *testing.T) {
	if err := door.CheckSecret("short"); err == nil || strings.Contains(err.Error(), "short\"") {
		t.Errorf("CheckSecret = %v, want that it is too short", err)
	}
	if err := door.CheckSecret(secret); err != nil {
		t.Error(err)
	}
}
