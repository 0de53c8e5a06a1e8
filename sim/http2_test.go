package sim

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/csv"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// secureClient speaks HTTP/2 over TLS to a server with a certificate of its own.
func secureClient(t *testing.T, cfg Config) (*Server, *http.Client, string) {
	t.Helper()
	secured, authority, err := SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	cfg.TLS, cfg.HTTP2 = secured, true
	s, addr := serve(t, cfg)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		t.Fatal("the authority cannot be read")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return s, &http.Client{Transport: transport}, "https://" + addr
}

// Many streams share one connection, each with its own answer, and the truth log
// has every token at its time or later.
func TestHTTP2Streams(t *testing.T) {
	var truth bytes.Buffer
	s, client, url := secureClient(t, Config{Fixed: &Fixed{TTFT: 20 * ms, ITL: 2 * ms}, Truth: &truth})
	var streams sync.WaitGroup
	for i := range 40 {
		streams.Go(func() {
			body := strings.Replace(chatBody(10), "hello there", fmt.Sprint("question ", i), 1)
			resp, err := client.Post(url+chatPath, "application/json", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			reply, err := io.ReadAll(resp.Body)
			if err != nil || resp.Proto != "HTTP/2.0" || strings.Count(string(reply), `"content":"`) != 10 || !strings.HasSuffix(string(reply), "[DONE]\n\n") {
				t.Errorf("stream %d over %s: %v\n%s", i, resp.Proto, err, reply)
			}
		})
	}
	streams.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&truth).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	tokens := 0
	for _, row := range rows[1:] {
		if row[5] != "token" {
			continue
		}
		tokens++
		if due, sent := row[7], row[8]; len(sent) < len(due) || len(sent) == len(due) && sent < due {
			t.Errorf("%v was sent before it was due", row)
		}
	}
	if stats := s.Stats(); tokens != 400 || stats.Completed != 40 || stats.Cut != 0 {
		t.Errorf("%d tokens in the truth log, %+v; want 400 of 40 answers", tokens, stats)
	}
}

// A client that leaves ends its own stream and no other.
func TestHTTP2ClientLeaves(t *testing.T) {
	s, client, url := secureClient(t, Config{Fixed: &Fixed{TTFT: ms, ITL: 5 * ms}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+chatPath, strings.NewReader(chatBody(2000)))
	if err != nil {
		t.Fatal(err)
	}
	leaving, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	staying, err := client.Post(url+chatPath, "application/json", strings.NewReader(chatBody(50)))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	leaving.Body.Close()
	reply, err := io.ReadAll(staying.Body)
	staying.Body.Close()
	if err != nil || strings.Count(string(reply), `"content":"`) != 50 {
		t.Errorf("the other stream: %v\n%s", err, reply)
	}
	for deadline := time.Now().Add(10 * time.Second); s.Stats().Cut != 1; time.Sleep(5 * ms) {
		if time.Now().After(deadline) {
			t.Fatalf("%+v, want one answer cut", s.Stats())
		}
	}
}

// The client's windows are kept: what does not fit waits, and nothing is lost.
func TestHTTP2Windows(t *testing.T) {
	_, addr := serve(t, Config{Fixed: &Fixed{}, HTTP2: true})
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(c, c)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, f := range []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":path", Value: chatPath}, {Name: ":authority", Value: addr},
		{Name: "content-type", Value: "application/json"}, // and no length
	} {
		if err := encoder.WriteField(f); err != nil {
			t.Fatal(err)
		}
	}
	const window = 100
	body := chatBody(5)
	for _, err := range []error{
		framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window}),
		framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true}),
		framer.WriteData(1, false, []byte(body[:20])), framer.WriteData(1, false, []byte(body[20:])), framer.WriteData(1, true, nil),
		framer.WritePing(false, [8]byte{7}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var reply []byte
	status, ponged, room := "", false, window
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			t.Fatalf("after %d bytes: %v", len(reply), err)
		}
		switch f := frame.(type) {
		case *http2.MetaHeadersFrame:
			status = f.PseudoValue("status")
		case *http2.PingFrame:
			ponged = f.IsAck() && f.Data == [8]byte{7}
		case *http2.DataFrame:
			if room -= len(f.Data()); room < 0 {
				t.Fatalf("%d bytes more than the window allows", -room)
			}
			reply = append(reply, f.Data()...)
			if room == 0 && !f.StreamEnded() {
				room = window
				if err := framer.WriteWindowUpdate(1, window); err != nil {
					t.Fatal(err)
				}
			}
		}
		if frame.Header().Type == http2.FrameData && frame.Header().Flags.Has(http2.FlagDataEndStream) {
			break
		}
	}
	if got := events(t, reply); status != "200" || said(got) == "" || !ponged {
		t.Errorf("status %s, ping answered %v, said %q", status, ponged, said(got))
	}
}

// Over TLS without HTTP/2 the answers are those of the plain server, and a client
// that does not trust the certificate gets none.
func TestTLS(t *testing.T) {
	_, client, url := secureClient(t, Config{Fixed: &Fixed{}})
	transport := client.Transport.(*http.Transport)
	plain := &http.Transport{TLSClientConfig: transport.TLSClientConfig.Clone()}
	defer plain.CloseIdleConnections()
	resp, err := (&http.Client{Transport: plain}).Get(url + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if models, err := io.ReadAll(resp.Body); err != nil || resp.Proto != "HTTP/1.1" || !strings.Contains(string(models), `"assay-sim"`) {
		t.Errorf("over %s: %v\n%s", resp.Proto, err, models)
	}
	if resp, err := http.Get(url + "/v1/models"); err == nil {
		resp.Body.Close()
		t.Error("a stranger's certificate was trusted")
	}
}
