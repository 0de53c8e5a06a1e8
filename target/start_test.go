package target

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"assay/record"
)

func startReaders(t *testing.T, run func(*testing.T)) {
	for _, reader := range allReaders {
		t.Run(map[string]string{ReadNetHTTP: "net-http", ReadEpoll: "epoll", ReadKernel: "kernel"}[reader], func(t *testing.T) {
			t.Setenv(readerVariable, reader)
			run(t)
		})
	}
}

// told starts p and returns what done was told, which must not be by this
// goroutine: it holds what done waits for.
func told(t *testing.T, ctx context.Context, c *Client) record.Request {
	t.Helper()
	p, err := c.Prepare(record.Call{ID: 1, Prompt: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	var starting sync.Mutex
	ended := make(chan *Raw, 2)
	starting.Lock()
	c.Start(ctx, p, c.clock.Now(), func(raw *Raw) {
		starting.Lock()
		defer starting.Unlock()
		ended <- raw
	})
	starting.Unlock()
	select {
	case raw := <-ended:
		r, _ := c.Decode(raw)
		time.Sleep(20 * time.Millisecond) // for a second word
		if len(ended) != 0 {
			t.Error("done was told twice")
		}
		return r
	case <-time.After(10 * time.Second):
		t.Fatal("done was never told")
	}
	return record.Request{}
}

// However a call ends, done hears of it once.
func TestStartTells(t *testing.T) {
	startReaders(t, func(t *testing.T) {
		silent := serve(t, func(conn net.Conn, _ *http.Request) { io.Copy(io.Discard, conn) })
		whole := serve(t, stream(whole, 1<<20))
		lingering := serve(t, func(conn net.Conn, _ *http.Request) {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"+helloEvent+finishEvent+doneEvent)
			io.Copy(io.Discard, conn) // the body never ends
		})
		before, cancel := context.WithCancelCause(t.Context())
		cancel(ErrRunEnded)
		during, cut := context.WithCancelCause(t.Context())
		time.AfterFunc(50*time.Millisecond, func() { cut(ErrGivenUp) })
		tests := []struct {
			name string
			ctx  context.Context
			url  string
			cfg  func(*Config)
			want record.Outcome
		}{
			{"answered", t.Context(), whole, nil, record.OK},
			{"done and no end", t.Context(), lingering, nil, record.OK},
			{"nobody listens", t.Context(), "http://127.0.0.1:1", nil, record.Connect},
			{"ended before", before, whole, nil, record.Cut},
			{"given up", during, silent, nil, record.Cancelled},
			{"idle", t.Context(), silent, func(c *Config) { c.Idle = 50 * time.Millisecond }, record.IdleTime},
			{"total", t.Context(), silent, func(c *Config) { c.Timeout = 50 * time.Millisecond }, record.Timeout},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				begin := time.Now()
				r := told(t, tt.ctx, newClient(t, tt.url, tt.cfg))
				if r.Result != tt.want {
					t.Errorf("outcome %q (%s), want %q", r.Result, r.Error, tt.want)
				}
				if took := time.Since(begin); took > 5*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		}
	})
}

// A call may be started from the end of the one before, for ever, and an answer
// that has ended leaves its connection to the next.
func TestStartFromDone(t *testing.T) {
	startReaders(t, func(t *testing.T) {
		const chains, calls = 10, 50
		c := newClient(t, serve(t, stream(whole, 40)), func(cfg *Config) { cfg.Connections = chains })
		p, err := c.Prepare(record.Call{Prompt: "hello"})
		if err != nil {
			t.Fatal(err)
		}
		raws := make(chan *Raw, chains*calls)
		var ask func(left int)
		ask = func(left int) {
			c.Start(t.Context(), p, c.clock.Now(), func(raw *Raw) {
				if left > 1 {
					ask(left - 1)
				}
				raws <- raw
			})
		}
		for range chains {
			ask(calls)
		}
		dialled := 0
		for range chains * calls {
			r, _ := c.Decode(<-raws)
			if r.Result != record.OK || r.Text != "hé world" {
				t.Fatalf("outcome %q (%s), text %q", r.Result, r.Error, r.Text)
			}
			if r.NewConn {
				dialled++
			}
		}
		if dialled > 2*chains {
			t.Errorf("%d connections for %d calls at a time", dialled, chains)
		}
	})
}
