package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/spec"
)

// What init writes, validate accepts.
func TestInit(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"--minimal"},
		{"--minimal", "--type", "training"},
		{"--class", "realism_grade", "--type", "mixed", "--cadence", "canary", "--scheduler-path", "kueue"},
		{"--name", "x", "--model", "m", "--precision", "fp8", "--concurrency-model", "open_loop", "--url", "https://h/v1"},
		{"--set", "comparisonVariable=storage_stack"},
		{"--kind", "workloadspec", "--type", "training"},
	} {
		code, document, stderr := executeVerb(t, initCommand, "", args...)
		if code != exitOK {
			t.Errorf("init %v: exit code %d, want 0: %s", args, code, stderr)
			continue
		}
		if code, stdout, stderr := executeVerb(t, validateCommand, document, "-"); code != exitOK {
			t.Errorf("init %v wrote an invalid document: %s%s", args, stdout, stderr)
		}
	}
}

func TestInitRefuses(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		code, _, stderr := executeVerb(t, initCommand, "", args...)
		if code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("init %v: exit code %d, %q; want 2, %q", args, code, stderr, want)
		}
	}
	f("cadence must be one of: canary, nightly, pre_release", "--cadence", "weekly")
	f("Unknown BenchmarkRun generator field: colour", "--set", "colour=red")
	f("want FIELD=VALUE", "--set", "colour")
	f("want benchmarkrun or workloadspec", "--kind", "pod")
	f("declares everything", "--minimal", "--class", "publication_grade")
	f("got argument", "x")
}

func TestInitOut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.yaml")
	if code, stdout, stderr := executeVerb(t, initCommand, "", "--out", file); code != exitOK || stdout != "" {
		t.Fatalf("exit code %d, want 0 and no output: %s%s", code, stdout, stderr)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	if code, _, _ := executeVerb(t, initCommand, "", "--out", file); code != exitFailed {
		t.Errorf("an existing file: exit code %d, want 1", code)
	}
}

func TestInitJSON(t *testing.T) {
	_, stdout, _ := executeVerb(t, initCommand, "", "--json", "--name", "x")
	var r spec.Rendering
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.AppliedValues["name"] != "x" || !strings.Contains(r.RenderedYAML, "name: x") {
		t.Errorf("got %+v, %v", r, err)
	}
}
