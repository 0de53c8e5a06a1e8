package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/bundle"
	"assay/record"
	"assay/target"
	"assay/tests/whole"
)

// The example runs over TLS and HTTP/2, against a simulator that made its own
// certificate: what was spoken is in every record, and the report says it.
func TestRunOverHTTP2(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	server := program(t.Context(), "sim", "--addr", "127.0.0.1:0", "--json", "--tls", "--http2")
	lines, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	var ready struct {
		URL    string `json:"url"`
		CAFile string `json:"ca_file"`
	}
	if err := json.NewDecoder(lines).Decode(&ready); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "spec.yaml")
	example, err := os.ReadFile(filepath.Join("..", "..", "examples", "http2-tls.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("https://127.0.0.1:8443\n", ready.URL+"\n", "caFile: ca.pem", "caFile: "+ready.CAFile,
		"duration: 5s", "requests: 40", "{duration: 1s}", "{requests: 4}").Replace(string(example))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	stdout, stderr, code := call(t, "run", path, "--out", out)
	if code != exitOK {
		t.Fatalf("exit %d: %s\n%s", code, stdout, stderr)
	}
	stdout, _, _ = call(t, "report", "--all", onlyBundle(t, out))
	if !strings.Contains(stdout, "over HTTP/2, read by "+target.ReadKernel) {
		t.Errorf("the report does not say how the target was reached:\n%s", stdout)
	}
	b, err := bundle.Open(onlyBundle(t, out))
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for r, err := range bundle.Rows[record.Request](b, 0, "requests") {
		if err != nil {
			t.Fatal(err)
		}
		if r.Result == record.OK && (r.Protocol != "HTTP/2.0" || r.Stamps != target.ReadKernel) {
			t.Errorf("request %d spoke %s, stamped by %s", r.ID, r.Protocol, r.Stamps)
		}
		if r.Result == record.OK {
			answered++
		}
	}
	if answered < 40 {
		t.Errorf("%d requests answered, want 40 at least", answered)
	}
	calibration, err := os.ReadFile(filepath.Join(b.Dir, "raw", "launch-00", record.CalibrationFile(record.CalibrationBefore)))
	if err != nil || !strings.Contains(string(calibration), `"over": "http2+tls"`) {
		t.Errorf("the client was not measured over HTTP/2 and TLS (%v): %s", err, calibration)
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, lines)
	if err := server.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(ready.CAFile); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", ready.CAFile, err)
	}
}

func TestSimTLSRefuses(t *testing.T) {
	if _, stderr, code := call(t, "sim", "--ca-file", "x.pem"); code != exitUsage || !strings.Contains(stderr, "want --tls") {
		t.Errorf("exit %d, %q; want usage", code, stderr)
	}
	if _, stderr, code := call(t, "sim", "--tls", "--ca-file", "/no/such/folder/x.pem"); code != exitFailed || !strings.Contains(stderr, "--ca-file") {
		t.Errorf("exit %d, %q; want a failure that names --ca-file", code, stderr)
	}
}
