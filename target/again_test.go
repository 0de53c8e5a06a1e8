package target

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"assay/record"
)

// A server whose certificate is not trusted was never asked: no connection, and
// a pause before the next try.
func TestUntrusted(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refusals are what is tested
	server.StartTLS()
	defer server.Close()
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	dialect, err := Find("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Config{URLs: []string{server.URL}, TLS: &tls.Config{}}, dialect, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, err := c.Prepare(record.Call{Prompt: "hello", OutputTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	raw := c.Do(t.Context(), p, clock.Now())
	if raw.Again() != raw.Done+int64(refusedPause) {
		t.Errorf("asked again after %d ns, want after the pause", raw.Again()-raw.Done)
	}
	request, _ := c.Decode(raw)
	if request.Result != record.Connect {
		t.Errorf("%s: %s; want connect", request.Result, request.Error)
	}
	answered := &Raw{Done: 5}
	if answered.Again() != 5 {
		t.Errorf("an answered call lets its user wait until %d, want 5", answered.Again())
	}
}

// An answer without [DONE] is over when the server says so, not with its last byte.
func TestAgainAfterTheEndOfTheBody(t *testing.T) {
	const pause = 50 * time.Millisecond
	for _, reader := range []string{ReadNetHTTP, ReadEpoll} {
		for _, done := range []bool{false, true} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n")
				if done {
					io.WriteString(w, "data: [DONE]\n\n")
				}
				w.(http.Flusher).Flush()
				if !done {
					time.Sleep(pause)
				}
			}))
			c := newClient(t, server.URL, func(cfg *Config) { cfg.Reader = reader })
			p, err := c.Prepare(record.Call{Prompt: "hello", OutputTokens: 1})
			if err != nil {
				t.Fatal(err)
			}
			raw := c.Do(t.Context(), p, 0)
			if waited := time.Duration(raw.Again() - raw.Done); done && waited != 0 || !done && waited < pause/2 {
				t.Errorf("%s, [DONE] %v: the next call is due %v after the last byte", reader, done, waited)
			}
			server.Close()
		}
	}
}
