package run

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/telemetry"
)

// The prompts of a cache probe come in pairs, are like no others, and are sent
// before the load; a server that was there before has no cold request.
func TestCacheProbePairs(t *testing.T) {
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { reply(w) })
	p := openPlan(t, url, `{rate: [50], arrival: constant, duration: 100ms, warmup: {}, cacheProbe: {pairs: 4}}`)
	b := carryOut(t, p)
	hashes := map[int64][]record.Phase{}
	first, loadBegan := int64(0), event(t, b, record.PointBegin).At
	all := rows[record.Request](t, b, bundle.Requests)
	for _, r := range all {
		switch r.Phase {
		case record.CacheCold, record.CacheWarm:
			hashes[r.PromptHash] = append(hashes[r.PromptHash], r.Phase)
			if r.Sent < first || r.Done > loadBegan || r.Point != -1 || r.Result != record.OK {
				t.Errorf("request %d of phase %s: point %d, sent at %d, done at %d, %s; load began at %d", r.ID, r.Phase, r.Point, r.Sent, r.Done, r.Result, loadBegan)
			}
			first = r.Sent
		case record.Cold, record.Warm:
			t.Errorf("request %d is %s, of a server that assay did not start", r.ID, r.Phase)
		}
	}
	if len(hashes) != 4 {
		t.Errorf("%d different prompts, want 4", len(hashes))
	}
	for hash, phases := range hashes {
		if len(phases) != 2 || phases[0] != record.CacheCold || phases[1] != record.CacheWarm {
			t.Errorf("prompt %x was sent as %v, want cold, then warm", hash, phases)
		}
	}
	var health Health
	if err := json.Unmarshal(b.Manifest.Health, &health); err != nil {
		t.Fatal(err)
	}
	if n := int64(len(all)); n < 8+5 || health.Balance.Begun != n || health.Requests != n {
		t.Errorf("%d calls are recorded, want at least 13, and the balance says %+v", n, health.Balance)
	}
}

// Of two addresses, both requests of a pair go to the same one.
func TestCacheProbeStays(t *testing.T) {
	var mu sync.Mutex
	asked := map[string][]int{} // by body, which servers
	serve := func(number int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			asked[string(body)] = append(asked[string(body)], number)
			mu.Unlock()
			reply(w)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	p := planOf(t, fmt.Sprintf(`workload: {model: m, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]},
		target: {urls: [%q, %q], metrics: {scrape: false}}, load: {concurrency: [1], duration: 50ms, warmup: {}, cacheProbe: {pairs: 5}}`, serve(1), serve(2)))
	p.Launches = p.Launches[:1]
	carryOut(t, p)
	mu.Lock()
	defer mu.Unlock()
	pairs := map[int]int{} // by server
	for body, servers := range asked {
		if body != "" && len(servers) == 2 { // who asks what the server is sends no body
			pairs[servers[0]]++
			if servers[0] != servers[1] {
				t.Errorf("%s was sent to servers %v", body, servers)
			}
		}
	}
	if pairs[1]+pairs[2] != 5 || pairs[1] == 0 || pairs[2] == 0 {
		t.Errorf("pairs by server %v, want five over both", pairs)
	}
}

func TestBeginWith(t *testing.T) {
	plain := beginWith(record.Call{Prompt: "a b"}, "x ")
	if plain.Prompt != "x a b" {
		t.Errorf("prompt %q", plain.Prompt)
	}
	payload := &record.Payload{
		Messages:  []record.Message{{Role: "user", Content: "one"}, {Role: "assistant", Content: "two"}, {Role: "user", Content: "three"}},
		Documents: []string{"d"}, Query: "q",
	}
	got := beginWith(record.Call{Prompt: "three", Payload: payload}, "x ")
	if got.Prompt != "three" || got.Payload.Messages[0].Content != "x one" || got.Payload.Messages[2].Content != "three" ||
		got.Payload.Documents[0] != "x d" || got.Payload.Query != "x q" {
		t.Errorf("got %+v of %+v", got.Payload, payload)
	}
	if payload.Messages[0].Content != "one" || payload.Documents[0] != "d" {
		t.Errorf("the call itself was changed: %+v", payload)
	}
}

// Requests outside of points that succeed do not hide that none of a point did.
func TestApartHidesNothing(t *testing.T) {
	var asked atomic.Int64
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) > 4 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		reply(w)
	})
	host := telemetry.Local(t.Context())
	defer host.Close()
	p := openPlan(t, url, `{rate: [50], arrival: constant, duration: 100ms, warmup: {}, cacheProbe: {pairs: 2}}`)
	result, err := Execute(t.Context(), p, Options{
		Source: []byte("test"), Out: t.TempDir(), Tool: bundle.Tool{Name: "test", Version: "0"}, Now: time.Now(), Host: host,
	})
	if err == nil || !strings.Contains(err.Error(), "not one request succeeded") || result.Status != bundle.Failed {
		t.Errorf("got %v, want a launch that failed because its point did", err)
	}
}
