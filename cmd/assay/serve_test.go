package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/analysis/scene"
	"assay/sim"
	"assay/sim/simtest"
	"assay/spec"
	"assay/tests/fixture"
	"assay/tests/whole"
	"assay/tokens"
)

// A served is a server in this process.
type served struct {
	lines *bufio.Scanner
	stop  func() int
}

// serving starts assay serve; stop ends it as an interrupt does and gives its exit code.
func serving(t *testing.T, args ...string) served {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan int, 1)
	go func() {
		code := Main(ctx, Env{Args: append([]string{"serve", "--addr", "127.0.0.1:0"}, args...), Stdout: w, Stderr: io.Discard, Environ: os.Environ})
		w.Close()
		done <- code
	}()
	return served{bufio.NewScanner(r), func() int { cancel(); return <-done }}
}

func (s served) line(t *testing.T) string {
	t.Helper()
	if !s.lines.Scan() {
		t.Fatalf("the server ended: %v", s.lines.Err())
	}
	return s.lines.Text()
}

// A token is made, a bundle is sent, the server shows it and ends when it is asked to.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	place := filepath.Join(dir, "warehouse")
	at := func(want int, args ...string) string {
		t.Helper()
		stdout, stderr, code := call(t, args...)
		if code != want {
			t.Fatalf("%v: exit code %d, want %d: %s", args, code, want, stderr)
		}
		return stdout + stderr
	}
	secret := strings.TrimSpace(strings.Split(at(exitOK, "token", "new", "--name", "ci", "--scope", "write", "--warehouse", place), "\n")[0])
	file := filepath.Join(dir, "token")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list := at(exitOK, "token", "list", "--warehouse", place); !strings.Contains(list, "ci") || strings.Contains(list, secret) {
		t.Errorf("token list: %s", list)
	}
	s := serving(t, "--warehouse", place)
	line := s.line(t)
	url := strings.TrimSuffix(line[strings.LastIndex(line, " ")+1:], "/")
	bundle := filepath.Join(dir, "night-1")
	_, err := scene.Run{Dir: bundle, ID: "night-1", Launches: scene.Launches([]float64{1, 1.01, .99}), Document: `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: nightly},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if out := at(exitOK, "push", bundle, "--to", url, "--token-file", file); !strings.HasPrefix(out, "kept ") {
		t.Errorf("push: %s", out)
	}
	if out := at(exitOK, "push", bundle, "--to", url, "--token-file", file); !strings.HasPrefix(out, "kept before") {
		t.Errorf("push again: %s", out)
	}
	if out := at(exitOK, "query", "--warehouse", place, "--format", "csv", "SELECT count(*) FROM current_run"); !strings.HasSuffix(out, "1\n") {
		t.Errorf("the warehouse has %s runs", out)
	}
	asksAssistant(t, url+"/mcp", "", http.StatusUnauthorized, "token")
	asksAssistant(t, url+"/mcp", secret, http.StatusOK, `"serverInfo":{"name":"assay"`)
	at(exitUsage, "push", bundle, "--to", "http://bench.example.com", "--token-file", file)
	at(exitUsage, "push", bundle, "--to", url)
	at(exitUsage, "serve", "--addr", "0.0.0.0:0", "--warehouse", place)
	at(exitUsage, "serve", "--tls-cert", "x", "--warehouse", place)
	at(exitUsage, "serve", "--addr", "127.0.0.1:0", "--oidc", filepath.Join(dir, "nothing"), "--warehouse", place)
	at(exitUsage, "serve", "--runs", "kubernetes", "--warehouse", place)
	at(exitUsage, "serve", "--run-target", "127.0.0.1:8000", "--warehouse", place)
	at(exitUsage, "serve", "--runs", "local", "--run-target", "127.0.0.1", "--warehouse", place)
	at(exitUsage, "serve", "--runs", "local", "--run-files", filepath.Join(dir, "nothing"), "--warehouse", place)
	id := strings.Split(secret, "_")[1]
	at(exitOK, "token", "revoke", id, "--warehouse", place)
	at(exitUsage, "token", "revoke", id, "--warehouse", place)
	at(exitUsage, "token", "new", "--name", "x", "--scope", "root", "--warehouse", place)
	if out := at(exitFailed, "push", bundle, "--to", url, "--token-file", file); !strings.Contains(out, "unknown token") {
		t.Errorf("push with a revoked token: %s", out)
	}
	if code := s.stop(); code != exitOK {
		t.Errorf("the server ended with %d", code)
	}
}

// A real Chromium walks every view of a filled dashboard: tests/browser/dashboard.mjs says
// what is tried. The runs are those of a quiet machine, which this one may not be.
func TestDashboard(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits for others
	for _, name := range []string{"node", "chromium"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s on the path: make browser installs it", name)
		}
	}
	if _, err := os.Stat("../../tests/browser/node_modules/playwright-core"); err != nil {
		t.Skip("playwright-core is not installed: make browser installs it")
	}
	place, runs := filepath.Join(t.TempDir(), "warehouse"), t.TempDir()
	keep := []string{"keep", "--warehouse", place}
	for i := range 14 {
		one := fixture.Run{ID: fmt.Sprintf("run-%02d", i), Launches: 3, Seed: uint64(i + 1), Spec: func(r *spec.Run) { r.Metadata.Name = "chat-nightly" }}
		switch {
		case i == 5:
			one.Spec = func(r *spec.Run) { r.Metadata.Name = "summaries" }
		case i > 11:
			one.Baseline.Slow, one.Baseline.Version = 1.5, "0.12.0"
		}
		keep = append(keep, one.Write(t, runs))
	}
	keep = append(keep, fixture.Training{Ranks: 4, Slow: 3 * time.Millisecond}.Write(t, runs), graded(t, runs))
	if out, errs, code := call(t, keep...); code != exitOK {
		t.Fatalf("keep: %d\n%s\n%s", code, out, errs)
	}
	token, err := demoToken(tokens.Open(filepath.Join(place, tokensFile)), tokens.Admin)
	if err != nil {
		t.Fatal(err)
	}
	target := strings.TrimPrefix(simtest.Serve(t, sim.Config{Engine: sim.Engine{Cost: sim.Cost{Base: 2 * time.Millisecond}}}), "http://")
	s := serving(t, "--warehouse", place, "--runs", "local", "--run-target", target)
	defer s.stop()
	line := s.line(t)
	url := strings.TrimSuffix(line[strings.LastIndex(line, " ")+1:], "/")
	waitForAlerts(t, url, token)
	cmd := exec.Command("node", "dashboard.mjs", url, token, target)
	if os.Getenv("ASSAY_SCREENSHOTS") != "" {
		cmd.Args = append(cmd.Args, os.Getenv("ASSAY_SCREENSHOTS"))
	}
	cmd.Dir = "../../tests/browser"
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("node dashboard.mjs: %v\n%s", err, said.String())
	}
	tried := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); tried++ {
		var one struct{ Name, Error string }
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		t.Run(one.Name, func(t *testing.T) {
			if one.Error != "" {
				t.Error(one.Error)
			}
		})
	}
	if tried < 21 {
		t.Errorf("%d things were tried, want 21 or more", tried)
	}
}

// graded is a bundle with scores.
func graded(t *testing.T, dir string) string {
	t.Helper()
	sheet := filepath.Join(t.TempDir(), "sums.jsonl")
	writeSums(t, sheet, 50)
	rows, err := sim.ReadScript(bytes.NewReader(pupil{}.script()))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "graded")
	if _, stderr, code := call(t, "eval", simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{TTFT: 50 * time.Millisecond}, Script: rows}), "--task", "own="+sheet, "--name", "sums", "--quick", "--quiet", "-o", out); code != exitOK {
		t.Fatalf("eval: exit %d\n%s", code, stderr)
	}
	return onlyBundle(t, out)
}

// waitForAlerts waits until the server has looked for changes, of which there is one.
func waitForAlerts(t *testing.T, url, token string) {
	t.Helper()
	for range 300 {
		r, err := http.NewRequestWithContext(t.Context(), "GET", url+"/api/v1/alerts", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Alerts []any }
		err = json.NewDecoder(answer.Body).Decode(&list)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Alerts) > 0 {
			return
		}
		time.Sleep(time.Second)
	}
	t.Fatal("no alert was raised")
}

// pushed is a call of assay push to a server that runs until the test ends.
func pushed(t *testing.T, place, bundle string) []string {
	t.Helper()
	text, err := demoToken(tokens.Open(filepath.Join(place, tokensFile)), tokens.Write)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serving(t, "--warehouse", place)
	t.Cleanup(func() { s.stop() })
	line := s.line(t)
	return []string{"push", "--json", bundle, "--to", line[strings.LastIndex(line, " ")+1:], "--token-file", file}
}

// Twenty who push the same bundle at the same time all end well: one brought it, and to the
// others it is there already.
func TestPushAtOnce(t *testing.T) {
	whole.Only(t)
	dir := t.TempDir()
	place, bundle := filepath.Join(dir, "warehouse"), filepath.Join(dir, "night-1")
	_, err := scene.Run{Dir: bundle, ID: "night-1", Launches: scene.Launches([]float64{1, 1.01, .99}), Document: `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: nightly},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	push := pushed(t, place, bundle)
	type ended struct {
		code        int
		said, fault string
	}
	ends := make(chan ended)
	const pushers = 20
	for range pushers {
		go func() {
			var stdout, stderr bytes.Buffer
			code := Main(t.Context(), Env{Args: push, Stdout: &stdout, Stderr: &stderr, Environ: os.Environ})
			ends <- ended{code, stdout.String(), stderr.String()}
		}()
	}
	brought := 0
	for range pushers {
		e := <-ends
		if e.code != exitOK {
			t.Errorf("exit code %d: %s", e.code, e.fault)
		}
		brought += strings.Count(e.said, `"new": true`)
	}
	out, _, _ := call(t, "query", "--warehouse", place, "--format", "csv", "SELECT count(*) FROM benchmark_run_fact")
	if brought != 1 || !strings.HasSuffix(out, "\n1\n") {
		t.Errorf("%d of them say that it is new, and the warehouse has\n%s\nwant one", brought, out)
	}
}

// The demonstration measures what it says, on a busy machine too, and takes its folder
// along when it ends, also while it still measures: all of its twelve runs are waited for
// where every case is asked for.
func TestServeDemo(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	s := serving(t, "--demo")
	line := s.line(t)
	dir := strings.Fields(line)[1]
	s.line(t)
	kept, want := 0, 3
	if whole.Exhaustive() {
		want = 12
	}
	for range 300 {
		out, _, _ := call(t, "query", "--warehouse", dir, "--format", "csv", "SELECT count(*) FROM benchmark_run_fact")
		_, count, _ := strings.Cut(strings.TrimSpace(out), "\n")
		if kept, _ = strconv.Atoi(count); kept >= want {
			break
		}
		time.Sleep(time.Second)
	}
	if kept < want {
		t.Errorf("the demonstration kept %d runs, want %d", kept, want)
	}
	if code := s.stop(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s is left", dir)
	}
}

// asksAssistant greets the server as a client of the Model Context Protocol does.
func asksAssistant(t *testing.T, url, token string, status int, want string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(
		`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != status || !strings.Contains(string(body), want) {
		t.Errorf("%s: %s, %v, want %d with %q\n%s", url, answer.Status, err, status, want, body)
	}
}

// A server that is asked to end does so at once, also while an assistant holds a stream
// open on which the server may speak.
func TestServeEndsStreams(t *testing.T) {
	place := filepath.Join(t.TempDir(), "warehouse")
	token, err := demoToken(tokens.Open(filepath.Join(place, tokensFile)), tokens.Read)
	if err != nil {
		t.Fatal(err)
	}
	s := serving(t, "--warehouse", place)
	line := s.line(t)
	url := line[strings.LastIndex(line, " ")+1:] + "mcp"
	ask := func(method, session, body string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Mcp-Session-Id", session)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	begun := ask(http.MethodPost, "", `{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}`)
	begun.Body.Close()
	stream := ask(http.MethodGet, begun.Header.Get("Mcp-Session-Id"), "")
	defer stream.Body.Close()
	if stream.StatusCode != http.StatusOK {
		t.Fatalf("the stream: %s", stream.Status)
	}
	asked := time.Now()
	if code := s.stop(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(asked); took > graceful/2 {
		t.Errorf("the server took %v to end, with nothing to answer", took)
	}
}
