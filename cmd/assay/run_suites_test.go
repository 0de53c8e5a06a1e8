package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"assay/sim"
	"assay/sim/simtest"
	"assay/tests/whole"
)

// A repoCommand is a command of assay with its variables filled in, or is left to people.
func TestOwnCommand(t *testing.T) {
	root := &cobra.Command{Use: "assay"}
	addCommands(root, Env{})
	known := map[string]string{"HOSTS": "a,b", "EVIL": "x --out /etc"}
	lookup := func(name string) (string, bool) { v, ok := known[name]; return v, ok }
	for _, tt := range []struct {
		text, fault string
		want        []string
	}{
		{"assay probe disk", "", []string{"probe", "disk"}},
		{"cluster common-eval --hosts ${HOSTS}", "", []string{"cluster", "common-eval", "--hosts", "a,b"}},
		{"probe ${EVIL}", "", []string{"probe", "x --out /etc"}}, // one word stays one
		{"probe --run-id ${RUN_ID}", "set RUN_ID", nil},
		{"sh -c true", "is no command of assay", nil},
		{"add spec.target and spec.load", "is no command of assay", nil},
		{"", "is no command of assay", nil},
		{"retain --apply", "measures nothing", nil},
		{"suite accept x", "measures nothing", nil},
		{"cordon node7 --why slow", "measures nothing", nil},
		{"run other.yaml --suites", "leave --suites out", nil},
		{"run other.yaml --suites=true", "leave --suites out", nil},
	} {
		got, err := ownCommand(root, tt.text, lookup)
		if !slices.Equal(got, tt.want) || (err == nil) != (tt.fault == "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
			t.Errorf("%q: %q, %v; want %q, %q", tt.text, got, err, tt.want, tt.fault)
		}
	}
}

// A document with layers runs what it is, then each other suite, and names the one that
// cannot be run; the run itself is in the warehouse.
func TestRunSuites(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	dir := t.TempDir()
	url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{}})
	document := filepath.Join(dir, "layers.yaml")
	text := strings.ReplaceAll(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: layers}
spec:
  layers:
    - {name: micro, enabled: true, suites: [{name: gemm, repoCommand: "probe memory --duration 20ms --replicates 3 --threads 1 --quick"}, {name: elsewhere, repoCommand: "make bench"}, {name: ../outside, repoCommand: "probe memory"}]}
    - {name: component, enabled: false, suites: [{name: dataloader}]}
    - {name: end_to_end, enabled: true, suites: [{name: serving-load}]}
  workload: {model: sim}
  target: {url: "URL"}
  load: {concurrency: [2], duration: 500ms, warmup: {duration: 100ms}}
  trials: {minReplicates: 3}
`, "URL", url)
	if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, place := filepath.Join(dir, "runs"), filepath.Join(dir, "warehouse")
	stdout, stderr, code := call(t, "run", document, "--quick", "--suites", "--keep", "--warehouse", place, "--out", out)
	if code != exitFailed || !strings.Contains(stderr, `suite elsewhere: "make bench" is no command of assay`) {
		t.Fatalf("exit %d, want %d with the suite that nobody ran\n%s\n%s", code, exitFailed, stdout, stderr)
	}
	if outside, _ := filepath.Glob(filepath.Join(dir, "outside")); len(outside) != 0 || !strings.Contains(stderr, "suite ../outside: its name is that of its folder") {
		t.Errorf("a suite left the folder of the run\n%s", stderr)
	}
	if found, _ := filepath.Glob(filepath.Join(out, "gemm", "*", "manifest.json")); len(found) != 1 {
		t.Errorf("%d bundles of the suite gemm, want one\n%s\n%s", len(found), stdout, stderr)
	}
	if found, _ := filepath.Glob(filepath.Join(out, "dataloader", "*")); len(found) != 0 {
		t.Error("a suite of a layer that is not enabled was run")
	}
	if stdout, stderr, code := call(t, "query", "SELECT count(*) FROM current_run", "--warehouse", place, "--format", "csv"); code != exitOK || !strings.Contains(stdout, "1") {
		t.Errorf("the warehouse holds %q, want the run\n%s", stdout, stderr)
	}
}
