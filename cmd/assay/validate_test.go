package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// executeVerb runs one verb by itself and returns its exit code and what it
// printed.
func executeVerb(t *testing.T, verb func(Env) *cobra.Command, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	env := Env{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, Environ: func() []string { return nil }}
	cmd := verb(env)
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.Execute()
	if err == nil {
		return exitOK, out.String(), errs.String()
	}
	return codeOf(err), out.String(), errs.String() + err.Error()
}

func exampleFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(files) < 8 {
		t.Fatalf("found %d examples, %v; want at least 8", len(files), err)
	}
	return files
}

func TestValidateExamples(t *testing.T) {
	code, stdout, stderr := executeVerb(t, validateCommand, "", exampleFiles(t)...)
	if code != exitOK {
		t.Errorf("exit code %d, want 0:\n%s%s", code, stdout, stderr)
	}
	if got := strings.Count(stdout, ": valid "); got != len(exampleFiles(t)) {
		t.Errorf("%d files are said to be valid, want %d:\n%s", got, len(exampleFiles(t)), stdout)
	}
}

// All faults of all files, readable or not, come in one go.
func TestValidateReportsEverything(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.yaml")
	if err := os.WriteFile(bad, []byte("apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: x}\nspec: {seed: -1, colour: red}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing.yaml")
	good := "../../examples/minimal.yaml"

	code, stdout, _ := executeVerb(t, validateCommand, "", bad, missing, good)
	if code != exitUsage {
		t.Errorf("exit code %d, want 2", code)
	}
	for _, want := range []string{
		bad + ":4:1: spec.workload.model: got nothing, ", bad + ":4:14: spec.seed: got -1, want at least 1",
		bad + `:4:18: spec.colour: got the unknown field "colour"`, missing + ":1:1: document: got open ",
		bad + ": invalid, 3 faults\n", missing + ": invalid, 1 fault\n", good + ": valid BenchmarkRun minimal"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("stdout has no %q:\n%s", want, stdout)
		}
	}
}

func TestValidateJSON(t *testing.T) {
	code, stdout, _ := executeVerb(t, validateCommand, "spec: [", "--json", "../../examples/publication-inference.yaml", "-")
	var results []validation
	if err := json.Unmarshal([]byte(stdout), &results); err != nil || len(results) != 2 {
		t.Fatalf("got %d results, %v; want 2:\n%s", len(results), err, stdout)
	}
	if code != exitUsage || !results[0].Valid || results[1].Valid || len(results[1].Faults) != 1 {
		t.Errorf("exit code %d, results %+v; want 2, one valid and one not", code, results)
	}
	s := results[0].Summary
	if s == nil || s.BenchmarkClass != "publication_grade" || !slices.Equal(s.EnabledLayers, []string{"micro", "component", "end_to_end"}) || !s.CISchedule["preRelease"] {
		t.Errorf("summary = %+v", s)
	}
	for _, key := range []string{"name", "benchmark_class", "workload_type", "variable_under_test", "enabled_layers",
		"scheduler_path", "hot_metrics_store", "warehouse_store", "ci_schedule"} {
		if !strings.Contains(stdout, `"`+key+`"`) {
			t.Errorf("the summary has no %s", key)
		}
	}
}

// A baseline named by path must exist; publication grade cannot do without.
func TestValidateResolvesArtifacts(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("../../examples/publication-inference.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "run.yaml")
	changed := strings.Replace(string(text), "artifactRef: self", "artifactRef: runs/before", 1)
	if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := executeVerb(t, validateCommand, "", file)
	if want := `spec.comparison.candidate.artifactRef: got "runs/before", want a file or directory that exists`; code != exitUsage || !strings.Contains(stdout, want) {
		t.Errorf("exit code %d, want 2 and %s:\n%s", code, want, stdout)
	}
	if err := os.MkdirAll(filepath.Join(dir, "runs/before"), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := executeVerb(t, validateCommand, "", file); code != exitOK {
		t.Errorf("exit code %d, want 0:\n%s", code, stderr)
	}
}

func TestValidateRules(t *testing.T) {
	code, stdout, _ := executeVerb(t, validateCommand, "", "--rules")
	for _, id := range []string{"C1 ", "C27 ", "C63 ", "A4 ", "W1 "} {
		if !strings.Contains(stdout, "\n"+id) && !strings.HasPrefix(stdout, id) {
			t.Errorf("no rule %s in\n%s", id, stdout)
		}
	}
	if code != exitOK {
		t.Errorf("exit code %d, want 0", code)
	}
	if code, _, stderr := executeVerb(t, validateCommand, ""); code != exitUsage || !strings.Contains(stderr, "want at least one") {
		t.Errorf("no file: exit code %d, want 2: %s", code, stderr)
	}
}
