package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What people decide about results is asked for with a reason, and what is no evidence
// is refused by those who judge.
func TestActs(t *testing.T) {
	dir := t.TempDir()
	form := filepath.Join(dir, "intake.yaml")
	triage := filepath.Join(dir, "perf_triage_x")
	if err := os.MkdirAll(triage, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(triage, "triage.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"accept without a reason", []string{"suite", "accept", "a", "-o", dir}, exitUsage, "--why"},
		{"accept what is not there", []string{"suite", "accept", "a", "-o", dir, "--why", "x"}, exitUsage, "run a"},
		{"smoke of tier1", []string{"suite", "tier1", "--smoke", "--run-id", "s", "-o", dir, "--python", "/nonexistent"}, exitOK, "smoke: nothing is measured"},
		{"tier1 by another name", []string{"bench", "run-tier1", "--smoke", "--run-id", "t", "-o", dir, "--python", "/nonexistent"}, exitOK, "no Python with torch was found"},
		{"run by another name", []string{"bench", "run", filepath.Join(dir, "nothing.yaml")}, exitUsage, "nothing.yaml"},
		{"promote without a reason", []string{"promote", triage, "--to", dir}, exitUsage, "--why"},
		{"promote a triage", []string{"promote", triage, "--to", dir, "--why", "x"}, exitUsage, "no evidence"},
		{"cordon without a reason", []string{"cordon", "gpu1", "--evidence", triage}, exitUsage, "--why"},
		{"cordon without evidence", []string{"cordon", "gpu1", "--why", "x"}, exitUsage, "--evidence"},
		{"cordon by a triage", []string{"cordon", "gpu1", "--why", "x", "--evidence", triage}, exitUsage, "no evidence"},
		{"uncordon without a bundle", []string{"uncordon", "gpu1", "--why", "x"}, exitUsage, "--verified"},
		{"suite of one host", []string{"suite", "micro", "--hosts", "a", "--smoke", "-o", dir, "--python", "/nonexistent"}, exitUsage, "want two or more"},
		{"claim from a triage", []string{"claim", triage}, exitUsage, "no evidence"},
		{"the form", []string{"intake", "--out", form}, exitOK, ""},
		{"the form is empty", []string{"validate", form}, exitUsage, "primaryKPI"},
		{"triage of nothing", []string{"triage", "x"}, exitUsage, "want none before --"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := call(t, tt.args...)
			if code != tt.code || !strings.Contains(stdout+stderr, tt.want) {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, tt.code, tt.want, stdout, stderr)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "tier1", "index.json")); err == nil {
		t.Error("a smoke run is in the history")
	}
}
