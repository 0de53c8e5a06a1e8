package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/bundle"
	"assay/record"
	"assay/tests/whole"
)

// canaries are secrets placed wherever a careless person puts them.
var canaries = map[string]string{
	"header":           "canary-header-3f9a1c",
	"url query":        "canary-query-77b2e0",
	"url password":     "canary-password-5d11",
	"query":            "canary-param-90aa12",
	"environment":      "canary-environment-c4d8",
	"server env":       "canary-serverenv-b01d",
	"body field":       "canary-body-6e6e31",
	"bearer from env":  "canary-bearer-0f0f77",
	"server log alone": "sk-canary0log0alone0a1b2c3d4e5f6",
}

// TestCanaries runs a server that prints everything it knows, and looks for each
// secret in every byte of the bundle, in every decoded table and on both streams.
func TestCanaries(t *testing.T) {
	whole.Only(t)
	t.Setenv("DEMO_SERVICE_TOKEN", canaries["environment"])
	t.Setenv("DEMO_BEARER", canaries["bearer from env"])
	source, err := demoSource("500ms", 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	addr := between(t, string(source), "url: http://", "\n")
	dir := t.TempDir()
	text := fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: canaries}
spec:
  workload: {model: sim, sequenceLengthMix: [{inputTokens: 8, outputTokens: 4, weight: 1}]}
  target:
    url: http://user:%s@%s/?key=%s
    headers: {X-Secret: %s}
    query: {signature: %s}
    auth: {kind: bearer, env: DEMO_BEARER}
    extraBody: {api_key: %s}
    server:
      env: {SERVER_PASSWORD: %s}
      ready: {timeout: 10s, interval: 50ms}
      command:
        - sh
        - -c
        - 'echo "token $DEMO_SERVICE_TOKEN password $SERVER_PASSWORD bearer $DEMO_BEARER also %s"; exec "$0" sim --log --addr %s'
        - %q
  load: {concurrency: [2], duration: 500ms, warmup: {}, keepAnswers: true}
`, canaries["url password"], addr, canaries["url query"], canaries["header"], canaries["query"], canaries["body field"],
		canaries["server env"], canaries["server log alone"], addr, os.Args[0])
	specFile := filepath.Join(dir, "canaries.yaml")
	if err := os.WriteFile(specFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "runs")
	stdout, stderr, code := call(t, "run", specFile, "--out", out)
	if code != exitOK {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	search := func(where string, data []byte) {
		t.Helper()
		for name, canary := range canaries {
			if bytes.Contains(data, []byte(canary)) {
				t.Errorf("the secret in the %s occurs in %s", name, where)
			}
		}
	}
	search("stdout", []byte(stdout))
	search("stderr", []byte(stderr))
	logged := false
	err = filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		search(path, data)
		if strings.HasSuffix(path, ".xlsx") {
			search("the unpacked "+path, unpacked(t, data))
		}
		logged = logged || strings.HasSuffix(path, ".log") && bytes.Contains(data, []byte("token [redacted]"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !logged {
		t.Error("no log shows where a secret was: the server's output is missing")
	}
	bundles, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(bundles) != 1 {
		t.Fatalf("bundles %v, %v", bundles, err)
	}
	search("the decoded tables", decodedTables(t, bundles[0]))
}

// decodedTables prints every row of the text-bearing tables of a bundle, which
// lie compressed on disk.
func decodedTables(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := bundle.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	rows := 0
	for _, l := range b.Launches() {
		for row, err := range bundle.Rows[record.Request](b, l.Index, bundle.Requests) {
			if err != nil {
				t.Fatal(err)
			}
			rows++
			fmt.Fprintf(&all, "%+v\n", row)
		}
		for row, err := range bundle.Rows[record.Event](b, l.Index, bundle.Events) {
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&all, "%+v\n", row)
		}
		for row, err := range bundle.Rows[record.Sample](b, l.Index, bundle.Samples) {
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&all, "%+v\n", row)
		}
	}
	if rows == 0 {
		t.Fatal("the bundle has no requests")
	}
	return all.Bytes()
}

func between(t *testing.T, text, before, after string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, before)
	found, _, ended := strings.Cut(rest, after)
	if !ok || !ended {
		t.Fatalf("%q lacks %q … %q", text, before, after)
	}
	return found
}
