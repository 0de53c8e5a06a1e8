package target

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"assay/record"
)

// serve answers each connection's requests with the bytes that write sends, over
// a real socket, and returns the base URL.
func serve(t *testing.T, write func(conn net.Conn, r *http.Request)) string {
	t.Helper()
	listener, url := listen(t)
	go func() { // ends when the listener is closed
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { // ends with the connection
				defer conn.Close()
				requests := bufio.NewReader(conn)
				for {
					r, err := http.ReadRequest(requests)
					if err != nil {
						return
					}
					if _, err := io.Copy(io.Discard, r.Body); err != nil {
						return
					}
					write(conn, r)
				}
			}()
		}
	}()
	return url
}

// stream answers with body as one server-sent event stream, cut into writes of
// at most size bytes.
func stream(body string, size int) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) {
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n", len(body))
		for rest := body; len(rest) > 0; {
			n := min(size, len(rest))
			io.WriteString(conn, rest[:n])
			rest = rest[n:]
		}
	}
}

func newClient(t *testing.T, url string, change func(*Config)) *Client {
	t.Helper()
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	dialect, err := Find("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{URLs: []string{url}, Ask: Ask{Model: "m", Stream: true}, Timeout: 10 * time.Second, KeepText: true, Reader: os.Getenv(readerVariable)}
	if strings.HasPrefix(url, "https:") {
		cfg.TLS = authority(t).client
	}
	if change != nil {
		change(&cfg)
	}
	c, err := New(cfg, dialect, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func ask1(t *testing.T, ctx context.Context, c *Client) (record.Request, []record.Chunk) {
	t.Helper()
	p, err := c.Prepare(record.Call{ID: 7, Prompt: "hello", OutputTokens: 3})
	if err != nil {
		t.Fatal(err)
	}
	return c.Decode(c.Do(ctx, p, c.clock.Now()))
}

const (
	roleEvent   = `data: {"id":"r1","choices":[{"index":0,"delta":{"role":"assistant"}}]}` + "\n\n"
	helloEvent  = `data: {"choices":[{"index":0,"delta":{"content":"hé"}}]}` + "\n\n"
	worldEvent  = `data: {"choices":[{"index":0,"delta":{"content":" world"}}]}` + "\n\n"
	finishEvent = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	usageEvent  = `data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}` + "\n\n"
	doneEvent   = "data: [DONE]\n\n"
	whole       = roleEvent + helloEvent + worldEvent + finishEvent + usageEvent + doneEvent
)

func kinds(chunks []record.Chunk) string {
	var list []string
	for _, c := range chunks {
		list = append(list, string(c.Kind))
	}
	return strings.Join(list, " ")
}

// The records must not depend on how the network cut the bytes.
func TestSplitsDoNotMatter(t *testing.T) {
	for _, size := range []int{1, 2, 3, 7, 64, 1 << 20} {
		r, chunks := ask1(t, t.Context(), newClient(t, serve(t, stream(whole, size)), nil))
		if r.Result != record.OK || r.Text != "hé world" || r.FinishReason != "stop" || r.ServerID != "r1" {
			t.Errorf("cut at %d: got %+v", size, r)
		}
		if got, want := kinds(chunks), "role content content finish usage done"; got != want {
			t.Errorf("cut at %d: chunks %q, want %q", size, got, want)
		}
		if *r.UsageInput != 5 || *r.UsageOutput != 2 || *r.UsageCached != 4 || r.UsageReasoning != nil {
			t.Errorf("cut at %d: usage %d, %d, %d", size, *r.UsageInput, *r.UsageOutput, *r.UsageCached)
		}
		previous := r.Sent
		for i, c := range chunks {
			if c.At < previous || c.At > r.Done || c.Seq != int32(i) || c.Request != 7 {
				t.Errorf("cut at %d: chunk %d = %+v out of order (sent %d, done %d)", size, i, c, r.Sent, r.Done)
			}
			previous = c.At
		}
		if r.Wrote == nil || r.First == nil || *r.First < r.Sent || !r.NewConn || r.Dial == nil {
			t.Errorf("cut at %d: phases %+v", size, r)
		}
	}
}

func TestOutcomes(t *testing.T) {
	answer := func(status, kind, body string) func(net.Conn, *http.Request) {
		return func(conn net.Conn, _ *http.Request) {
			fmt.Fprintf(conn, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nLocation: /x\r\n\r\n%s", status, kind, len(body), body)
		}
	}
	sse := func(body string) func(net.Conn, *http.Request) { return stream(body, 1<<20) }
	tests := []struct {
		name   string
		answer func(net.Conn, *http.Request)
		want   record.Outcome
		error  string // must occur in the record's error
		flags  string
		text   string
	}{
		{"complete", sse(whole), record.OK, "", "", "hé world"},
		{"finish reason without [DONE]", sse(helloEvent + finishEvent), record.OK, "", "no_done no_usage", "hé"},
		{"neither finish reason nor [DONE]", sse(helloEvent), record.Truncated, "neither", "no_usage", "hé"},
		{"cut inside an event", sse(helloEvent + `data: {"cho`), record.Truncated, "neither", "half_event no_usage", "hé"},
		{"error before a token", sse(`data: {"error":{"code":null,"message":"boom"}}` + "\n\n"), record.StreamErr, "boom", "no_usage", ""},
		{"error after tokens", sse(helloEvent + `data: {"error":"boom"}` + "\n\n" + doneEvent), record.StreamErr, "boom", "no_usage", "hé"},
		{"event that is no JSON", sse(helloEvent + "data: {oops\n\n" + doneEvent), record.Protocol, "oops", "no_usage", "hé"},
		{"reasoning counted once", sse(`data: {"choices":[{"delta":{"reasoning":"a","reasoning_content":"a","content":"b"}}]}` + "\n\n" + finishEvent + doneEvent), record.OK, "", "both_reasoning_fields no_usage", "ab"},
		{"no output", sse(finishEvent + doneEvent), record.OK, "", "no_usage no_text", ""},
		{"bytes after [DONE]", sse(helloEvent + doneEvent + helloEvent), record.OK, "", "bytes_after_done output_after_done no_usage", "héhé"},
		{"a comment after [DONE]", sse(helloEvent + doneEvent + ": bye\n\n"), record.OK, "", "bytes_after_done no_usage", "hé"},
		{"[DONE] alone", sse(doneEvent), record.Empty, "neither output", "no_usage", ""},
		{"usage alone", sse(`data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":8}}` + "\n\n" + doneEvent), record.Empty, "neither output", "", ""},
		{"an event that calls itself an error", sse(helloEvent + "event: error\ndata: {\"message\":\"boom\"}\n\n" + finishEvent + doneEvent), record.StreamErr, "boom", "no_usage", "hé"},
		{"an error in an event of that name", sse("event: error\ndata: {\"error\":\"boom\"}\n\n" + doneEvent), record.StreamErr, "boom", "no_usage", ""},
		{"an object that calls itself an error", sse(helloEvent + `data: {"object":"error","message":"boom","code":500}` + "\n\n" + finishEvent + doneEvent), record.StreamErr, "boom", "no_usage", "hé"},
		{"empty body", sse(""), record.Empty, "empty", "", ""},
		{"busy", answer("503 Service Unavailable", "text/html", "<h1>busy</h1>"), record.HTTPError, "busy", "", ""},
		{"redirect", answer("307 Temporary Redirect", "text/html", ""), record.Redirected, "/x", "", ""},
		{"JSON instead of a stream", answer("200 OK", "application/json", "{}"), record.NotAStream, "application/json", "", ""},
		{"connection lost", func(conn net.Conn, _ *http.Request) {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 1000\r\n\r\n%s", helloEvent)
			conn.Close()
		}, record.Reset, "", "no_usage", "hé"},
		{"silence", func(net.Conn, *http.Request) { time.Sleep(time.Second) }, record.IdleTime, "idle", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClient(t, serve(t, tt.answer), func(cfg *Config) {
				cfg.Idle = 10 * time.Second // a busy machine must not look like silence
				if tt.want == record.IdleTime {
					cfg.Idle = 200 * time.Millisecond
				}
			})
			r, chunks := ask1(t, t.Context(), c)
			if r.Result != tt.want || !strings.Contains(r.Error, tt.error) {
				t.Errorf("outcome %q, error %q; want %q, error with %q", r.Result, r.Error, tt.want, tt.error)
			}
			if r.Flags != tt.flags || r.Text != tt.text {
				t.Errorf("flags %q, text %q; want %q, %q", r.Flags, r.Text, tt.flags, tt.text)
			}
			if int(r.Chunks) != len(chunks) || r.Done < r.Sent {
				t.Errorf("record says %d chunks of %d, done %d before sent %d", r.Chunks, len(chunks), r.Done, r.Sent)
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	listener.Close()
	r, _ := ask1(t, t.Context(), newClient(t, url, nil))
	if r.Result != record.Connect {
		t.Errorf("outcome %q (%s), want %q", r.Result, r.Error, record.Connect)
	}
}

// A request that the end of the run cuts off is neither success nor failure.
func TestCut(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	url := serve(t, func(conn net.Conn, _ *http.Request) {
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"+helloEvent)
		time.AfterFunc(50*time.Millisecond, func() { cancel(ErrRunEnded) })
		time.Sleep(2 * time.Second)
	})
	r, chunks := ask1(t, ctx, newClient(t, url, nil))
	if r.Result != record.Cut || len(chunks) != 1 {
		t.Errorf("outcome %q with %d chunks, want %q with 1", r.Result, len(chunks), record.Cut)
	}
}

// A server that keeps a finished stream open must not hold its user.
func TestDoneEndsTheRequest(t *testing.T) {
	url := serve(t, func(conn net.Conn, _ *http.Request) {
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"+whole)
		time.Sleep(3 * time.Second)
	})
	begin := time.Now()
	r, _ := ask1(t, t.Context(), newClient(t, url, nil))
	if took := time.Since(begin); r.Result != record.OK || took > 2*time.Second {
		t.Errorf("outcome %q after %v, want ok before the server closes", r.Result, took)
	}
}

func TestKeepAlive(t *testing.T) {
	c := newClient(t, serve(t, stream(whole, 1<<20)), nil)
	first, _ := ask1(t, t.Context(), c)
	second, _ := ask1(t, t.Context(), c)
	if !first.NewConn || second.NewConn || second.Dial != nil {
		t.Errorf("new connections %v, %v; want only the first", first.NewConn, second.NewConn)
	}
}

// What the user adds goes out as it was written.
func TestRequestCarriesTheUsersFields(t *testing.T) {
	type seen struct{ path, header, query, body string }
	got := make(chan seen, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- seen{r.URL.Path, r.Header.Get("X-Team"), r.URL.Query().Get("v"), string(body)}
	})}
	go server.Serve(listener) // ends with Close below
	defer server.Close()
	off := false
	c := newClient(t, "http://"+listener.Addr().String()+"/v1/", func(cfg *Config) {
		cfg.Header = http.Header{"X-Team": {"blue"}}
		cfg.Query = map[string][]string{"v": {"2"}}
		cfg.Ask.IgnoreEOS = &off
		cfg.Ask.ExtraBody = map[string]any{"top_k": 5, "max_tokens": 9}
		cfg.Ask.Omit = []string{"model"}
	})
	ask1(t, t.Context(), c)
	s := <-got
	if s.path != "/v1/chat/completions" || s.header != "blue" || s.query != "2" {
		t.Errorf("sent %+v", s)
	}
	for _, want := range []string{`"ignore_eos":false`, `"top_k":5`, `"max_tokens":9`, `"include_usage":true`} {
		if !strings.Contains(s.body, want) {
			t.Errorf("body %s lacks %s", s.body, want)
		}
	}
	if strings.Contains(s.body, `"model"`) {
		t.Errorf("body %s has the field that was to be omitted", s.body)
	}
}

func TestBadURL(t *testing.T) {
	dialect, err := Find("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"", "localhost:8000", "ftp://x", "http://"} {
		if _, err := New(Config{URLs: []string{url}}, dialect, nil); err == nil {
			t.Errorf("URL %q was accepted", url)
		}
	}
	if _, err := New(Config{URLs: []string{"ftp://user:hunter2@x?key=hunter2"}}, dialect, nil); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v repeats the password", err)
	}
	if _, err := Find("soap"); err == nil {
		t.Error("dialect soap was found")
	}
}
