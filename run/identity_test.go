package run

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A server without a list of models is named by the page that it greets with.
func TestEngineByGreeting(t *testing.T) {
	for greeting, want := range map[string]any{
		`{"message": "AIPerf Integration Test Server", "version": "1.0.0"}`: "AIPerf Integration Test Server",
		`{"message": 7}`: nil,
		`<html>hello`:    nil,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost:
				reply(w)
			case r.URL.Path == "/":
				io.WriteString(w, greeting)
			default:
				http.NotFound(w, r)
			}
		}))
		defer server.Close()
		plan := planOf(t, fmt.Sprintf(askedOf, "m", 4, server.URL))
		plan.Launches = plan.Launches[:1]
		if got := carryOut(t, plan).Manifest.Environment["server.engine"].Value; got != want {
			t.Errorf("%s: the engine is %v, want %v", greeting, got, want)
		}
	}
}
