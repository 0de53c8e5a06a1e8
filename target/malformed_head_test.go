package target

import (
	"testing"

	"assay/record"
)

// A head that net/http refuses is no answer, also when a body follows it; the next
// call goes out as if nothing had been.
func TestMalformedHeads(t *testing.T) {
	heads := []struct{ name, head string }{
		{"control character in a value", "HTTP/1.1 200 OK\r\nX: a\x1bb\r\n"},
		{"zero byte in a value", "HTTP/1.1 200 OK\r\nX: a\x00b\r\n"},
		{"byte beyond ASCII in a name", "HTTP/1.1 200 OK\r\nX\xff: a\r\n"},
		{"control character in a name", "HTTP/1.1 200 OK\r\nX\x07Y: a\r\n"},
		{"line without a colon", "HTTP/1.1 200 OK\r\nGarbageLine\r\n"},
		{"name of nothing", "HTTP/1.1 200 OK\r\n: a\r\n"},
		{"two lengths that differ", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Length: 10\r\n"},
		{"two transfer codings", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n"},
		{"transfer coding twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"},
	}
	startReaders(t, func(t *testing.T) {
		for _, tt := range heads {
			t.Run(tt.name, func(t *testing.T) {
				c := newClient(t, serve(t, wholeResponse(tt.head+"Connection: close\r\n\r\ndata: x\n\n")), nil)
				for range 2 {
					r, chunks := ask1(t, t.Context(), c)
					if r.Result != record.Protocol || r.Error == "" || r.Status != 0 || len(chunks) > 0 {
						t.Errorf("outcome %q (%s), status %d, %d chunks; want %q and no answer", r.Result, r.Error, r.Status, len(chunks), record.Protocol)
					}
				}
			})
		}
	})
}
