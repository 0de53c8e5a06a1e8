package target

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"assay/record"
)

// Two events that a busy client finds at once are marked, unless the server sent them
// in one packet.
func TestReadTooLate(t *testing.T) {
	for name, apart := range map[string]bool{"sent apart": true, "sent together": false} {
		t.Run(name, func(t *testing.T) {
			first, both, read := make(chan struct{}), make(chan struct{}), make(chan struct{})
			url := serve(t, func(conn net.Conn, _ *http.Request) {
				fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n", len(whole))
				io.WriteString(conn, roleEvent)
				<-first // the reading thread is held up
				if apart {
					io.WriteString(conn, helloEvent)
					io.WriteString(conn, worldEvent)
				} else {
					io.WriteString(conn, helloEvent+worldEvent)
				}
				close(both)
				<-read
				io.WriteString(conn, finishEvent+usageEvent+doneEvent)
			})
			c := newClient(t, url, func(cfg *Config) { cfg.Reader = ReadKernel })
			p, err := c.Prepare(record.Call{ID: 7, Prompt: "hello", OutputTokens: 3})
			if err != nil {
				t.Fatal(err)
			}
			p.FirstByte = func() {
				close(first)
				<-both
				time.AfterFunc(100*time.Millisecond, func() { close(read) }) // by then both are read, or the others join them
			}
			_, chunks := c.Decode(c.Do(t.Context(), p, c.clock.Now()))
			if len(chunks) < 3 || chunks[1].At != chunks[2].At {
				t.Fatalf("got %+v, want the two words in one read", chunks)
			}
			if chunks[1].Shared || chunks[2].Shared != apart {
				t.Errorf("shared %v and %v, want false and %v", chunks[1].Shared, chunks[2].Shared, apart)
			}
		})
	}
}
