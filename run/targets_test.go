package run

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"assay/plan"
	"assay/record"
	"assay/spec"
)

// A request as a server saw it.
type sighting struct {
	server   int
	protocol string
	header   http.Header
	body     map[string]any
}

// twoServers answer and keep what they were asked.
func twoServers(t *testing.T) (urls []string, seen func() []sighting) {
	t.Helper()
	var mu sync.Mutex
	var all []sighting
	for n := range 2 {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, err := io.ReadAll(r.Body)
			if err != nil || r.Method != http.MethodPost {
				http.NotFound(w, r)
				return
			}
			s := sighting{server: n, protocol: r.Proto, header: r.Header}
			if err := json.Unmarshal(text, &s.body); err != nil {
				t.Error(err)
			}
			mu.Lock()
			all = append(all, s)
			mu.Unlock()
			reply(w)
		}))
		server.Config.Protocols = new(http.Protocols)
		server.Config.Protocols.SetHTTP1(true)
		server.Config.Protocols.SetUnencryptedHTTP2(true)
		server.Start()
		t.Cleanup(server.Close)
		urls = append(urls, server.URL)
	}
	return urls, func() []sighting {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

// Whatever reads the answers, calls go to the URLs in turn, with the bearer of
// the file and with the user's headers and fields untouched.
func TestRequestsAsAsked(t *testing.T) {
	t.Parallel()
	bearer := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(bearer, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(more, protocol, stamps string) {
		t.Helper()
		urls, seen := twoServers(t)
		p := planOf(t, fmt.Sprintf(`workload: {model: m, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]},
			target: {urls: [%q, %q], auth: {kind: bearer, file: %q}, headers: {X-Team: blue}, extraBody: {ignore_eos: false, seed: 7, nested: {a: [1, null]}}, %s},
			load: {concurrency: [1], requests: 10, warmup: {requests: 2}}`, urls[0], urls[1], bearer, more))
		p.Launches = p.Launches[:1]
		b := carryOut(t, p)
		asked := seen()[1:] // the first is the one before the run
		count := [2]int{}
		for _, s := range asked {
			count[s.server]++
			if s.protocol != protocol || s.header.Get("Authorization") != "Bearer s3cret" || s.header.Get("X-Team") != "blue" {
				t.Errorf("{%s}: %s with %v", more, s.protocol, s.header)
			}
			if s.body["ignore_eos"] != false || s.body["seed"] != 7.0 || fmt.Sprint(s.body["nested"]) != "map[a:[1 <nil>]]" {
				t.Errorf("{%s}: body %v", more, s.body)
			}
		}
		if len(asked) < 10 || count[0]-count[1] > 1 || count[1]-count[0] > 1 {
			t.Errorf("{%s}: %d and %d requests, want as many for each", more, count[0], count[1])
		}
		for _, r := range rows[record.Request](t, b, "requests") {
			if r.Result == record.OK && (r.Protocol != protocol || r.Stamps != stamps && stamps != "") {
				t.Errorf("{%s}: request %d over %s, stamped by %s", more, r.ID, r.Protocol, r.Stamps)
			}
		}
	}
	f(`timeout: 20s`, "HTTP/1.1", "")
	f(`reader: epoll`, "HTTP/1.1", "epoll")
	f(`reader: net/http`, "HTTP/1.1", "net/http")
	f(`http2: true`, "HTTP/2.0", "")
	f(`http2: true, reader: net/http`, "HTTP/2.0", "net/http")
}

// The example of gRPC runs: a server that answers every call with the recording.
func TestKServeRun(t *testing.T) {
	recording, err := os.ReadFile(filepath.Join("..", "target", "testdata", "dialects", "kserve-grpc", "stream.grpcstream"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/grpc")
		_, _ = w.Write(recording)
		w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true) // and no HTTP/1.1, as servers of gRPC
	server.Start()
	defer server.Close()
	text, err := os.ReadFile(filepath.Join("..", "examples", "kserve-grpc.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	doc, faults := spec.Parse("kserve-grpc.yaml", []byte(strings.NewReplacer("http://127.0.0.1:8001", server.URL,
		"duration: 5s", "requests: 12", "{duration: 1s}", "{requests: 4}").Replace(string(text))))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	p.Launches = p.Launches[:1]
	requests := rows[record.Request](t, carryOut(t, p), "requests")
	for _, r := range requests {
		if r.Phase != record.Cooldown && (r.Result != record.OK || r.Protocol != "HTTP/2.0" || r.Chunks != 4) {
			t.Errorf("request %d: outcome %q (%s) over %s, %d chunks", r.ID, r.Result, r.Error, r.Protocol, r.Chunks)
		}
	}
	if len(requests) < 16 {
		t.Errorf("%d requests, want 4 before and 12 measured", len(requests))
	}
}
