package target

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"assay/record"
)

// Every reader sends each call a trace of its own, over HTTP/1.1 and HTTP/2, and the
// record has the id that the server saw. One that the user set stays, and has none.
func TestTraceparent(t *testing.T) {
	form := regexp.MustCompile(`^00-([0-9a-f]{32})-[0-9a-f]{16}-01$`)
	seen := make(chan string, 1) // of the one request under way
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- strings.Join(r.Header.Values("Traceparent"), ",")
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("data: [DONE]\n\n")) // a client that has gone is told by its own record
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	ask := func(change func(*Config), call record.Call) (sent, recorded string) {
		t.Helper()
		c := newClient(t, server.URL, func(cfg *Config) {
			cfg.Trace = NewTrace("20261116__run__x", 2)
			change(cfg)
		})
		p, err := c.Prepare(call)
		if err != nil {
			t.Fatal(err)
		}
		raw := c.Do(t.Context(), p, 0)
		sent = <-seen
		request, _ := c.Decode(raw)
		return sent, request.TraceID
	}
	ids := map[string]bool{}
	for _, reader := range allReaders {
		for _, http2 := range []bool{false, true} {
			for id := range int64(2) {
				sent, recorded := ask(func(cfg *Config) { cfg.Reader, cfg.HTTP2 = reader, http2 }, record.Call{ID: id, Prompt: "hello"})
				if found := form.FindStringSubmatch(sent); found == nil || found[1] != recorded {
					t.Errorf("%s, HTTP/2 %v: sent %q, recorded %q", reader, http2, sent, recorded)
				}
				ids[recorded] = true
			}
		}
		if sent, recorded := ask(func(cfg *Config) { cfg.Reader, cfg.Header = reader, http.Header{"Traceparent": {"mine"}} }, record.Call{}); sent != "mine" || recorded != "" {
			t.Errorf("%s: sent %q, recorded %q; want the user's own and none", reader, sent, recorded)
		}
		if sent, recorded := ask(func(cfg *Config) { cfg.Reader, cfg.Trace = reader, Trace{} }, record.Call{}); sent+recorded != "" {
			t.Errorf("%s: sent %q, recorded %q; want none", reader, sent, recorded)
		}
	}
	if len(ids) != 2 {
		t.Errorf("2 calls have %d traces: %v", len(ids), ids)
	}
}

// Traces are unlike each other in every part that a server may sample by.
func TestTraceIDs(t *testing.T) {
	seen, last := map[string]bool{}, map[byte]bool{}
	for launch := range 3 {
		trace := NewTrace("run", launch)
		for id := range int64(1000) {
			text, _ := trace.ids(record.Call{ID: id})
			seen[text], last[text[31]] = true, true
		}
	}
	if len(seen) != 3000 || len(last) != 16 {
		t.Errorf("%d ids and %d last digits, want 3000 and 16", len(seen), len(last))
	}
}
