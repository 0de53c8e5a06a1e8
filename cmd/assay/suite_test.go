package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestSuites(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"the list", []string{"suite"}, exitOK, "multinode-readiness"},
		{"smoke", []string{"suite", "all", "--smoke", "--run-id", "a", "-o", dir}, exitOK, "smoke: nothing is measured"},
		{"a run id twice", []string{"suite", "micro", "--smoke", "--run-id", "a", "-o", dir}, exitUsage, "used once"},
		{"by the name of evaluations", []string{"cluster", "common-eval", "--preset", "modern-llm", "--mode", "smoke", "--run-id", "b", "-o", dir}, exitOK, "nccl_algo_comparison"},
		{"readiness of one host", []string{"cluster", "common-eval", "--preset", "multinode-readiness"}, exitOK, "not_applicable"},
		{"readiness of two without an interface", []string{"cluster", "common-eval", "--preset", "multinode-readiness", "--hosts", "a,b"}, exitUsage, "interface_binding_explicit"},
		{"labels twice", []string{"cluster", "common-eval", "--hosts", "a,b", "--labels", "x,x"}, exitUsage, `"x" twice`},
		{"no such preset", []string{"suite", "evrything"}, exitUsage, "want one of micro"},
		{"no such size", []string{"suite", "micro", "--size", "huge"}, exitUsage, "quick, fast or full"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := append(tt.args, "--python", "/nonexistent/python")
			if len(tt.args) == 1 {
				args = tt.args
			}
			stdout, stderr, code := call(t, args...)
			if code != tt.code || !strings.Contains(stdout+stderr, tt.want) {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, tt.code, tt.want, stdout, stderr)
			}
		})
	}
	for _, file := range []string{"scorecard.json", "suite_steps.json", "specs/vllm_serve_sweep.yaml"} {
		if matches, _ := filepath.Glob(filepath.Join(dir, "a", file)); len(matches) != 1 {
			t.Errorf("no %s", file)
		}
	}
}

// A study of training is one spec: sizes, base and launches are those of the flags,
// everything else that of the file.
func TestScaleRunSpec(t *testing.T) {
	stdout, stderr, code := call(t, "scale", "run", "--ranks", "1,2,4", "--kind", "weak", "--launches", "5", "--steps", "7", "--print-spec")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"ranks: [1, 2, 4]", "scaling: weak", "single: true", "minReplicates: 5", "steps: 7"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	for _, bad := range [][]string{{"--ranks", "2"}, {"--ranks", "1,2", "--launches", "1"}, {"--ranks", "1,2", "--kind", "sideways"}, {"--spec", "../../examples/minimal.yaml"}} {
		if _, _, code := call(t, append([]string{"scale", "run", "--print-spec"}, bad...)...); code != exitUsage {
			t.Errorf("%v: exit code %d, want 2", bad, code)
		}
	}
}
