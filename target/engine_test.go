package target

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/record"
	tiers "assay/tests/whole"
)

// readerVariable names the reader that newClient asks for. It is in the
// environment so that the tests of one reader can be run for another as they are.
const readerVariable = "ASSAY_TEST_READER"

// allReaders are what Config.Reader may be.
var allReaders = []string{ReadNetHTTP, ReadEpoll, ReadKernel}

// Every reader must make the same of the same bytes.
func TestReaders(t *testing.T) {
	tiers.Only(t)
	overBoth(t, testReaders)
}

func testReaders(t *testing.T) {
	tests := []struct {
		name string
		run  func(*testing.T)
	}{
		{"splits", TestSplitsDoNotMatter},
		{"outcomes", TestOutcomes},
		{"nobody listens", TestNobodyListens},
		{"cut", TestCut},
		{"done ends", TestDoneEndsTheRequest},
		{"keep-alive", TestKeepAlive},
		{"fields", TestRequestCarriesTheUsersFields},
		{"framings", testFramings},
		{"chunks of any size", testChunkSizes},
		{"total timeout", testTotalTimeout},
		{"stale connection", testStaleConnection},
		{"large upload", testLargeUpload},
		{"answer before the upload ends", testEarlyAnswer},
		{"many at once", testManyAtOnce},
		{"first byte", testFirstByte},
	}
	for _, reader := range allReaders {
		t.Run(strings.ReplaceAll(reader, "/", "-"), func(t *testing.T) {
			t.Setenv(readerVariable, reader)
			for _, tt := range tests {
				t.Run(tt.name, tt.run)
			}
		})
	}
}

// wholeResponse answers with text, byte for byte, and closes the connection.
func wholeResponse(text string) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) {
		io.WriteString(conn, text)
		conn.Close()
	}
}

func chunkedBody(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(part), part)
	}
	return b.String() + "0\r\n\r\n"
}

func testFramings(t *testing.T) {
	const sse = "Content-Type: text/event-stream\r\n"
	const chunked = "HTTP/1.1 200 OK\r\n" + sse + "Transfer-Encoding: chunked\r\n\r\n"
	unfinished := helloEvent + worldEvent
	tests := []struct {
		name, response string
		want           record.Outcome
		status         int32
		text           string
	}{
		{"close-delimited", "HTTP/1.1 200 OK\r\n" + sse + "\r\n" + helloEvent + finishEvent, record.OK, 200, "hé"},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\n" + sse + "\r\n" + whole, record.OK, 200, "hé world"},
		{"chunked", chunked + chunkedBody(whole), record.OK, 200, "hé world"},
		{"chunk extension and trailer", chunked + strings.Replace(fmt.Sprintf("%x;a=b\r\n%s\r\n0\r\nX: y\r\n\r\n", len(whole), whole), ";a", "; a", 1), record.OK, 200, "hé world"},
		{"interim answers", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + chunked + chunkedBody(whole), record.OK, 200, "hé world"},
		{"lower-case headers", "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n" + chunkedBody(whole), record.OK, 200, "hé world"},
		{"cut inside a chunk", chunked + "ff\r\n" + helloEvent, record.Reset, 200, "hé"},
		{"cut between chunks", chunked + fmt.Sprintf("%x\r\n%s\r\n", len(unfinished), unfinished), record.Reset, 200, "hé world"},
		{"cut inside the head", "HTTP/1.1 200 OK\r\nContent-Type: te", record.Reset, 0, ""},
		{"no answer at all", "", record.Reset, 0, ""},
		{"bad chunk size", chunked + "zz\r\n" + helloEvent, record.Protocol, 200, ""},
		{"chunk without its end", chunked + "3\r\nabcdef", record.Protocol, 200, ""},
		{"no HTTP", "SSH-2.0-OpenSSH\r\n\r\n", record.Protocol, 0, ""},
		{"bad header", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", record.Protocol, 0, ""},
		{"bad length", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", record.Protocol, 0, ""},
		{"unknown transfer coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: zip\r\n\r\nabc", record.Protocol, 0, ""},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", record.Empty, 204, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := ask1(t, t.Context(), newClient(t, serve(t, wholeResponse(tt.response)), nil))
			if r.Result != tt.want || r.Status != tt.status || r.Text != tt.text {
				t.Errorf("outcome %q (%s), status %d, text %q; want %q, %d, %q", r.Result, r.Error, r.Status, r.Text, tt.want, tt.status, tt.text)
			}
			if reader := os.Getenv(readerVariable); r.Stamps != reader && r.Status != 0 {
				t.Errorf("stamped by %q, want %q", r.Stamps, reader)
			}
		})
	}
}

// Chunks and writes cut the stream wherever they like.
func testChunkSizes(t *testing.T) {
	for size := 1; size < 20; size++ {
		var parts []string
		for rest := whole; rest != ""; {
			n := min(size, len(rest))
			parts, rest = append(parts, rest[:n]), rest[n:]
		}
		response := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunkedBody(parts...)
		c := newClient(t, serve(t, func(conn net.Conn, _ *http.Request) {
			for rest := response; rest != ""; {
				n := min(size+3, len(rest))
				io.WriteString(conn, rest[:n])
				rest = rest[n:]
			}
		}), nil)
		first, chunks := ask1(t, t.Context(), c)
		if first.Result != record.OK || first.Text != "hé world" || len(chunks) != 6 || first.Bytes < int64(len(whole)-len("\n\n")) {
			t.Errorf("chunks of %d: outcome %q (%s), text %q, %d events", size, first.Result, first.Error, first.Text, len(chunks))
		}
		if second, _ := ask1(t, t.Context(), c); second.NewConn || second.Result != record.OK {
			t.Errorf("chunks of %d: second request %q on a new connection %v, want the first one again", size, second.Result, second.NewConn)
		}
	}
}

func testTotalTimeout(t *testing.T) {
	url := serve(t, func(conn net.Conn, _ *http.Request) {
		io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		for range 100 {
			io.WriteString(conn, helloEvent)
			time.Sleep(20 * time.Millisecond)
		}
	})
	c := newClient(t, url, func(cfg *Config) { cfg.Timeout, cfg.Idle = 200*time.Millisecond, time.Second })
	if r, chunks := ask1(t, t.Context(), c); r.Result != record.Timeout || len(chunks) == 0 {
		t.Errorf("outcome %q (%s) with %d events, want %q with some", r.Result, r.Error, len(chunks), record.Timeout)
	}
}

// A connection that the server closed while it was idle must not be used.
func testStaleConnection(t *testing.T) {
	closed := make(chan bool, 2)
	c := newClient(t, serve(t, func(conn net.Conn, r *http.Request) {
		stream(whole, 1<<20)(conn, r)
		conn.Close()
		closed <- true
	}), nil)
	for i := range 2 {
		r, _ := ask1(t, t.Context(), c)
		if r.Result != record.OK || !r.NewConn {
			t.Errorf("request %d: outcome %q (%s), new connection %v; want ok on a new one", i, r.Result, r.Error, r.NewConn)
		}
		<-closed
		time.Sleep(20 * time.Millisecond) // let the end of the connection arrive
	}
}

func testLargeUpload(t *testing.T) {
	prompt := strings.Repeat("a long prompt ", 1<<20)
	got := make(chan int64, 1)
	url := serve(t, func(conn net.Conn, r *http.Request) {
		got <- r.ContentLength
		stream(whole, 1<<20)(conn, r)
	})
	c := newClient(t, url, nil)
	p, err := c.Prepare(record.Call{ID: 1, Prompt: prompt})
	if err != nil {
		t.Fatal(err)
	}
	r, _ := c.Decode(c.Do(t.Context(), p, c.clock.Now()))
	if r.Result != record.OK || r.Wrote == nil || *r.Wrote < r.Sent {
		t.Errorf("outcome %q (%s), wrote %v", r.Result, r.Error, r.Wrote)
	}
	if n := <-got; n < int64(len(prompt)) {
		t.Errorf("the server got %d bytes, want at least %d", n, len(prompt))
	}
}

// A server may refuse before it has read everything.
func testEarlyAnswer(t *testing.T) {
	listener, url := listen(t)
	go func() { // ends with its one connection
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		io.ReadFull(conn, make([]byte, 1000))
		io.WriteString(conn, "HTTP/1.1 413 Payload Too Large\r\nContent-Length: 3\r\n\r\nbig")
		io.Copy(io.Discard, conn)
	}()
	c := newClient(t, url, nil)
	p, err := c.Prepare(record.Call{ID: 1, Prompt: strings.Repeat("too much ", 4<<20)})
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := c.Decode(c.Do(t.Context(), p, c.clock.Now())); r.Status != 413 || r.Result != record.HTTPError || r.Error != "big" {
		t.Errorf("status %d, outcome %q, error %q; want 413, %q, big", r.Status, r.Result, r.Error, record.HTTPError)
	}
}

// Exchanges side by side must not see each other's bytes, and some are cut.
func testManyAtOnce(t *testing.T) {
	url := serve(t, func(conn net.Conn, r *http.Request) {
		body := strings.ReplaceAll(whole, "world", r.Header.Get("Content-Length"))
		stream(body, 17)(conn, r)
	})
	c := newClient(t, url, func(cfg *Config) { cfg.Connections = 50 })
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
				r, _ := c.Decode(c.Do(ctx, p, c.clock.Now()))
				length := bodyLength(p)
				if want := fmt.Sprint("hé ", length); r.Result != record.Cut && (r.Result != record.OK || r.Text != want) {
					t.Errorf("user %d: outcome %q (%s), text %q, want %q", user, r.Result, r.Error, r.Text, want)
				}
				cancel(nil)
			}
		})
	}
	users.Wait()
}

// Whoever waits for the first byte hears of it once, while the answer goes on.
func testFirstByte(t *testing.T) {
	heard := make(chan struct{}, 10)
	url := serve(t, func(conn net.Conn, _ *http.Request) {
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"+helloEvent)
		select {
		case <-heard:
			io.WriteString(conn, finishEvent+doneEvent)
		case <-time.After(5 * time.Second): // the answer stays unfinished, and the test fails
		}
		conn.Close()
	})
	c := newClient(t, url, nil)
	p, err := c.Prepare(record.Call{ID: 1, Prompt: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	p.FirstByte = func() { heard <- struct{}{} }
	if r, _ := c.Decode(c.Do(t.Context(), p, c.clock.Now())); r.Result != record.OK || len(heard) != 0 {
		t.Errorf("outcome %q (%s), told %d times more; want ok and once", r.Result, r.Error, len(heard))
	}
}

func bodyLength(p Prepared) int {
	if _, body, ok := bytes.Cut(p.wire, []byte("\r\n\r\n")); ok {
		return len(body)
	}
	return len(p.body)
}

// A closed client leaves no thread behind.
func TestCloseEndsTheLoop(t *testing.T) {
	url := serve(t, stream(whole, 1<<20))
	before := runtime.NumGoroutine()
	for range 5 {
		c := newClient(t, url, nil)
		ask1(t, t.Context(), c)
		c.Close()
		c.Close() // twice is once
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}
