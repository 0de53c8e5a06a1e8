package sim

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestUnreadableHTTP(t *testing.T) {
	_, addr := serve(t, Config{})
	for name, text := range map[string]string{
		"no request":    "what is this\r\n\r\n",
		"broken header": "GET / HTTP/1.1\r\n: x\r\n\r\n",
		"broken chunks": "POST " + chatPath + " HTTP/1.1\r\nHost: sim\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, text); err != nil {
				t.Fatal(err)
			}
			reply, err := io.ReadAll(c)
			if err != nil || !bytes.HasPrefix(reply, []byte("HTTP/1.1 400 ")) {
				t.Errorf("got %q, %v; want status 400 and the end of the connection", reply, err)
			}
		})
	}
}

// What strangers are about to send is bounded for all of them together: when it is
// used up, one more gets 503, and as soon as others have gone it is there again.
func TestBodiesAreRationed(t *testing.T) {
	s, addr := serve(t, Config{})
	ask := func() string {
		t.Helper()
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: sim\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}", chatPath)
		reply, _ := bufio.NewReader(c).ReadString('\n')
		return reply
	}
	s.held.Store(maxBodies)
	if got := ask(); !strings.HasPrefix(got, "HTTP/1.1 503 ") {
		t.Errorf("got %q, want 503", got)
	}
	if got := s.held.Load(); got != maxBodies {
		t.Errorf("%d bytes are held, want %d as before", got, maxBodies)
	}
	s.held.Store(0)
	if got := ask(); !strings.HasPrefix(got, "HTTP/1.1 400 ") {
		t.Errorf("got %q, want 400: the request names no messages", got)
	}
}

// A client that leaves must not keep its place in the batch, and every stream
// must end one way or the other.
func TestClientLeaves(t *testing.T) {
	for name, cfg := range map[string]Config{
		"engine": {Engine: Engine{Cost: Cost{Base: 5 * ms}}},
		"fixed":  {Fixed: &Fixed{ITL: 5 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			s, addr := serve(t, cfg)
			c, r := post(t, addr, chatPath, chatBody(10000))
			if _, err := r.ReadString('}'); err != nil {
				t.Fatal(err)
			}
			c.Close()
			for deadline := time.Now().Add(10 * time.Second); s.Stats().Running > 0; time.Sleep(5 * ms) {
				if time.Now().After(deadline) {
					t.Fatalf("still running 10s after the client left: %+v", s.Stats())
				}
			}
			if got := s.Stats(); got.Cut != 1 || got.Completed != 0 {
				t.Errorf("%+v; want one cut, none completed", got)
			}
		})
	}
}

func TestKeepAliveAndPipelining(t *testing.T) {
	s, addr := serve(t, Config{Fixed: &Fixed{TTFT: ms, ITL: ms}})
	c, r := post(t, addr, chatPath, chatBody(3))
	writeRequest(t, c, chatPath, chatBody(4)) // before the first answer is read
	for _, want := range []int{3, 4} {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(events(t, body)) - 1; got != want { // the usage is an event too
			t.Errorf("%d tokens, want %d", got, want)
		}
	}
	if got := s.Stats().GenerationTokens; got != 7 {
		t.Errorf("%d tokens generated, want 7", got)
	}
}

// A client that does not read must not hold up the others.
func TestSlowReader(t *testing.T) {
	s, addr := serve(t, Config{Fixed: &Fixed{Tokens: 30000}})
	post(t, addr, chatPath, chatBody(30000)) // some 5 MB, and nobody reads
	if status, _ := call(t, "POST", "http://"+addr+chatPath, chatBody(5)); status != 200 {
		t.Errorf("status %d, want 200", status)
	}
	if got := s.Stats().Accepted; got != 2 {
		t.Errorf("%d accepted, want 2", got)
	}
}

// A plainListener hides that its connections are TCP, as TLS would.
type plainListener struct{ net.Listener }

func (l plainListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return struct{ net.Conn }{c}, err
}

// Connections that cannot be written without blocking get the same bytes.
func TestOtherConnections(t *testing.T) {
	s, addr := serve(t, Config{Fixed: &Fixed{}})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(plainListener{l}) }()
	t.Cleanup(func() { s.Close(); <-served })
	_, direct := call(t, "POST", "http://"+addr+chatPath, chatBody(300))
	_, queued := call(t, "POST", "http://"+l.Addr().String()+chatPath, chatBody(300))
	if got, want := said(events(t, queued)), said(events(t, direct)); got != want || len(tokenize(got)) != 300 {
		t.Errorf("got %q, want %q", got, want)
	}
}

// said joins the content of a stream of one choice.
func said(list []answer) string {
	var text strings.Builder
	for _, e := range list {
		for _, c := range e.Choices {
			text.WriteString(c.Delta.Content)
		}
	}
	return text.String()
}

func TestExpectContinue(t *testing.T) {
	_, addr := serve(t, Config{Fixed: &Fixed{}})
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := chatBody(1)
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: sim\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", chatPath, len(body))
	r := bufio.NewReader(c)
	if line, err := r.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("got %q, %v; want 100 Continue before the body", line, err)
	}
	if _, err := r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, body); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(r, nil)
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("got %v, %v; want status 200", resp, err)
	}
}

// Close may come at any moment of any stream and must end all of them.
func TestCloseUnderLoad(t *testing.T) {
	for name, cfg := range map[string]Config{
		"engine": {Engine: Engine{MaxSequences: 8, Cost: Cost{Base: ms}}},
		"fixed":  {Fixed: &Fixed{ITL: ms}, Pacers: 2, Faults: []FaultRate{{"stall", 0.3}, {"hang", 0.1}, {"slow-drip", 0.1}}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- s.Serve(l) }()
			var clients sync.WaitGroup
			for range 40 {
				clients.Go(func() {
					for {
						resp, err := http.Post("http://"+l.Addr().String()+chatPath, "application/json", strings.NewReader(chatBody(30)))
						if err != nil {
							return // the server is gone
						}
						_, _ = io.Copy(io.Discard, resp.Body)
						resp.Body.Close()
					}
				})
			}
			for waited := 0; s.Stats().Accepted == 0 && waited < 30_000; waited++ {
				time.Sleep(ms) // a busy machine takes its time to begin
			}
			time.Sleep(150 * ms)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			<-served
			clients.Wait()
			if got := s.Stats(); got.Accepted == 0 || got.Accepted != got.Completed+got.Cut || got.Running != 0 {
				t.Errorf("%+v; want every accepted stream completed or cut", got)
			}
			if err := s.Close(); err != nil {
				t.Errorf("second Close: %v", err)
			}
		})
	}
}
