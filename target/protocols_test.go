package target

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"assay/record"
	"assay/sim"
	"assay/sim/simtest"
	tiers "assay/tests/whole"
)

// A way is how a client reaches the simulator.
type way struct {
	name  string
	tls   bool
	http2 bool
	want  string // protocol of the record

	reader string // empty means the best
}

var ways = []way{
	{name: "TLS", tls: true, want: "HTTP/1.1"},
	{name: "HTTP/2 over TLS", tls: true, http2: true, want: "HTTP/2.0"},
	{name: "HTTP/2 by prior knowledge", http2: true, want: "HTTP/2.0"},
	{name: "TLS by net-http", tls: true, want: "HTTP/1.1", reader: ReadNetHTTP},
	{name: "HTTP/2 over TLS by net-http", tls: true, http2: true, want: "HTTP/2.0", reader: ReadNetHTTP},
	{name: "HTTP/2 by prior knowledge by net-http", http2: true, want: "HTTP/2.0", reader: ReadNetHTTP},
}

// stamps is what records of the way say of their reader.
func (w way) stamps() string {
	if w.reader == ReadNetHTTP || runtime.GOOS != "linux" {
		return ReadNetHTTP
	}
	return ReadKernel
}

// reach starts a simulator of the kind and returns its address and what a client
// needs beside it.
func (w way) reach(t *testing.T, cfg sim.Config) (string, func(*Config)) {
	t.Helper()
	cfg.HTTP2 = w.http2
	roots := x509.NewCertPool()
	if w.tls {
		var authority []byte
		var err error
		if cfg.TLS, authority, err = sim.SelfSigned(); err != nil {
			t.Fatal(err)
		}
		roots.AppendCertsFromPEM(authority)
	}
	address := simtest.Serve(t, cfg)
	if w.tls {
		address = strings.Replace(address, "http:", "https:", 1)
	}
	return address, func(cfg *Config) {
		cfg.TLS, cfg.HTTP2, cfg.Reader = &tls.Config{RootCAs: roots}, w.http2, w.reader
	}
}

// cases reads testdata/cases.txt: the verdict of each fault by its name.
func cases(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "cases.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(data)) {
		head, verdict, _ := strings.Cut(strings.TrimSpace(line), ": ")
		all[head[strings.LastIndexByte(head, ' ')+1:]] = verdict
	}
	return all
}

// Every case has the same record over TLS, over HTTP/2 and through a proxy that
// cuts the body anew.
func TestCasesOtherWays(t *testing.T) {
	t.Parallel()
	want := cases(t)
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			address, reach := w.reach(t, quick)
			everyCase(t, address, reach, func(name string, r record.Request, line string) {
				if expected := want[name]; line != expected {
					t.Errorf("%s: got\n%s\nwant\n%s", name, line, expected)
				}
				if r.Status > 0 && r.Protocol != w.want && name != "http10-close" {
					t.Errorf("%s: spoke %s, want %s", name, r.Protocol, w.want)
				}
				if r.Status > 0 && r.Stamps != w.stamps() {
					t.Errorf("%s: stamped by %q, want %q", name, r.Stamps, w.stamps())
				}
				if w.tls && r.NewConn && r.Result == record.OK && r.TLS == nil {
					t.Errorf("%s: a new connection without the time of its handshake", name)
				}
			})
		})
	}
}

// everyCase asks for every fault and passes on its verdict, a reset cut to its
// name: how much of it was received depends on the kernel.
func everyCase(t *testing.T, address string, reach func(*Config), check func(name string, r record.Request, line string)) {
	t.Helper()
	for _, fault := range append([]sim.Fault{{Name: "plain"}}, sim.Faults...) {
		api, name := "openai-chat", fault.Name
		if name == "empty-text-completions" {
			api = "openai-completions"
		}
		if name == "plain" {
			name = ""
		}
		c := simClient(t, address, api, name, func(cfg *Config) {
			reach(cfg)
			if strings.HasPrefix(name, "hang") {
				cfg.Idle = time.Second
			}
		})
		r, chunks := ask6(t, t.Context(), c)
		check(fault.Name, r, caseLine(fault.Name, r, chunks))
	}
}

// caseLine is the verdict, for a reset its name alone: it throws away what the
// kernel had received.
func caseLine(name string, r record.Request, chunks []record.Chunk) string {
	if name == "reset" || name == "rst-stream" || name == "goaway-cut" {
		return string(r.Result)
	}
	return verdict(r, chunks)
}

// A proxy is used when it is named, by every request and only then.
func TestProxy(t *testing.T) {
	address := simtest.Serve(t, quick)
	through := make(chan string, 10)
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.URL = r.In.URL },
		FlushInterval: -1,
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		through <- r.URL.String()
		readAhead(t, r)
		forward.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("ALL_PROXY", proxy.URL)
	if r, _ := ask6(t, t.Context(), simClient(t, address, "openai-chat", "", nil)); r.Result != record.OK || len(through) != 0 {
		t.Fatalf("outcome %q, %d requests through the environment's proxy; want ok and none", r.Result, len(through))
	}
	u, err := ParseProxy(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := simClient(t, address, "openai-chat", "", func(cfg *Config) { cfg.Proxy = u })
	if err := c.Warm(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	r, _ := ask6(t, t.Context(), c)
	if r.Result != record.OK || len(through) != 1 || <-through != address+"/v1/chat/completions" {
		t.Errorf("outcome %q (%s), want ok through the proxy", r.Result, r.Error)
	}
	if r.NewConn || r.Stamps != ReadNetHTTP {
		t.Errorf("new connection %v, stamps %q: want the one opened beforehand, net/http", r.NewConn, r.Stamps)
	}
	if _, err := ParseProxy("ftp://h"); err == nil || !strings.Contains(err.Error(), "socks5://") {
		t.Errorf("error %v, want the schemes", err)
	}
}

// The stream keeps its events and its stamps through a proxy that cuts the body
// into transfer chunks of its own.
func TestCasesThroughAProxy(t *testing.T) {
	tiers.Only(t)
	t.Parallel()
	want := cases(t)
	address := simtest.Serve(t, quick)
	upstream, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(upstream) },
		FlushInterval: -1, BufferPool: shortBuffers{}, ErrorLog: log.New(io.Discard, "", 0),
		Transport:    &http.Transport{DisableCompression: true},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		readAhead(t, r)
		forward.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	everyCase(t, proxy.URL, func(*Config) {}, func(name string, _ record.Request, line string) {
		if expected := want[name]; line != expected && !strings.HasPrefix(name, "early-") {
			t.Errorf("%s: got\n%s\nwant\n%s", name, line, expected)
		}
	})
}

// readAhead takes the whole body in. Go's server closes it when an answer begins,
// and a proxy that still looks for its end then gives up the exchange.
func readAhead(t *testing.T, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
}

// shortBuffers make the proxy write every 37 bytes.
type shortBuffers struct{}

func (shortBuffers) Get() []byte { return make([]byte, 37) }
func (shortBuffers) Put([]byte)  {}

// A target that speaks no HTTP/2 fails when it was asked for: measuring HTTP/1.1
// in its place would answer another question.
func TestHTTP2IsNotReplaced(t *testing.T) {
	for _, w := range []way{{}, {tls: true}, {reader: ReadNetHTTP}, {tls: true, reader: ReadNetHTTP}} {
		address, reach := w.reach(t, quick)
		c := simClient(t, address, "openai-chat", "", func(cfg *Config) {
			reach(cfg)
			cfg.HTTP2, cfg.Timeout = true, 5*time.Second
		})
		if r, _ := ask6(t, t.Context(), c); r.Result == record.OK {
			t.Errorf("%+v: outcome ok over %s, want a failure", w, r.Protocol)
		}
	}
}

// The phases below HTTP are recorded over TLS and HTTP/2: with the request that
// opened the connection, and not with the next.
func TestPhases(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			address, reach := w.reach(t, quick)
			_, port, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(address, "https://"), "http://"), ":")
			scheme, _, _ := strings.Cut(address, ":")
			c := simClient(t, fmt.Sprintf("%s://localhost:%s", scheme, port), "openai-chat", "", reach)
			first, _ := ask6(t, t.Context(), c)
			if first.Result != record.OK || !first.NewConn || first.DNS == nil || first.Dial == nil || (first.TLS != nil) != w.tls {
				t.Errorf("first: outcome %q (%s), new %v, DNS %v, connect %v, TLS %v", first.Result, first.Error, first.NewConn, first.DNS, first.Dial, first.TLS)
			}
			next, _ := ask6(t, t.Context(), c)
			if next.Result != record.OK || next.NewConn || next.DNS != nil || next.Dial != nil || next.TLS != nil {
				t.Errorf("next: outcome %q (%s), new %v, DNS %v, connect %v, TLS %v", next.Result, next.Error, next.NewConn, next.DNS, next.Dial, next.TLS)
			}
			for _, r := range []record.Request{first, next} {
				if r.Wrote == nil || r.First == nil || *r.Wrote < r.Sent || *r.First < r.Sent || r.Done < *r.First {
					t.Errorf("sent %d, wrote %v, first byte %v, done %d", r.Sent, r.Wrote, r.First, r.Done)
				}
			}
		})
	}
}

// Warm makes the handshake too.
func TestWarmTLS(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			address, reach := w.reach(t, quick)
			c := simClient(t, address, "openai-chat", "", reach)
			if err := c.Warm(t.Context(), 2); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if r, _ := ask6(t, t.Context(), c); r.Result != record.OK || r.NewConn || r.TLS != nil || r.Dial != nil {
					t.Errorf("outcome %q (%s), new connection %v, TLS %v, connect %v; want ok over the one opened beforehand", r.Result, r.Error, r.NewConn, r.TLS, r.Dial)
				}
			}
		})
	}
}

// A connection with TLS that nobody vouches for, or without TLS, never comes about,
// whoever reads.
func TestRefusedTLS(t *testing.T) {
	for _, reader := range []string{ReadNetHTTP, ReadKernel} {
		server := tlsServer(t)
		read := func(cfg *Config) { cfg.Reader = reader }
		wrong := simClient(t, server.URL, "openai-chat", "", read)
		if err := wrong.Warm(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: error %v for a certificate that nobody vouches for", reader, err)
		}
		if r, _ := ask6(t, t.Context(), wrong); r.Result != record.Connect {
			t.Errorf("%s: a certificate that nobody vouches for: outcome %q (%s), want connect", reader, r.Result, r.Error)
		}
		plain := simClient(t, strings.Replace(simtest.Serve(t, quick), "http:", "https:", 1), "openai-chat", "", read)
		if r, _ := ask6(t, t.Context(), plain); r.Result != record.Connect {
			t.Errorf("%s: a server without TLS: outcome %q (%s), want connect", reader, r.Result, r.Error)
		}
	}
}

// tlsServer answers every request with a whole stream.
func tlsServer(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, whole)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of a handshake that is to fail
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// A connection that the server gave up meanwhile is not used. Go's client looks when
// it takes one; assay's own has seen it as soon as it happened.
func TestWarmTLSGivenUp(t *testing.T) {
	server := tlsServer(t)
	trust := server.Client().Transport.(*http.Transport).TLSClientConfig
	own := simClient(t, server.URL, "openai-chat", "", func(cfg *Config) { cfg.TLS = trust })
	if err := own.Warm(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	server.CloseClientConnections()
	if r, _ := ask6(t, t.Context(), own); r.Result != record.OK || !r.NewConn || r.TLS == nil {
		t.Errorf("outcome %q (%s), new connection %v; want ok over a new one", r.Result, r.Error, r.NewConn)
	}
	c := simClient(t, server.URL, "openai-chat", "", func(cfg *Config) { cfg.TLS, cfg.Reader = trust, ReadNetHTTP })
	if err := c.Warm(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(server.URL, "https://")
	conn := c.warm.takeTLS(host)
	server.CloseClientConnections()
	for deadline := time.Now().Add(10 * time.Second); connected(conn.NetConn().(*warmTLSConn).Conn) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond) // the end is on its way
	}
	c.warm.putTLS(host, conn)
	if r, _ := ask6(t, t.Context(), c); r.Result != record.OK || !r.NewConn || r.TLS == nil {
		t.Errorf("outcome %q (%s), new connection %v; want ok over a new one", r.Result, r.Error, r.NewConn)
	}
}
