package target

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/record"
)

// A streamServer speaks HTTP/2 over TLS and counts its connections.
type streamServer struct {
	*httptest.Server
	opened atomic.Int32
}

func serveStreams(t *testing.T, streams int, handle http.HandlerFunc) *streamServer {
	t.Helper()
	s := &streamServer{Server: httptest.NewUnstartedServer(handle)}
	s.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: streams}
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.opened.Add(1)
		}
	}
	s.TLS = authority(t).server.Clone()
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *streamServer) client(t *testing.T, change func(*Config)) *Client {
	t.Helper()
	return newClient(t, s.URL, func(cfg *Config) {
		cfg.HTTP2 = true
		if change != nil {
			change(cfg)
		}
	})
}

func sendEvents(w http.ResponseWriter, parts ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, part := range parts {
		io.WriteString(w, part)
		http.NewResponseController(w).Flush()
	}
}

// Streams side by side on few connections do not see each other's bytes, and those that
// are cut disturb nobody.
func TestStreamsSideBySide(t *testing.T) {
	server := serveStreams(t, 0, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		body := strings.ReplaceAll(whole, "world", r.Header.Get("Content-Length"))
		var parts []string
		for part := range slices.Chunk([]byte(body), 17) {
			parts = append(parts, string(part))
		}
		sendEvents(w, parts...)
	})
	c := server.client(t, nil)
	var users sync.WaitGroup
	for user := range 50 {
		users.Go(func() {
			for i := range 10 {
				ctx, cancel := context.WithCancelCause(t.Context())
				if user%5 == 0 {
					time.AfterFunc(time.Duration(i)*100*time.Microsecond, func() { cancel(ErrRunEnded) })
				}
				p, err := c.Prepare(record.Call{ID: int64(user*10 + i), Prompt: strings.Repeat("x", user*7+i)})
				if err != nil {
					t.Error(err)
				}
				length := len(p.wire)
				r, _ := c.Decode(c.Do(ctx, p, c.clock.Now()))
				if want := fmt.Sprint("hé ", length); r.Result != record.Cut && (r.Result != record.OK || r.Text != want) {
					t.Errorf("user %d: outcome %q (%s), text %q, want %q", user, r.Result, r.Error, r.Text, want)
				}
				cancel(nil)
			}
		})
	}
	users.Wait()
	if n := server.opened.Load(); n > 2 {
		t.Errorf("%d connections for 50 streams", n)
	}
}

// A server that takes two streams on a connection gets another connection for the
// third, and refuses none.
func TestStreamLimit(t *testing.T) {
	const calls, each = 10, 2
	var open sync.WaitGroup
	open.Add(calls)
	server := serveStreams(t, each, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		sendEvents(w, helloEvent)
		open.Done()
		open.Wait() // all are open at once
		sendEvents(w, finishEvent, doneEvent)
	})
	c := server.client(t, nil)
	if err := c.Warm(t.Context(), calls); err != nil {
		t.Fatal(err)
	}
	if n := server.opened.Load(); n != calls/each {
		t.Errorf("%d connections opened beforehand for %d streams, want %d", n, calls, calls/each)
	}
	results := make(chan record.Request, calls)
	for i := range calls {
		go func() { results <- ask(t, t.Context(), c, int64(i)) }() // ends with its answer
	}
	for range calls {
		if r := <-results; r.Result != record.OK || r.NewConn {
			t.Errorf("outcome %q (%s), new connection %v", r.Result, r.Error, r.NewConn)
		}
	}
}

// Calls that find no connection wait for the same one, and their records say that they
// waited.
func TestStreamsShareADial(t *testing.T) {
	server := serveStreams(t, 0, func(w http.ResponseWriter, r *http.Request) { sendEvents(w, whole) })
	c := server.client(t, nil)
	p, err := c.Prepare(record.Call{ID: 1, Prompt: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	const calls = 20
	raws := make(chan *Raw, calls)
	for range calls {
		c.Start(t.Context(), p, c.clock.Now(), func(raw *Raw) { raws <- raw })
	}
	waited := 0
	for range calls {
		r, _ := c.Decode(<-raws)
		if r.Result != record.OK {
			t.Errorf("outcome %q (%s)", r.Result, r.Error)
		}
		if r.NewConn && r.TLS != nil && r.Dial != nil {
			waited++
		}
	}
	if n := server.opened.Load(); n != 1 || waited == 0 {
		t.Errorf("%d connections, %d calls waited; want one that some waited for", n, waited)
	}
}

// A request larger than the windows of the server goes out as it makes room, and one
// that the server answers before it has all of it is answered.
func TestStreamUploads(t *testing.T) {
	prompt := strings.Repeat("a long prompt ", 1<<20)
	server := serveStreams(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Refuse") != "" {
			http.Error(w, "big", http.StatusRequestEntityTooLarge)
			return
		}
		n, _ := io.Copy(io.Discard, r.Body)
		sendEvents(w, strings.ReplaceAll(whole, "world", fmt.Sprint(n)))
	})
	f := func(header http.Header, status int32, text string) {
		t.Helper()
		c := server.client(t, func(cfg *Config) { cfg.Header = header })
		p, err := c.Prepare(record.Call{ID: 1, Prompt: prompt})
		if err != nil {
			t.Fatal(err)
		}
		if text != "" {
			text = fmt.Sprint(text, len(p.wire))
		}
		r, _ := c.Decode(c.Do(t.Context(), p, c.clock.Now()))
		if r.Status != status || r.Text != text {
			t.Errorf("status %d, outcome %q (%s), text %q; want %d, %q", r.Status, r.Result, r.Error, r.Text, status, text)
		}
		if text != "" && (r.Wrote == nil || *r.Wrote < r.Sent) {
			t.Errorf("wrote %v, sent %d", r.Wrote, r.Sent)
		}
	}
	f(nil, 200, "hé ")
	f(http.Header{"X-Refuse": {"1"}}, 413, "")
}

// A server that says goodbye finishes what it has begun, and the next call opens a new
// connection.
func TestStreamsAfterGoodbye(t *testing.T) {
	begun, told := make(chan struct{}, 1), make(chan struct{})
	handle := func(w http.ResponseWriter, r *http.Request) {
		sendEvents(w, helloEvent)
		begun <- struct{}{}
		<-told
		sendEvents(w, finishEvent, doneEvent)
	}
	server := serveStreams(t, 0, handle)
	c := server.client(t, nil)
	first := make(chan record.Request, 1)
	go func() { first <- ask(t, t.Context(), c, 1) }() // ends with its answer
	<-begun
	e := c.engine.(*epollEngine)
	e.mu.Lock()
	h := e.idle[strings.TrimPrefix(server.URL, "https://")][0].http2
	e.mu.Unlock()
	go server.Config.Shutdown(t.Context()) // ends with the last stream
	for deadline := time.Now().Add(10 * time.Second); !h.going.Load() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond) // the goodbye is on its way
	}
	close(told)
	if r := <-first; r.Result != record.OK {
		t.Errorf("outcome %q (%s) of the call under way", r.Result, r.Error)
	}
	if r := ask(t, t.Context(), c, 2); r.Result != record.Connect {
		t.Errorf("outcome %q (%s) of the next, want connect: nobody listens any more", r.Result, r.Error)
	}
}

// Both readers send the same request.
func TestSameRequestOverHTTP2(t *testing.T) {
	seen := make(chan http.Header, 1)
	server := serveStreams(t, 0, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		all := r.Header.Clone()
		all["line"] = []string{r.Method, r.Host, r.URL.String(), r.Proto, fmt.Sprint(r.ContentLength), string(body)}
		seen <- all
		sendEvents(w, whole)
	})
	var got []http.Header
	for _, reader := range []string{ReadNetHTTP, ReadKernel} {
		c := server.client(t, func(cfg *Config) {
			cfg.Reader = reader
			cfg.Header = http.Header{"X-A": {"1", "2"}, "Authorization": {"Bearer b"}, "Connection": {"keep-alive"}, "Cookie": {"a=b; c=d"}}
		})
		if r, _ := ask1(t, t.Context(), c); r.Result != record.OK {
			t.Fatalf("%s: outcome %q (%s)", reader, r.Result, r.Error)
		}
		got = append(got, <-seen)
	}
	if a, b := fmt.Sprint(got[0]), fmt.Sprint(got[1]); a != b {
		t.Errorf("net/http sends\n%s\nassay\n%s", a, b)
	}
	c := server.client(t, func(cfg *Config) { cfg.Header = http.Header{"X-A": {"a\nb"}} })
	if _, err := c.Prepare(record.Call{Prompt: "x"}); err == nil || !strings.Contains(err.Error(), "X-A") {
		t.Errorf("error %v for a header with a line end in it", err)
	}
}

// A server that agrees on another protocol than HTTP/2 is not spoken to.
func TestOtherProtocolAgreed(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { sendEvents(w, whole) }))
	server.TLS = &tls.Config{Certificates: authority(t).server.Certificates, NextProtos: nil}
	server.StartTLS()
	defer server.Close()
	c := newClient(t, server.URL, func(cfg *Config) { cfg.HTTP2 = true })
	if r, _ := ask1(t, t.Context(), c); r.Result == record.OK || r.Status != 0 {
		t.Errorf("outcome %q over %s, status %d; want a failure and none", r.Result, r.Protocol, r.Status)
	}
}
