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
	t.Parallel()
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

// A simulator that lists its models as an engine's is recognised by its HTTP server and
// the configuration that it shows; nobody else is asked for one.
func TestSimulatorUnmasked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		http, config string
		want         bool
	}{
		{"fasthttp", `{"model":"m","latencies":{"time-to-first-token":"50ms","inter-token-latency":"10ms"}}`, true},
		{"fasthttp", `{"theme":"dark"}`, false},
		{"uvicorn", `{"time-to-first-token":1,"inter-token-latency":1}`, false},
	} {
		asked := false
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Server", tt.http)
			switch r.URL.Path {
			case "/v1/models":
				io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model","owned_by":"vllm"}]}`)
			case "/admin/config":
				asked = true
				io.WriteString(w, tt.config)
			case "/version":
				http.NotFound(w, r)
			default:
				reply(w)
			}
		}))
		defer server.Close()
		plan := planOf(t, fmt.Sprintf(askedOf, "m", 4, server.URL))
		plan.Launches = plan.Launches[:1]
		env := carryOut(t, plan).Manifest.Environment
		if got := env["server.simulator"].Value != nil; got != tt.want || env["server.http"].Value != tt.http || env["server.engine"].Value != "vllm" {
			t.Errorf("%s: simulator %v, HTTP server %v, engine %v; want %v", tt.http, env["server.simulator"], env["server.http"], env["server.engine"], tt.want)
		}
		if asked != (tt.http == "fasthttp") {
			t.Errorf("%s: asked for its configuration: %v", tt.http, asked)
		}
	}
}
