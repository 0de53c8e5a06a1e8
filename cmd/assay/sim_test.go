package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// runSim starts assay sim on a free port and returns its address and a function
// that stops it and gives back what it wrote to stdout.
func runSim(t *testing.T, args ...string) (url string, stop func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	story, tell := io.Pipe()
	var out bytes.Buffer
	cmd := simCommand(Env{Stdout: &out, Stderr: tell})
	cmd.SetArgs(append([]string{"--addr", "127.0.0.1:0"}, args...))
	ended := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		tell.CloseWithError(err)
		ended <- err
	}()
	line, err := bufio.NewReader(story).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v", err)
	}
	url, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if !found {
		t.Fatalf("got %q, want the line to begin with listening on", line)
	}
	return url, func() string {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("ended with %v, want a clean end", err)
		}
		return out.String()
	}
}

func askSim(t *testing.T, url string) string {
	t.Helper()
	const body = `{"messages":[{"role":"user","content":"hello"}],"max_tokens":4,"ignore_eos":true,"stream":true}`
	resp, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(reply)
}

func TestSimFixed(t *testing.T) {
	truth := filepath.Join(t.TempDir(), "truth.csv")
	url, stop := runSim(t, "--ttft", "5ms", "--itl", "1ms", "--truth", truth, "--log")
	if reply := askSim(t, url); strings.Count(reply, "data: ") != 5 {
		t.Errorf("got %q, want 4 tokens and [DONE]", reply)
	}
	if out := stop(); !strings.Contains(out, "POST /v1/chat/completions 200 ") || !strings.Contains(out, " output=4 complete") {
		t.Errorf("log is %q, want the request in it", out)
	}
	rows, err := os.ReadFile(truth)
	if err != nil || strings.Count(string(rows), "\n") != 6 {
		t.Errorf("truth log %q, %v; want a header and 5 rows", rows, err)
	}
}

func TestSimEngineJSON(t *testing.T) {
	url, stop := runSim(t, "--json", "--launch-noise", "2%", "--launch-seed", "5", "--base", "1ms")
	askSim(t, url)
	printed := stop()
	first, last, _ := strings.Cut(printed, "\n")
	matchesSchema(t, "sim-ready", first)
	matchesSchema(t, "sim-totals", last)
	lines := json.NewDecoder(strings.NewReader(printed))
	var ready struct {
		URL          string
		LaunchFactor float64 `json:"launch_factor"`
	}
	var totals struct {
		Accepted         int
		GenerationTokens int `json:"generation_tokens"`
	}
	if err := lines.Decode(&ready); err != nil || ready.URL != url || ready.LaunchFactor == 1 {
		t.Errorf("first line %+v, %v; want the address %s and a factor that is not 1", ready, err, url)
	}
	if err := lines.Decode(&totals); err != nil || totals.Accepted != 1 || totals.GenerationTokens != 4 {
		t.Errorf("last line %+v, %v; want one request of 4 tokens", totals, err)
	}
}

// once runs assay sim with arguments that make it end by itself.
func once(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := simCommand(Env{Stdout: &out, Stderr: io.Discard})
	root := &cobra.Command{SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(cmd)
	root.SetArgs(append([]string{"sim"}, args...))
	err := root.Execute()
	return out.String(), err
}

func TestSimPrintConfig(t *testing.T) {
	out, err := once(t, "--print-config", "--fault", "crlf:0.5", "--max-seqs", "7")
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if got["max-seqs"] != "7" || got["ttft"] != nil || got["launch-seed"] == "0" {
		t.Errorf("got %v; want max-seqs 7, no ttft in engine mode and the seed that was drawn", got)
	}
	if out, err = once(t, "--print-config", "--ttft", "7ms"); err != nil || !strings.Contains(out, `"ttft": "7ms"`) {
		t.Errorf("got %s, %v; want the fixed schedule", out, err)
	}
}

// Every command line of the guide must be accepted.
func TestSimGuide(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guides/simulator.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(guide)) {
		args, found := strings.CutPrefix(line, "    assay sim")
		if !found {
			continue
		}
		n++
		if out, err := once(t, append(strings.Fields(args), "--print-config")...); err != nil || out == "" {
			t.Errorf("assay sim%s: %q, %v", strings.TrimSpace(args), out, err)
		}
	}
	if n < 4 {
		t.Errorf("found %d command lines in the guide, want at least 4", n)
	}
}

func TestSimListFaults(t *testing.T) {
	if out, err := once(t, "--list-faults"); err != nil || !strings.Contains(out, "\nstall ") {
		t.Errorf("got %q, %v; want the table", out, err)
	}
	out, err := once(t, "--list-faults", "--json")
	var faults []struct{ Name, Doc string }
	if err != nil || json.Unmarshal([]byte(out), &faults) != nil || len(faults) < 50 {
		t.Errorf("got %q, %v; want the table as JSON", out, err)
	}
}

func TestSimMistakes(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--fault", "nonsense"}, "--list-faults"},
		{[]string{"--jitter", "much"}, "--jitter"},
		{[]string{"--kv-blocks", "-1"}, "Engine.KVBlocks"},
		{[]string{"--max-seqs", "0"}, "--max-seqs"},
		{[]string{"--fault-delay", "0"}, "--fault-delay"},
		{[]string{"--base", "0", "--per-prefill-token", "0", "--per-decode", "0"}, "want one above 0"},
		{[]string{"--log", "--json"}, "want one"},
		{[]string{"extra"}, "want none"},
	} {
		_, err := once(t, tt.args...)
		exit, ok := err.(*exitError)
		if !ok || exit.code != exitUsage || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("assay sim %v: %v; want a usage error with %q", tt.args, err, tt.want)
		}
	}
	if _, err := once(t, "--addr", "256.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "--addr") {
		t.Errorf("bad address: %v; want an error that names --addr", err)
	}
}

// A simulator that another program has started ends with it, even if that was
// killed: its standard input ends then.
func TestSimAttached(t *testing.T) {
	cmd := program(t.Context(), "sim", "--addr", "127.0.0.1:0", "--attached", "--json")
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(output)
	var ready struct{ URL string }
	if err := answers.Decode(&ready); err != nil || ready.URL == "" {
		t.Fatalf("not ready: %v", err)
	}
	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	var totals map[string]any
	if err := answers.Decode(&totals); err != nil {
		t.Errorf("no totals at the end: %v", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the simulator ended with %v, want in peace", err)
	}
}
