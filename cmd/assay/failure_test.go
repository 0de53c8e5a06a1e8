package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"assay/bundle"
	"assay/tests/whole"
)

// writeSpec writes a small document whose server is the given command, with the
// placeholder ADDR replaced by a free address, and returns its path.
func writeSpec(t *testing.T, command []string, load string) string {
	t.Helper()
	source, err := demoSource("1s", 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	addr := between(t, string(source), "url: http://", "\n")
	text := fmt.Sprintf("{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: failing},\n"+
		"spec: {workload: {model: sim, sequenceLengthMix: [{inputTokens: 8, outputTokens: 50, weight: 1}]},\n"+
		"  target: {url: \"http://%s\"", addr)
	if command != nil {
		var quoted []string
		for _, word := range command {
			quoted = append(quoted, fmt.Sprintf("%q", strings.ReplaceAll(word, "ADDR", addr)))
		}
		text += fmt.Sprintf(", server: {ready: {timeout: 10s, interval: 20ms}, command: [%s]}", strings.Join(quoted, ", "))
	}
	text += fmt.Sprintf("}, load: {calibrate: false, %s}}\n", strings.TrimPrefix(load, "{"))
	path := filepath.Join(t.TempDir(), "failing.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// simulator is the command of a server that is always well.
func simulator() []string { return []string{os.Args[0], "sim", "--addr", "ADDR"} }

func onlyBundle(t *testing.T, out string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(list) != 1 {
		t.Fatalf("bundles %v, %v; want one", list, err)
	}
	return list[0]
}

func TestDeadServer(t *testing.T) {
	out := t.TempDir()
	_, stderr, code := call(t, "run", writeSpec(t, nil, "{concurrency: [1]}"), "--out", out)
	if code != exitFailed || !strings.Contains(stderr, "start the server") {
		t.Errorf("exit %d, stderr %q; want exit %d and advice", code, stderr, exitFailed)
	}
	if list, _ := filepath.Glob(filepath.Join(out, "*")); len(list) != 0 {
		t.Errorf("a run that never began left %v", list)
	}
}

func TestServerThatCannotStart(t *testing.T) {
	whole.Only(t)
	tests := []struct {
		name    string
		command []string
		reason  string
	}{
		{"no such program", []string{"does-not-exist"}, "does-not-exist"},
		{"ends at once", []string{"sh", "-c", "echo out of memory; exit 3"}, "exit status 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := t.TempDir()
			_, stderr, code := call(t, "run", writeSpec(t, tt.command, "{concurrency: [1]}"), "--out", out)
			if code != exitFailed || !strings.Contains(stderr, tt.reason) {
				t.Errorf("exit %d, stderr %q; want exit %d and %q", code, stderr, exitFailed, tt.reason)
			}
			checkSealed(t, onlyBundle(t, out), bundle.Failed, bundle.LaunchFailed)
		})
	}
}

// A server that dies in mid-run fails its launch, not the record of it.
func TestServerDies(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	out := t.TempDir()
	command := []string{"sh", "-c", `timeout 1.5 "$0" sim --addr ADDR; exit 7`, os.Args[0]}
	_, stderr, code := call(t, "run", writeSpec(t, command, "{concurrency: [2], duration: 5s}"), "--out", out)
	if code != exitFailed || !strings.Contains(stderr, "the server ended by itself") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	dir := onlyBundle(t, out)
	checkSealed(t, dir, bundle.Failed, bundle.LaunchFailed)
	text, _, _ := call(t, "report", "--all", dir)
	if !strings.Contains(text, "launch 3 is left out of every estimate") {
		t.Errorf("the report hides a failed launch:\n%s", text)
	}
}

// An interrupted run is sealed as aborted, with everything up to then.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	cmd := program(t.Context(), "run", writeSpec(t, simulator(), "{concurrency: [4], duration: 30s}"), "--out", out)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	underway(t, out)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit %d (%v), want 130\n%s", code, err, stderr.String())
	}
	checkSealed(t, onlyBundle(t, out), bundle.Aborted, bundle.LaunchAborted)
}

// checkSealed verifies a bundle and what it says of its first launch.
func checkSealed(t *testing.T, dir string, status bundle.Status, outcome bundle.LaunchOutcome) {
	t.Helper()
	if stdout, stderr, code := call(t, "verify", dir); code != exitOK {
		t.Errorf("verify: exit %d\n%s\n%s", code, stdout, stderr)
	}
	b, err := bundle.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	launches := b.Launches()
	if b.Manifest.Status != status || len(launches) == 0 || launches[0].Outcome != outcome || launches[0].Reason == "" {
		t.Errorf("status %s, launches %+v; want %s with a launch %s and its reason", b.Manifest.Status, launches, status, outcome)
	}
}
