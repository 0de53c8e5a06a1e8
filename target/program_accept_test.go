package target

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// TestAcceptProgramAmongStrangers has others connect before the program does, say nothing,
// anything, or a wrong token. None of them is taken for it, and it gets in.
func TestAcceptProgramAmongStrangers(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	knock := func(said string) net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(time.Minute)) // only ends a hang
		_, _ = io.WriteString(conn, said)
		return conn
	}
	came := make(chan net.Conn, 1)
	go func() {
		conn, _, err := acceptProgram(t.Context(), l, "right", time.Hour, nil)
		if err != nil {
			t.Error(err)
		}
		came <- conn
	}()
	for range 200 {
		knock("")
	}
	for _, said := range []string{
		`{"t":"hello","token":"wrong"}` + "\n", `{"t":"hello"}` + "\n", "null\n", "GET / HTTP/1.1\r\n\r\n", strings.Repeat("x", 1<<20),
	} {
		if n, err := knock(said).Read(make([]byte, 1)); err == nil {
			t.Errorf("%.30q is answered with %d bytes", said, n)
		}
	}
	own := knock(`{"t":"hello","token":"right"}` + "\n")
	conn := <-came
	if conn == nil || conn.RemoteAddr().String() != own.LocalAddr().String() {
		t.Fatal("another than the program was accepted")
	}
	conn.Close()
	if conn, err := net.Dial("tcp", l.Addr().String()); err == nil {
		conn.Close()
		t.Error("the door is open after the program has come")
	}
}
