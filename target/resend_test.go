package target

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"assay/record"
)

// closing is a server that closes each connection after one answer and does not say
// so, as llama.cpp's does. A request that reaches a connection that is no longer served
// is not answered.
func closing(t *testing.T, asked *atomic.Int32) string {
	t.Helper()
	return serve(t, func(conn net.Conn, _ *http.Request) {
		asked.Add(1)
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nKeep-Alive: timeout=5, max=100\r\nContent-Length: %d\r\n\r\n%s", len(whole), whole)
		conn.Close()
	})
}

// A server that closes after each answer loses no request, whoever reads, and the
// client asks no more often than it was told to.
func TestServerThatClosesAfterEachAnswer(t *testing.T) {
	overBoth(t, testServerThatCloses)
}

func testServerThatCloses(t *testing.T) {
	const calls = 200
	for _, reader := range []string{ReadNetHTTP, ReadEpoll, ReadKernel} {
		var asked atomic.Int32
		c := newClient(t, closing(t, &asked), func(cfg *Config) { cfg.Reader = reader })
		for range calls {
			if r, _ := ask1(t, t.Context(), c); r.Result != record.OK {
				t.Fatalf("%s: %s: %s", reader, r.Result, r.Error)
			}
		}
		if n := asked.Load(); n != calls {
			t.Errorf("%s: the server saw %d requests of %d calls", reader, n, calls)
		}
	}
}

// A kept connection that ends without a byte of an answer is tried again once, and
// the record says so; a new one is not.
func TestResend(t *testing.T) { overBoth(t, testResend) }

func testResend(t *testing.T) {
	for _, reader := range []string{ReadNetHTTP, ReadEpoll} {
		f := func(answered func(connection, request int) bool, want ...record.Outcome) {
			t.Helper()
			c := newClient(t, numbered(t, answered), func(cfg *Config) { cfg.Reader = reader; cfg.Connections = 1 })
			for i, outcome := range want {
				r, _ := ask1(t, t.Context(), c)
				if resent := strings.Contains(r.Flags, record.Resent); r.Result != outcome || resent != (i > 0) {
					t.Errorf("%s: request %d: %s (%s), flags %q; want %s", reader, i, r.Result, r.Error, r.Flags, outcome)
				}
				if r.Result == record.OK && (!r.NewConn || *r.First < r.Sent) {
					t.Errorf("%s: request %d: %+v, want a new connection and a first byte after the first send", reader, i, r)
				}
			}
		}
		f(func(_, request int) bool { return request == 1 }, record.OK, record.OK)
		f(func(connection, request int) bool { return request == 1 && connection == 1 }, record.OK, record.Reset)
		f(func(_, _ int) bool { return false }, record.Reset)
	}
}

// numbered is a server that answers a request, or closes its connection, by the number
// of the connection and of the request on it, both from 1.
func numbered(t *testing.T, answered func(connection, request int) bool) string {
	t.Helper()
	listener, url := listen(t)
	one := func(conn net.Conn, number int) {
		defer conn.Close()
		requests := bufio.NewReader(conn)
		for n := 1; ; n++ {
			r, err := http.ReadRequest(requests)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil || !answered(number, n) {
				return
			}
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(whole), whole)
		}
	}
	go func() { // ends when the listener is closed
		for number := 1; ; number++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go one(conn, number) // ends with the connection
		}
	}()
	return url
}
