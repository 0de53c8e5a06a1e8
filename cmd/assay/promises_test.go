package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/analysis/scene"
	"assay/bundle"
	"assay/sim"
	"assay/sim/simtest"
	"assay/tests/whole"
)

// A declared baseline is a bundle that is there and verifies, or the run is refused
// before anything is measured; what was found is in the bundle, and another one beside
// it is a finding.
func TestDeclaredBaseline(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	dir := t.TempDir()
	base, other := buildScene(t, dir, "base", scene.Noise(3, 1, .005, 1)), buildScene(t, dir, "other", scene.Noise(3, 1, .005, 2))
	tampered := buildScene(t, dir, "tampered", scene.Noise(3, 1, .005, 3))
	if err := os.WriteFile(filepath.Join(tampered, bundle.SpecFile), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	opened, err := bundle.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{TTFT: 5 * time.Millisecond, ITL: time.Millisecond, Tokens: 4}})
	file := filepath.Join(t.TempDir(), "run.yaml")
	declaring := func(ref string) {
		t.Helper()
		text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: held}, spec: {workload: {model: sim},
comparison: {baseline: {artifactRef: %q}}, target: {url: %q}, load: {concurrency: [1], requests: 8, calibrate: false}}}`, ref, url)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, ref string
		code      int
		want      string
		args      []string
	}{
		{"an id that no run has", "run:nowhere", exitUsage, "spec.comparison.baseline.artifactRef run:nowhere: ", nil},
		{"a digest that no bundle has", "published@sha256:" + strings.Repeat("9f", 32), exitUsage, "no bundle in " + dir + " has this digest", nil},
		{"a path to nothing", "nothing-there", exitUsage, "want a sealed bundle there", nil},
		{"an address", "s3://bucket/base", exitUsage, "reads no such address", nil},
		{"a bundle that was changed", "run:tampered", exitUsage, "does not verify: spec.yaml", nil},
		{"another one than declared", "run:other", exitUsage, "want the one that is declared", []string{"--baseline", base}},
		{"nothing declared", "self", exitUsage, "declares no comparison.baseline", []string{"--baseline", base}},
	} {
		declaring(tt.ref)
		_, stderr, code := call(t, append([]string{"run", file, "--quick", "--out", dir}, tt.args...)...)
		if code != tt.code || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, %s; want %d and %q", tt.name, code, stderr, tt.code, tt.want)
		}
	}
	declaring("published@" + opened.Manifest.Digest)
	_, stderr, code := call(t, "run", file, "--quick", "--out", filepath.Join(dir, "made"), "--baseline", base)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	made := onlyBundle(t, filepath.Join(dir, "made"))
	b, err := bundle.Open(made)
	if err != nil || b.Manifest.Inputs.Baseline == nil || b.Manifest.Inputs.Baseline.Digest != opened.Manifest.Digest {
		t.Errorf("the manifest has %+v as baseline (%v), want %s", b.Manifest.Inputs.Baseline, err, opened.Manifest.Digest)
	}
	for against, want := range map[string]bool{base: false, other: true} {
		stdout, _, _ := call(t, "compare", against, made)
		if got := strings.Contains(stdout, "CAUTION other-baseline"); got != want {
			t.Errorf("beside %s a finding about the baseline is %v, want %v\n%s", filepath.Base(against), got, want, stdout)
		}
	}
}

// Two addresses are not taken for the same hardware because nobody said otherwise.
func TestRemoteHardware(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	remote := func(id, host, system string) string {
		return buildScene(t, dir, id, scene.Noise(3, 1, .005, uint64(len(id))), "http://127.0.0.1:8101", "http://"+host+":8000", `server: {command: [engine, --version, "1"]}`, "system: {"+system+"}")
	}
	h100, again := remote("h100", "a.example", "engine: vllm, gpuType: H100, gpuCount: 8"), remote("h100-b", "b.example", "engine: vllm, gpuType: H100, gpuCount: 8")
	a100 := remote("a100-bb", "c.example", "engine: vllm, gpuType: A100, gpuCount: 8")
	silent, mute := remote("silent-x", "d.example", ""), remote("mute-xxxx", "e.example", "")
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"the same declared", []string{h100, again}, exitOK, "CONTROLLED"},
		{"H100 and A100", []string{h100, a100}, exitVerdict, "spec.target.system.gpuType: H100 → A100"},
		{"H100 and A100 is the question", []string{h100, a100, "--variable", "hardware_generation"}, exitOK, "CONTROLLED, only hardware_generation differs"},
		{"nobody declared", []string{silent, mute}, exitVerdict, "spec.target.system.gpuType: not known → not known"},
	} {
		stdout, stderr, code := call(t, append([]string{"compare", "--policy", "publication"}, tt.args...)...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", tt.name, code, tt.code, tt.want, stdout, stderr)
		}
	}
}

// A stated number is held against the bundle's.
func TestStatedNumber(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base := buildScene(t, dir, "base", scene.Noise(3, 1, .005, 1))
	for statement, want := range map[string]string{
		"{metric: output_throughput, value: 140000, interval: [135000, 145000], n: 3}": "stated-value",
		"{metric: e2e, statistic: p99, value: 0.1, interval: [0.05, 0.15], n: 3}":      "uncertified-percentile",
	} {
		file := filepath.Join(dir, "stated.yaml")
		if err := os.WriteFile(file, []byte("{version: \"1.0\", statements: ["+statement+"]}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, code := call(t, "lint", base, "--statements", file)
		if code != exitVerdict || !strings.Contains(stdout, "VOID     "+want) {
			t.Errorf("%s: exit %d, want %d and a void %s\n%s%s", statement, code, exitVerdict, want, stdout, stderr)
		}
	}
}
