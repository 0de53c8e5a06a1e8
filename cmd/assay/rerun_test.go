package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/run/packing"
	"assay/sim"
	"assay/sim/simtest"
	"assay/tests/whole"
)

const rerunPrompts = `{"prompt": "What is the capital of France?"}
{"prompt": "Name a colour of the rainbow."}
`

// measuredFrom runs a spec whose prompts are a file of the folder home, and returns the
// bundle.
func measuredFrom(t *testing.T, home, provenance string) string {
	t.Helper()
	url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{TTFT: 5 * time.Millisecond, ITL: time.Millisecond, Tokens: 8}})
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: prompts},
spec: {workload: {model: sim, sequenceLengthMix: [{inputTokens: 8, outputTokens: 8, weight: 1}], datasetRef: "prompts@sha256:%x", prompt: {dataset: {path: data/prompts.jsonl, shuffle: false}}},
  trials: {quick: true}, target: {url: %q}, load: {calibrate: false, concurrency: [1], duration: 5m, requests: 4, warmup: {requests: 1}}%s}}`, sha256.Sum256([]byte(rerunPrompts)), url, provenance)
	writeTree(t, home, map[string]string{"data/prompts.jsonl": rerunPrompts, "spec.yaml": text})
	cmd := program(t.Context(), "run", "spec.yaml", "--out", "runs", "--progress", "none")
	cmd.Dir = home
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("run: %v\n%s", err, out)
	}
	return onlyBundle(t, filepath.Join(home, "runs"))
}

func writeTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// rerunIn calls assay rerun from a folder.
func rerunIn(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := program(t.Context(), append([]string{"rerun"}, args...)...)
	cmd.Dir = dir
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit code says it
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// A bundle with its data is made again on a machine that has nothing else, and compared.
func TestRerun(t *testing.T) {
	t.Parallel()
	original := measuredFrom(t, t.TempDir(), ", provenance: {inputs: {data: true}}")
	empty := t.TempDir()
	if _, stderr, code := rerunIn(t, empty, original); code != exitUsage || !strings.Contains(stderr, "--trust-spec") {
		t.Errorf("a stranger's spec: exit %d, want %d and how to trust it:\n%s", code, exitUsage, stderr)
	}
	stdout, stderr, code := rerunIn(t, empty, "--trust-spec", original)
	if code != exitOK {
		t.Fatalf("rerun: exit %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{"pass  same  data     data/prompts.jsonl", "pass  same  plan     workload", "beside", "CONTROLLED"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("rerun does not say %q:\n%s", want, stdout)
		}
	}
	writeTree(t, original, map[string]string{"inputs/00-prompts.jsonl": "{}"})
	if _, _, code := rerunIn(t, empty, "--check", original); code != exitUnverified {
		t.Errorf("a copy that was changed: exit %d, want %d", code, exitUnverified)
	}
}

// Without a copy the data must be found, and must be the same.
func TestRerunChecks(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	home := t.TempDir()
	original := measuredFrom(t, home, "")
	f := func(name string, want packing.State, code int, prompts string, args ...string) {
		t.Helper()
		dir := t.TempDir()
		if prompts != "" {
			writeTree(t, dir, map[string]string{"data/prompts.jsonl": prompts})
		}
		stdout, stderr, got := rerunIn(t, dir, append([]string{"--check", "--json", original}, args...)...)
		var answer rerunAnswer
		if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
			t.Fatalf("%s: %v\n%s%s", name, err, stdout, stderr)
		}
		if got != code || answer.Passed != (code == exitOK) {
			t.Errorf("%s: exit %d, passed %v; want exit %d", name, got, answer.Passed, code)
		}
		for _, v := range answer.Inputs {
			if v.Kind == "data" && (v.State != want || v.Was == "" || want != packing.Missing && v.Is == "") {
				t.Errorf("%s: %+v, want it %s, with both digests", name, v, want)
			}
		}
	}
	f("nothing is there", packing.Missing, exitVerdict, "")
	f("it is in another folder", packing.Same, exitOK, "", "--inputs", home)
	f("it is here", packing.Same, exitOK, rerunPrompts)
	f("it is another", packing.Different, exitVerdict, `{"prompt": "Something else?"}`)
	if left, _ := filepath.Glob(filepath.Join(original, "inputs", "*")); len(left) > 0 {
		t.Errorf("data were copied unasked: %v", left)
	}
	if stdout, _, _ := call(t, "plan", filepath.Join(home, "spec.yaml")); !strings.Contains(stdout, "data/prompts.jsonl") || !strings.Contains(stdout, "goes into the bundle") {
		t.Errorf("the plan does not say what goes into the bundle:\n%s", stdout)
	}
}
