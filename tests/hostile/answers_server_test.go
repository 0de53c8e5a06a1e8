package hostile

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// An attacker serves answers over every protocol that assay speaks. A request names
// the answer that it wants in its header X-Answer, or in its path.
type attacker struct {
	answers map[string]*answer
	roots   *x509.CertPool
	plain   string // byte by byte, HTTP/1.1
	secure  string // the same over TLS
	h2c     string // HTTP/2 without TLS, by a server that keeps the rules
	h2      string // the same over TLS
	frames  string // HTTP/2 frame by frame
	framed  string // the same over TLS
	counts  sync.Map
	mixed   sync.Map // name to how many requests came below /mixed/NAME, every other of which is answered well
}

// sent is how many bytes of a body were taken by whoever calls itself cell in its
// header X-Cell.
func (a *attacker) sent(cell string) *atomic.Int64 {
	count, _ := a.counts.LoadOrStore(cell, new(atomic.Int64))
	return count.(*atomic.Int64)
}

// spared reports whether this request for an answer below /mixed/NAME gets a good one.
func (a *attacker) spared(name string) bool {
	count, _ := a.mixed.LoadOrStore(name, new(atomic.Int64))
	return count.(*atomic.Int64).Add(1)%2 == 0
}

// counted is w, with what is written counted for the cell that made the request.
func (a *attacker) counted(r *http.Request, w io.Writer) io.Writer {
	return meter{w, a.sent(r.Header.Get("X-Cell"))}
}

// newAttacker starts an attacker that has answers.
func newAttacker(t *testing.T, answers []*answer) *attacker {
	t.Helper()
	a := &attacker{answers: map[string]*answer{}, roots: x509.NewCertPool()}
	for _, x := range answers {
		if a.answers[x.name] != nil {
			t.Fatalf("two answers are called %q", x.name)
		}
		a.answers[x.name] = x
	}
	polite := httptest.NewUnstartedServer(http.HandlerFunc(a.handle))
	polite.EnableHTTP2 = true
	polite.StartTLS()
	t.Cleanup(polite.Close)
	a.roots.AddCert(polite.Certificate())
	certificates := polite.TLS.Certificates

	unencrypted := httptest.NewUnstartedServer(http.HandlerFunc(a.handle))
	unencrypted.Config.Protocols = new(http.Protocols)
	unencrypted.Config.Protocols.SetUnencryptedHTTP2(true)
	unencrypted.Start()
	t.Cleanup(unencrypted.Close)

	a.h2, a.h2c = polite.URL, unencrypted.URL
	a.plain = "http://" + listen(t, nil, a.speakHTTP1)
	a.secure = "https://" + listen(t, &tls.Config{Certificates: certificates}, a.speakHTTP1)
	a.frames = "http://" + listen(t, nil, a.speakHTTP2)
	a.framed = "https://" + listen(t, &tls.Config{Certificates: certificates, NextProtos: []string{"h2"}}, a.speakHTTP2)
	return a
}

// listen gives every connection to serve and returns the address.
func listen(t *testing.T, secure *tls.Config, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if secure != nil {
		listener = tls.NewListener(listener, secure)
	}
	t.Cleanup(func() { listener.Close() })
	go func() { // ends when the listener is closed
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { // ends with the connection, which the client closes
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return listener.Addr().String()
}

// handle answers with a body, over whatever net/http speaks.
func (a *attacker) handle(w http.ResponseWriter, r *http.Request) {
	x := a.answers[r.Header.Get("X-Answer")]
	if x == nil || x.body == nil {
		http.Error(w, "no such answer", http.StatusTeapot)
		return
	}
	for _, line := range x.head() {
		w.Header().Set(line[0], line[1])
	}
	w.WriteHeader(x.code())
	x.body(a.counted(r, w))
}

// speakHTTP1 answers one request byte by byte and hangs up.
func (a *attacker) speakHTTP1(conn net.Conn) {
	r, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	name, _, mixed := strings.Cut(strings.TrimPrefix(r.URL.Path, "/mixed/"), "/")
	if mixed = mixed && strings.HasPrefix(r.URL.Path, "/mixed/"); !mixed {
		name = r.Header.Get("X-Answer")
	}
	x := a.answers[name]
	switch {
	case mixed && r.Method == http.MethodPost && a.spared(name):
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n%s%s%s", hello, finish, done)
	case x == nil:
		io.WriteString(conn, "HTTP/1.1 418 No Such Answer\r\n\r\n")
	case x.wire != nil:
		x.wire(conn, a.counted(r, conn))
	default:
		var head bytes.Buffer
		fmt.Fprintf(&head, "HTTP/1.1 %d Any\r\nConnection: close\r\n", x.code())
		for _, line := range x.head() {
			fmt.Fprintf(&head, "%s: %s\r\n", line[0], line[1])
		}
		head.WriteString("\r\n")
		if _, err := conn.Write(head.Bytes()); err == nil {
			x.body(a.counted(r, conn))
		}
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.CloseWrite() // a close with unread bytes would be a reset, which is another answer
		_, _ = io.Copy(io.Discard, tcp)
	}
}

// speakHTTP2 waits for a request and answers with frames.
func (a *attacker) speakHTTP2(conn net.Conn) {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil {
		return
	}
	out := &frames{conn: conn, Framer: http2.NewFramer(conn, conn)}
	out.AllowIllegalWrites = true
	out.pack = hpack.NewEncoder(&out.packed)
	headers := hpack.NewDecoder(4096, nil)
	_ = out.WriteSettings()
	var x *answer
	for {
		frame, err := out.ReadFrame()
		if err != nil {
			return
		}
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				_ = out.WriteSettingsAck()
			}
		case *http2.HeadersFrame:
			fields, err := headers.DecodeFull(f.HeaderBlockFragment())
			if err != nil {
				return
			}
			for _, field := range fields {
				if field.Name == "x-answer" {
					x = a.answers[field.Value]
				}
			}
			out.stream = f.StreamID
		}
		if data, ok := frame.(*http2.DataFrame); ok && data.StreamEnded() {
			break
		}
	}
	if x == nil || x.frames == nil {
		return
	}
	out.gone = make(chan struct{})
	go func() { // ends with the connection; what is not read would hold the client up
		defer close(out.gone)
		_, _ = io.Copy(io.Discard, conn)
	}()
	x.frames(out)
	<-out.gone // not to close it with bytes unread, which would be a reset
}

// frames writes HTTP/2 to a client, rules or no rules.
type frames struct {
	*http2.Framer
	conn   net.Conn
	stream uint32
	gone   chan struct{} // closed when the client has hung up
	packed bytes.Buffer
	pack   *hpack.Encoder
}

// block packs headers given as names and values.
func (f *frames) block(pairs ...string) []byte {
	f.packed.Reset()
	for i := 0; i < len(pairs); i += 2 {
		_ = f.pack.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return bytes.Clone(f.packed.Bytes())
}

// frameSize is the largest frame that every client takes.
const frameSize = 16 << 10

// headers writes one whole head, in as many frames as it needs.
func (f *frames) headers(end bool, pairs ...string) error {
	block := f.block(pairs...)
	n := min(frameSize, len(block))
	err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: f.stream, BlockFragment: block[:n], EndHeaders: n == len(block), EndStream: end})
	for block = block[n:]; len(block) > 0 && err == nil; block = block[n:] {
		n = min(frameSize, len(block))
		err = f.WriteContinuation(f.stream, n == len(block), block[:n])
	}
	return err
}

// begin writes the head of a stream of events.
func (f *frames) begin() {
	_ = f.headers(false, ":status", "200", "content-type", "text/event-stream")
}

// A meter counts what a client could be made to take.
type meter struct {
	io.Writer
	sent *atomic.Int64
}

func (m meter) Write(b []byte) (int, error) {
	n, err := m.Writer.Write(b)
	m.sent.Add(int64(n))
	return n, err
}

// enough is when an attacker who says that he never ends gives up: far beyond every
// limit of a client, and soon enough for a test of a client that has none.
const enough = 256 << 20

// forever writes text over and over, until nobody takes it any more.
func forever(text string) func(io.Writer) {
	return func(w io.Writer) {
		block := bytes.Repeat([]byte(text), max(1, 64<<10/len(text)))
		for sent := 0; sent < enough; {
			n, err := w.Write(block)
			if err != nil {
				return
			}
			sent += n
		}
	}
}

// say writes the parts one after the other.
func say(parts ...any) func(io.Writer) {
	return func(w io.Writer) {
		for _, part := range parts {
			switch p := part.(type) {
			case string:
				if _, err := io.WriteString(w, p); err != nil {
					return
				}
			case func(io.Writer):
				p(w)
			}
		}
	}
}
