package hostile

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"assay/tests/program"
)

// A server that sends every question on to another host gets no key there: neither
// what is asked before a run, nor its metrics page, nor its requests.
func TestRedirects(t *testing.T) {
	t.Parallel()
	program.Path(t)
	thief := thiefServer(t)
	sender := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, thief+r.URL.RequestURI(), http.StatusTemporaryRedirect)
	}))
	t.Cleanup(sender.Close)
	dir := t.TempDir()
	for name, tokenizer := range map[string]string{"own.yaml": "default", "asked.yaml": "server"} {
		write(t, filepath.Join(dir, name), fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: redirects}
spec:
  workload: {model: m, tokenizer: {kind: %s}, sequenceLengthMix: [{inputTokens: 8, outputTokens: 4, weight: 1}]}
  target:
    url: %q
    auth: {kind: header, header: X-API-Key, env: HOSTILE_KEY}
    metrics: {urls: [%q], interval: 100ms}
  load: {concurrency: [1], duration: 1s, warmup: {}, calibrate: false}
  trials: {quick: true}
`, tokenizer, sender.URL, sender.URL+"/metrics"))
	}
	for _, args := range [][]string{
		{"run", "own.yaml"}, {"run", "asked.yaml"}, {"bench", sender.URL}, {"bench", sender.URL, "--model", "m", "--quick", "--duration", "1s"},
	} {
		env := []string{"HOSTILE_KEY=" + keyOf("x-header"), "MODEL_API_KEY=" + keyOf("x-header")}
		if r := (program.Command{Args: args, Dir: dir, Env: env}).Run(t); r.TimedOut || r.Code == 0 {
			t.Errorf("%v: exit %d, timed out %v: want a failure, for no request succeeds\n%s", args, r.Code, r.TimedOut, r.Text())
		}
	}
}

// thiefServer listens on another host than everything else here, and nobody may ask it.
func thiefServer(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skipf("this machine has no second loopback address: want 127.0.0.2, as Linux has it: %v", err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other host was asked for %s, with headers %v", r.URL, r.Header)
	})}}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// A server whose models are named after the key that it was sent.
func TestKeyInModelNames(t *testing.T) {
	t.Parallel()
	for _, models := range []int{1, 2} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := asJSON(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			list := strings.Repeat(fmt.Sprintf(`,{"id":"model-%s"}`, key), models)
			fmt.Fprintf(w, `{"data":[%s]}`, list[1:])
		}))
		t.Cleanup(server.Close)
		r := program.Run(t, "", "bench", server.URL, "--api-key", keyOf("bench-api-key"))
		if r.Code == 0 || !strings.Contains(r.Text(), "model-[redacted]") {
			t.Errorf("exit %d, want a failure that shows the names without the key\n%s", r.Code, r.Text())
		}
		seen := evidence{}
		seen.add("streams", []byte(r.Text()))
		seen.search(t, []string{"bench-api-key"})
	}
}
