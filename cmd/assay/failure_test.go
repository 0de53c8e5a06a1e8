package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/bundle"
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
	out := t.TempDir()
	command := []string{"sh", "-c", `timeout 1.5 "$0" sim --addr ADDR; exit 7`, os.Args[0]}
	_, stderr, code := call(t, "run", writeSpec(t, command, "{concurrency: [2], duration: 5s}"), "--out", out)
	if code != exitFailed || !strings.Contains(stderr, "the server ended by itself") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	dir := onlyBundle(t, out)
	checkSealed(t, dir, bundle.Failed, bundle.LaunchFailed)
	text, _, _ := call(t, "report", dir)
	if !strings.Contains(text, "launch 2 is left out of every estimate") {
		t.Errorf("the report hides a failed launch:\n%s", text)
	}
}

// An interrupted run is sealed as aborted, with everything up to then.
func TestInterrupt(t *testing.T) {
	out := t.TempDir()
	cmd := program(t.Context(), "run", writeSpec(t, simulator(), "{concurrency: [4], duration: 30s}"), "--out", out)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
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

// A full disk ends the run with a clear error; the bundle stays readable and is
// recovered once there is room. The disk is a real one of two megabytes, in a
// mount namespace of its own, so that no rights are needed.
func TestDiskFull(t *testing.T) {
	disk := t.TempDir()
	script := `
set -u
mount -t tmpfs -o size=2m none "$DISK" || exit 90
head -c 1500000 /dev/zero > "$DISK/other-peoples-data"
"$ASSAY" run "$SPEC" --out "$DISK/runs"; echo "run: exit $?"
bundle=$(echo "$DISK"/runs/*)
"$ASSAY" report "$bundle" >/dev/null; echo "report: exit $?"
rm "$DISK/other-peoples-data"
"$ASSAY" recover "$bundle"; echo "recover: exit $?"
"$ASSAY" verify "$bundle"; echo "verify: exit $?"
"$ASSAY" report "$bundle" | grep -c "status  *partial"
`
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Env = append(os.Environ(), "DISK="+disk, "ASSAY="+os.Args[0],
		"SPEC="+writeSpec(t, simulator(), "{concurrency: [256], duration: 60s}"))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	begin := time.Now()
	output, err := cmd.CombinedOutput()
	text := string(output)
	if errors.Is(err, syscall.EPERM) {
		t.Skip("this kernel lets nobody make a mount namespace; package bundle fills a disk without one")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, want := range []string{"run: exit 1", "no space left", "assay recover", "report: exit 4", "recover: exit 0", "verify: exit 0"} {
		if !strings.Contains(text, want) {
			t.Errorf("output lacks %q:\n%s", want, text)
		}
	}
	t.Logf("the disk was full, noticed and recovered in %v", time.Since(begin).Round(time.Second))
}
