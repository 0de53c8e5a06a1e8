package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Peers that are not there, or fail, are told and skipped; assay's own row stands.
func TestComparePeersSkips(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "guidellm", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "guidellm"), []byte("#!/bin/sh\necho it broke >&2\nexit 4\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := call(t, "calibrate", "--peers", "--peers-dir", dir, "--streams", "2", "--rounds", "2",
		"--ttft", "5ms", "--itl", "1ms", "--tokens", "10")
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, want := range []string{
		"truth: 5ms, then 1ms × 9", "TTFT p50", "every gap",
		"2 streams, genai-bench, trial 1 was skipped: not installed (make peers)",
		"2 streams, guidellm, trial 1 was skipped: exit status 4: …it broke",
		"aiperf  skipped", "vllm  skipped",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, stdout)
		}
	}
	if n := strings.Count(stdout, "×"); n != 5 { // one in the heading, four ratios of assay
		t.Errorf("%d ratios, want four:\n%s", n-1, stdout)
	}
}
