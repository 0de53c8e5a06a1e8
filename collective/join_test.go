package collective_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"assay/collective"
)

// secret is what the ranks of a test know and nobody else does.
const secret = "0123456789abcdef0123456789abcdef"

// door is a listener and its address.
func door(t *testing.T) (net.Listener, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, l.Addr().String()
}

// TestJoinAmongStrangers has others knock: a port scanner, somebody who says nothing
// of use, and a rank of another world.
func TestJoinAmongStrangers(t *testing.T) {
	l0, a0 := door(t)
	l1, a1 := door(t)
	other, _ := door(t)
	for _, text := range []string{"", "GET / HTTP/1.1\r\nHost: assay\r\n\r\n and much more than a greeting has"} {
		conn, err := net.Dial("tcp", a0)
		if err != nil {
			t.Fatal(err)
		}
		conn.Write([]byte(text))
		conn.Close()
	}
	lost := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := collective.Join(ctx, 1, other, []string{a0, "127.0.0.1:9"}, secret, 10*time.Second)
		lost <- err
	}()
	groups := make([]*collective.Group, 2)
	listeners := []net.Listener{l0, l1}
	each(t, 2, func(rank int) (err error) {
		groups[rank], err = collective.Join(t.Context(), rank, listeners[rank], []string{a0, a1}, secret, 10*time.Second)
		return err
	})
	each(t, 2, func(rank int) error { return groups[rank].Do(collective.Op{Kind: collective.Barrier}) })
	for _, g := range groups {
		g.Close()
	}
	cancel()
	if err := <-lost; err == nil || !strings.Contains(err.Error(), "rank 0 at "+a0) {
		t.Errorf("the rank of another world got %v, want that rank 0 cannot be reached", err)
	}
}

func TestJoinGivesUp(t *testing.T) {
	l, addr := door(t)
	gone, nobody := door(t)
	gone.Close()
	tests := []struct {
		name  string
		rank  int
		peers []string
		want  string
	}{
		{"nobody comes", 0, []string{addr, nobody, nobody}, "rank 1, 2 did not connect"},
		{"nobody is there", 1, []string{nobody, addr}, "rank 0 at " + nobody + " cannot be reached"},
		{"no such rank", 2, []string{addr, addr}, "rank 2 of 2"},
	}
	for _, tt := range tests {
		began := time.Now()
		_, err := collective.Join(t.Context(), tt.rank, l, tt.peers, secret, 200*time.Millisecond)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: took %v", tt.name, took)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := collective.Join(ctx, 0, l, []string{addr, nobody}, secret, time.Hour); err == nil {
		t.Error("a join that was cancelled came about")
	}
}

// TestJoinKeepsItsPlaces has a stranger who knows every address and all of the wire,
// but not the secret, be rank 1 before rank 1 comes, a thousand times, while others
// connect and say nothing. Rank 0 must wait for the real one.
func TestJoinKeepsItsPlaces(t *testing.T) {
	l0, a0 := door(t)
	l1, a1 := door(t)
	fake, _ := door(t)
	peers := []string{a0, a1}
	for range 1000 {
		conn, err := net.Dial("tcp", a0)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	lost := make(chan error, 1)
	groups := make([]*collective.Group, 2)
	joined := make(chan error, 1)
	go func() {
		var err error
		groups[0], err = collective.Join(t.Context(), 0, l0, peers, secret, time.Minute)
		joined <- err
	}()
	go func() {
		_, err := collective.Join(ctx, 1, fake, peers, "guessed guessed guessed", time.Minute)
		lost <- err
	}()
	select {
	case err := <-joined:
		t.Fatalf("rank 0 joined before rank 1 was there: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	var err error
	if groups[1], err = collective.Join(t.Context(), 1, l1, peers, secret, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-joined; err != nil {
		t.Fatal(err)
	}
	each(t, 2, func(rank int) error { return groups[rank].Do(collective.Op{Kind: collective.Barrier}) })
	for _, g := range groups {
		g.Close()
	}
	cancel()
	if err := <-lost; err == nil {
		t.Error("the stranger joined")
	}
}

// TestJoinTrustsNoListener has a stranger listen where rank 0 should: rank 1 must not
// join it, even when it says all that rank 0 would say in the open.
func TestJoinTrustsNoListener(t *testing.T) {
	fake, a0 := door(t)
	l1, a1 := door(t)
	go func() {
		for {
			conn, err := fake.Accept()
			if err != nil {
				return
			}
			said := make([]byte, 12+32)
			io.ReadFull(conn, said)
			conn.Write(append(append(said[12:], bytes.Repeat([]byte("0"), 64)...), said[:12]...))
		}
	}()
	_, err := collective.Join(t.Context(), 1, l1, []string{a0, a1}, secret, 300*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "does not know the secret") {
		t.Errorf("Join = %v, want that rank 0 does not know the secret", err)
	}
}

func TestJoinWantsASecret(t *testing.T) {
	l, addr := door(t)
	if _, err := collective.Join(t.Context(), 0, l, []string{addr}, "", time.Second); err == nil || !strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want that a secret is needed", err)
	}
}

func TestJoinWantsTime(t *testing.T) {
	l, addr := door(t)
	if _, err := collective.Join(t.Context(), 0, l, []string{addr}, secret, 0); err == nil || !strings.Contains(err.Error(), "timeout") {
		t.Errorf("got %v, want that a timeout is needed", err)
	}
}

// TestMisuse makes mistakes that must not reach the wire.
func TestMisuse(t *testing.T) {
	groups := world(t, 2, time.Second)
	g := groups[0]
	b := make([]byte, 64)
	for want, err := range map[string]error{
		"no operation is called":     g.Do(collective.Op{Kind: "all_shuffle", Send: b, Recv: b}),
		"want 64 and 128":            g.Do(collective.Op{Kind: collective.AllGather, Type: collective.Types[0], Send: b, Recv: b}),
		"has no connection to rank ": g.Send(0, b),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	each(t, 2, func(rank int) error { return groups[rank].Do(collective.Op{Kind: collective.Barrier}) })
}
