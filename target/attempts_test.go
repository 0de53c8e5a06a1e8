package target

import (
	"fmt"
	"net"
	"net/http"
	"testing"
)

// A proxy that tried again says so in its answer, and the record keeps it.
func TestAttempts(t *testing.T) {
	url := serve(t, func(conn net.Conn, _ *http.Request) {
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Envoy-Attempt-Count: 3\r\nContent-Length: %d\r\n\r\n%s", len(whole), whole)
	})
	for _, reader := range []string{"net/http", ""} {
		r, _ := ask1(t, t.Context(), newClient(t, url, func(c *Config) { c.Reader = reader }))
		if r.Flags != "attempts=3" {
			t.Errorf("reader %q: flags %q, want attempts=3", reader, r.Flags)
		}
	}
}
