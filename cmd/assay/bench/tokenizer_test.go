package bench

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/sim"
	"assay/spec"
)

// The tokenizer is the file that is named, the one in the cache, the server's, or
// assay's own, and the caller learns which.
func TestTokenizer(t *testing.T) {
	example, err := os.ReadFile("../../../examples/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	model := filepath.Join(home, "hub", "models--meta--llama")
	snapshot := filepath.Join(model, "snapshots", "abc")
	for path, text := range map[string][]byte{filepath.Join(model, "refs", "main"): []byte("abc\n"), filepath.Join(snapshot, "tokenizer.json"): example} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := func(url, name, kind, path, note string) {
		t.Helper()
		args := []string{"--url", url, "--model", "sim", "--duration", "1s"}
		if name != "" {
			args = append(args, "--model-tokenizer", name)
		}
		asked := wantMade(t, map[string]string{"HF_HOME": home}, args...)
		got := asked.Run.Spec.Workload.Tokenizer
		if got.Kind != kind || got.Path != path || (path != "") != (got.Digest != "") {
			t.Errorf("%q at %s: %+v, want %s %s", name, url, got, kind, path)
		}
		if text := strings.Join(asked.Choices, "\n"); !strings.Contains(text, note) {
			t.Errorf("%q at %s: the notes do not say %q:\n%s", name, url, note, text)
		}
	}
	server := simulated(t)
	f(server, filepath.Join(snapshot, "tokenizer.json"), spec.TokenizerFile, filepath.Join(snapshot, "tokenizer.json"), "")
	f(server, snapshot, spec.TokenizerFile, snapshot, "")
	f(server, "meta/llama", spec.TokenizerFile, filepath.Join(snapshot, "tokenizer.json"), "from Hugging Face's cache")
	f(server, "meta/other", spec.TokenizerServer, "", "counted by the server")
	f(server, "/mnt/models/llama", spec.TokenizerServer, "", "neither a file here nor in Hugging Face's cache")
	f(server, "", spec.TokenizerServer, "", "no tokenizer was named")
	f(shut, "meta/other", "", "", "the server has no /tokenize that assay knows")
	f(countingSpaces(t), "", "", "", "no prompts can be made to measure")
	if err := os.WriteFile(filepath.Join(snapshot, "tokenizer.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	f(server, "meta/llama", spec.TokenizerServer, "", "cannot be read")
	if _, err := made(t, nil, with("--model-tokenizer", snapshot)...); err == nil || !strings.Contains(err.Error(), "--model-tokenizer") {
		t.Errorf("a file that is no tokenizer: %v", err)
	}
}

// countingSpaces is the address of a server for which a space is a token of its own,
// as for GuideLLM's mock server.
func countingSpaces(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Text string }
		if r.URL.Path != "/tokenize" || json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Text == "" {
			http.Error(w, "no text", http.StatusBadRequest)
			return
		}
		n := 2*strings.Count(asked.Text, " ") + 1
		fmt.Fprintf(w, `{"tokens": [1%s], "count": %d}`, strings.Repeat(",1", n-1), n)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// simulated is the address of a simulator, which counts tokens.
func simulated(t *testing.T) string {
	t.Helper()
	s, err := sim.New(sim.Config{Model: "sim"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != http.ErrServerClosed {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}
