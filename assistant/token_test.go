package assistant

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const token = "correct-horse-battery"

// A bearer sends a token with every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

func TestHTTP(t *testing.T) {
	h := newHouse(t)
	s, err := New(h.options())
	must(t, err)
	server := httptest.NewServer(RequireToken(token, s.Handler()))
	t.Cleanup(server.Close)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	c, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL, HTTPClient: &http.Client{Transport: bearer{token}}}, nil)
	must(t, err)
	if _, text, failed := ask(t, c, "claim", map[string]any{"bundle": "sound-1"}); failed != "" || !strings.Contains(text, `"quote":"`) {
		t.Errorf("claim over HTTP: %s%s", text, failed)
	}
	must(t, c.Close())
	if _, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL, HTTPClient: &http.Client{Transport: bearer{"wrong"}}, MaxRetries: -1}, nil); err == nil {
		t.Error("a wrong token was let in")
	}

	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	post := func(want int, body string, change func(*http.Request)) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(body))
		must(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer "+token)
		change(r)
		response, err := http.DefaultClient.Do(r)
		must(t, err)
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("got %s, want %d", response.Status, want)
		}
	}
	post(http.StatusOK, hello, func(*http.Request) {})
	post(http.StatusUnauthorized, hello, func(r *http.Request) { r.Header.Del("Authorization") })
	post(http.StatusUnauthorized, hello, func(r *http.Request) { r.Header.Set("Authorization", token) })
	post(http.StatusUnauthorized, hello, func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") })
	post(http.StatusUnauthorized, hello, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") })
	post(http.StatusUnauthorized, hello, func(r *http.Request) { r.Header.Set("Authorization", "Basic "+token) })
	post(http.StatusForbidden, hello, func(r *http.Request) { r.Host = "evil.example" })                               // DNS rebinding
	post(http.StatusForbidden, hello, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })          // a page of others
	post(http.StatusForbidden, hello, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") })         // an older browser
	post(http.StatusRequestEntityTooLarge, hello+strings.Repeat(" ", MostMessage), func(*http.Request) {})             // more than a message may have
	post(http.StatusNotFound, hello, func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "somebody-elses") })       // a session that there is not
	post(http.StatusBadRequest, `{"jsonrpc":`, func(*http.Request) {})                                                 // half a message
	post(http.StatusUnsupportedMediaType, hello, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }) // as a form of a page would
}

// No token lets everybody in by mistake.
func TestEmptyTokenLetsNobodyIn(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Header.Set("Authorization", "Bearer ")
	RequireToken("", http.NotFoundHandler()).ServeHTTP(w, r)
	if w.Code != http.StatusUnauthorized {
		t.Errorf("got %d, want 401", w.Code)
	}
}
