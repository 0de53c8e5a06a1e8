package target

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"assay/record"
)

const oneWord = `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"

func ask(t *testing.T, ctx context.Context, c *Client, id int64) record.Request {
	t.Helper()
	p, err := c.Prepare(record.Call{ID: id, Prompt: "x", InputTokens: 1, OutputTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, _ := c.Decode(c.Do(ctx, p, c.clock.Now()))
	return r
}

// Calls use connections opened beforehand, and those that must open one say so.
func TestWarm(t *testing.T) {
	url := serve(t, func(conn net.Conn, r *http.Request) { stream(oneWord, 1000)(conn, r) })
	c := newClient(t, url, func(cfg *Config) { cfg.Connections = 8 })
	defer c.Close()
	if first := ask(t, t.Context(), c, 0); !first.NewConn || first.Result != record.OK {
		t.Errorf("a first call without Warm: new connection %v, outcome %s; want true, ok", first.NewConn, first.Result)
	}
	c = newClient(t, url, func(cfg *Config) { cfg.Connections = 8 })
	if err := c.Warm(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for id := range int64(3) {
		if r := ask(t, t.Context(), c, id); r.NewConn || r.Dial != nil || r.Result != record.OK {
			t.Errorf("call %d after Warm: new connection %v, outcome %s; want false, ok", id, r.NewConn, r.Result)
		}
	}
}

// A connection that the server has given up is not used.
func TestWarmGivenUp(t *testing.T) {
	var accepted atomic.Int32
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	closed := make(chan struct{})
	go func() { // ends when the listener is closed
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if accepted.Add(1) == 1 {
				conn.Close()
				close(closed)
				continue
			}
			go func() { // ends with the connection
				defer conn.Close()
				buffer := make([]byte, 4096)
				if _, err := conn.Read(buffer); err == nil {
					stream(oneWord, 1000)(conn, nil)
				}
			}()
		}
	}()
	c := newClient(t, "http://"+listener.Addr().String(), func(cfg *Config) { cfg.Reader = ReadNetHTTP })
	defer c.Close()
	if err := c.Warm(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	<-closed
	conn := c.warm.take(listener.Addr().String())
	for deadline := time.Now().Add(10 * time.Second); conn.alive() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond) // the end is on its way
	}
	c.warm.put(listener.Addr().String(), conn.Conn)
	if r := ask(t, t.Context(), c, 1); r.Result != record.OK || !r.NewConn {
		t.Errorf("outcome %s (%s), new connection %v; want ok over a new one", r.Result, r.Error, r.NewConn)
	}
}

func TestWarmFails(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	c := newClient(t, "http://"+listener.Addr().String(), nil)
	if err := c.Warm(t.Context(), 3); err == nil {
		t.Error("connections to nobody were opened")
	}
}

// A request given up on purpose and one that was never sent have outcomes of
// their own, and the first byte is told once.
func TestGivenUpAndDropped(t *testing.T) {
	url := serve(t, func(conn net.Conn, _ *http.Request) {
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
		time.Sleep(20 * time.Millisecond)
		io.WriteString(conn, "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n")
		time.Sleep(5 * time.Second)
	})
	c := newClient(t, url, nil)
	defer c.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	p, err := c.Prepare(record.Call{ID: 4, Shard: 3, Prompt: "x"})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	p.FirstByte = func() {
		told++
		time.AfterFunc(100*time.Millisecond, func() { cancel(ErrGivenUp) })
	}
	r, _ := c.Decode(c.Do(ctx, p, 0))
	if r.Result != record.Cancelled || told != 1 || r.Shard != 3 {
		t.Errorf("outcome %s of shard %d, first byte told %d times; want cancelled, 3, once", r.Result, r.Shard, told)
	}
	r, _ = c.Decode(Unsent(p, 5, 9, ErrNoRoom))
	if r.Result != record.Dropped || r.ID != 4 || r.Due != 5 || r.Done != 9 || r.Wrote != nil {
		t.Errorf("dropped call = %+v", r)
	}
	r, _ = c.Decode(Unsent(p, 5, 9, ErrRunEnded))
	if r.Result != record.Cut {
		t.Errorf("a call that the end of the run kept from leaving is %s, want cut", r.Result)
	}
	for _, o := range record.Outcomes {
		want := o != record.OK && o != record.Cut && o != record.Cancelled
		if o.Failure() != want {
			t.Errorf("%s is a failure: %v, want %v", o, o.Failure(), want)
		}
	}
}
