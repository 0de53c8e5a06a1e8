package target

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// A secret across the place where a server's words are cut is redacted before the
// cut: not one character of it is kept, wherever it stands.
func TestRedactBeforeCutting(t *testing.T) {
	const key = "kEy-0123456789-AbCdEfGh"
	var answer atomic.Pointer[http.HandlerFunc]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*answer.Load())(w, r) }))
	defer server.Close()
	client := newClient(t, server.URL, func(cfg *Config) {
		cfg.Redact = func(text string) string { return strings.ReplaceAll(text, key, "[redacted]") }
	})
	for shift := -len(key) - 3; shift <= 3; shift++ {
		for _, limit := range []int{maxErrorText, maxQuoted} {
			text := strings.Repeat("-", limit+shift) + key + strings.Repeat("-", 400)
			for _, next := range []http.HandlerFunc{
				func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500); io.WriteString(w, text) },
				func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Location", text); w.WriteHeader(302) },
				func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					io.WriteString(w, text)
				},
				func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, "data: %s\n\n", text) },
				func(w http.ResponseWriter, _ *http.Request) {
					fmt.Fprintf(w, "data: {\"error\":{\"message\":%q}}\n\n", text)
				},
			} {
				answer.Store(&next)
				got, _ := ask1(t, t.Context(), client)
				if rest := strings.ReplaceAll(got.Error, "[redacted]", ""); got.Error == "" || strings.Contains(rest, "kE") || len(got.Error) > maxErrorText+100 {
					t.Errorf("limit %d, shift %d: recorded %q", limit, shift, got.Error)
				}
			}
		}
	}
}
