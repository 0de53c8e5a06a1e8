package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"assay/analysis/scene"
	"assay/bundle"
)

// toolText calls a tool and returns its answer, or the text of its error.
func toolText(t *testing.T, c *mcp.ClientSession, name string, args map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// nightly seals a run of a scene in folder.
func nightly(t *testing.T, folder, id string) string {
	t.Helper()
	dir := filepath.Join(folder, id)
	_, err := scene.Run{Dir: dir, ID: id, Launches: scene.Launches([]float64{1, 1.01, .99}), Document: `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: nightly},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// An assistant starts the program, asks every tool, and measures a real server after its
// user agreed.
func TestMCPProcess(t *testing.T) {
	t.Parallel()
	folder, place := t.TempDir(), filepath.Join(t.TempDir(), "warehouse")
	first, second := nightly(t, folder, "night-1"), nightly(t, folder, "night-2")
	if _, stderr, code := call(t, "keep", "--warehouse", place, first, second); code != exitOK {
		t.Fatal(stderr)
	}
	asked := 0
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked++
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"run": true}}, nil
		},
	})
	c, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: program(t.Context(), "mcp", "--folder", folder, "--warehouse", place, "--allow-run")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(documentOf(t, quickServer(t), ""))
	if err != nil {
		t.Fatal(err)
	}
	policy := `{apiVersion: assay.dev/v1alpha1, kind: GatePolicy, metadata: {name: p}, spec: {metrics: [{metric: ttft.v2, statistic: p50, margin: 0.05}]}}`
	calls := map[string]map[string]any{
		"search": {"words": "night"}, "report": {"bundle": "night-1"}, "claim": {"bundle": "night-1"}, "lint": {"bundle": "night-1"},
		"compare": {"bundles": []string{"night-1", "night-2"}}, "gate": {"baseline": "night-1", "candidate": "night-2", "policy": policy},
		"query": {"sql": "SELECT run_id FROM current_run"}, "lineage": {"printed": digestIn(t, first)}, "benchmark_contracts": nil, "render": nil,
		"validate": {"document": string(document)}, "plan": {"document": string(document)},
	}
	listed, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed.Tools {
		args, known := calls[tool.Name]
		switch tool.Name {
		case "history": // of runs that are void there is none
			if text, failed := toolText(t, c, "history", map[string]any{"metric": "ttft"}); failed || !strings.Contains(text, `"leftOut":2`) {
				t.Errorf("history: %s", text)
			}
		case "run": // below
		default:
			if text, failed := toolText(t, c, tool.Name, args); failed || !known {
				t.Errorf("%s (in the list above: %v): %s", tool.Name, known, text)
			}
		}
	}
	var plan struct{ DocumentDigest string }
	text, _ := toolText(t, c, "plan", calls["plan"])
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		t.Fatal(err)
	}
	text, failed := toolText(t, c, "run", map[string]any{"document": string(document), "planned": plan.DocumentDigest, "quick": true})
	made, _ := filepath.Glob(filepath.Join(folder, "*__run__t"))
	if failed || asked != 1 || len(made) != 1 || !strings.Contains(text, filepath.Base(made[0])) {
		t.Errorf("run: asked %d times, made %q: %s", asked, made, text)
	}
	if err := c.Close(); err != nil {
		t.Errorf("the process did not end well: %v", err)
	}
}

func digestIn(t *testing.T, dir string) string {
	t.Helper()
	b, err := bundle.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b.Manifest.Digest
}

// An assistant that goes away while it measures leaves a sealed bundle and no process.
func TestMCPClientGoesAway(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	cmd := program(t.Context(), "mcp", "--folder", folder, "--warehouse", filepath.Join(folder, "none"), "--allow-run")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	document := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: long},
  spec: {workload: {model: sim}, target: {url: %q}, load: {concurrency: [1], duration: 10m, warmup: {}, calibrate: false}, trials: {quick: true}}}`, quickServer(t))
	var plan struct{ DocumentDigest string }
	text, _ := toolText(t, c, "plan", map[string]any{"document": document})
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	go c.CallTool(t.Context(), &mcp.CallToolParams{Name: "run", Arguments: map[string]any{"document": document, "planned": plan.DocumentDigest}})
	made := func() []string {
		list, _ := filepath.Glob(filepath.Join(folder, "*__run__long", "raw", "launch-00", "requests*"))
		return list
	}
	for i := 0; len(made()) == 0; i++ {
		if i == 600 {
			t.Fatal("no run began within a minute")
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	list, _ := filepath.Glob(filepath.Join(folder, "*__run__long"))
	b, err := bundle.Open(list[0])
	if err != nil || !b.Sealed || b.Manifest.Status != bundle.Aborted {
		t.Errorf("the bundle: %v, %+v; want one that is sealed as aborted", err, b)
	}
}

// --http serves those who send the token, on this machine alone.
func TestMCPOverHTTP(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	nightly(t, folder, "night-1")
	secret := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte("correct-horse-battery\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := program(t.Context(), "mcp", "--folder", folder, "--http", "127.0.0.1:0", "--token-file", secret)
	story, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(story).ReadString('\n')
	url, is := strings.CutPrefix(strings.TrimSpace(line), "serving MCP at ")
	if err != nil || !is {
		t.Fatalf("it says %q, %v", line, err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	c, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearerToken("correct-horse-battery")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, failed := toolText(t, c, "report", map[string]any{"bundle": "night-1"}); failed || !strings.Contains(text, `"void":[`) {
		t.Errorf("report: %s", text)
	}
	if text, failed := toolText(t, c, "run", map[string]any{"document": "x", "planned": "y"}); !failed || !strings.Contains(text, "--allow-run") {
		t.Errorf("run without leave: %s", text)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("interrupted, it ends with %v", err)
	}
	c.Close() // its server is gone
}

type bearerToken string

func (b bearerToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestMCPUsage(t *testing.T) {
	short, empty := filepath.Join(t.TempDir(), "short"), filepath.Join(t.TempDir(), "empty")
	for path, text := range map[string]string{short: "abc", empty: "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := func(want string, args ...string) {
		t.Helper()
		if _, stderr, code := call(t, append([]string{"mcp"}, args...)...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, %s; want %q", args, code, stderr, want)
		}
	}
	f("want a loopback address", "--http", "0.0.0.0:8091")
	f("want a loopback address", "--http", "192.0.2.1:8091")
	f("want a loopback address", "--http", ":8091")
	f("want HOST:PORT", "--http", "8091")
	f("fewer than 16", "--http", "127.0.0.1:0", "--token-file", short)
	f("is empty", "--http", "127.0.0.1:0", "--token-file", empty)
	f("no such file", "--http", "127.0.0.1:0", "--token-file", short+"x")
	f("want a --folder", "--allow-run")
	f("want it with --allow-run", "--out", "x")
	f("no such file", "--folder", short+"x")
	f("want a folder", "--folder", short)
}
