package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/sim"
	"assay/sim/simtest"
	"assay/suite"
	"assay/tests/whole"
)

// documentOf writes a run spec of one short point against a simulator, and more.
func documentOf(t *testing.T, url, more string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spec.yaml")
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
  spec: {workload: {model: sim}, target: {url: %q}, load: {concurrency: [2], requests: 6, warmup: {}, calibrate: false}, trials: {quick: true}%s}}`, url, more)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func quickServer(t *testing.T) string {
	t.Helper()
	return simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{TTFT: time.Millisecond, ITL: time.Millisecond, Tokens: 4}})
}

// What a document states and no run acts on is named by validate and plan, and in the
// report of the run; what is only a default is not.
func TestUnactedIsNamed(t *testing.T) {
	t.Parallel()
	spec := documentOf(t, quickServer(t), `, automation: {ci: {canary: true}}, sinks: {hotMetrics: {store: prometheus}}`)
	const line = "recorded, not acted on: spec.sinks.hotMetrics.store, spec.automation"
	for _, verb := range []string{"validate", "plan"} {
		if stdout, stderr, code := call(t, verb, spec); code != exitOK || !strings.Contains(stdout, line) {
			t.Errorf("%s: exit %d, no %q:\n%s%s", verb, code, line, stdout, stderr)
		}
	}
	stdout, stderr, code := call(t, "run", "--json", "--out", t.TempDir(), spec)
	var r struct {
		Unacted struct{ Recorded []string }
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != exitOK {
		t.Fatalf("exit %d, %v\n%s", code, err, stderr)
	}
	if want := []string{"spec.sinks.hotMetrics.store", "spec.automation"}; !slices.Equal(r.Unacted.Recorded, want) {
		t.Errorf("the report has %q recorded only, want %q", r.Unacted.Recorded, want)
	}
	if stdout, _, _ := call(t, "validate", documentOf(t, "http://127.0.0.1:1", "")); strings.Contains(stdout, "not acted on") {
		t.Errorf("defaults are called stated:\n%s", stdout)
	}
}

// A local folder gets a copy of the sealed bundle that verifies; another store is
// refused before anything runs, and so is a signature that nobody can give.
func TestSinksAndSigning(t *testing.T) {
	t.Parallel()
	url, archive := quickServer(t), t.TempDir()
	spec := documentOf(t, url, fmt.Sprintf(", sinks: {rawArtifacts: {pathTemplate: %q}}", "file://"+archive+"/raw/${RUN_ID}/"))
	_, stderr, code := call(t, "run", "--out", t.TempDir(), spec)
	copies, err := filepath.Glob(filepath.Join(archive, "raw", "*"))
	if code != exitOK || err != nil || len(copies) != 1 {
		t.Fatalf("exit %d, copies %q, %v\n%s", code, copies, err, stderr)
	}
	if b, err := bundle.OpenVerified(copies[0], bundle.Trust{}); err != nil || !b.Seal.Verified {
		t.Errorf("the copy in %s does not verify: %v", copies[0], err)
	}
	if !strings.Contains(stderr, "copied to "+archive) {
		t.Errorf("the copy is not named:\n%s", stderr)
	}
	for more, want := range map[string]string{
		", sinks: {rawArtifacts: {store: s3}}":                 "spec.sinks.rawArtifacts.store",
		", provenance: {signing: {required: true}}":            "provenance.signing.required is true: pass --key",
		", provenance: {signing: {backend: sigstore}}":         "spec.provenance.signing.backend",
		", provenance: {signing: {attestationFormat: custom}}": "spec.provenance.signing.attestationFormat",
	} {
		out := t.TempDir()
		_, stderr, code := call(t, "run", "--out", out, documentOf(t, url, more))
		if left, _ := os.ReadDir(out); code == exitOK || !strings.Contains(stderr, want) || len(left) > 0 {
			t.Errorf("%s: exit %d, %d files, want %q and nothing run:\n%s", more, code, len(left), want, stderr)
		}
	}
}

// A plan that keeps a frozen workload is shown, and one that does not is refused with
// everything that differs, by run as well.
func TestFrozenWorkload(t *testing.T) {
	t.Parallel()
	frozen := filepath.Join(t.TempDir(), "workload.yaml")
	text := `{apiVersion: assay.dev/v1alpha1, kind: WorkloadSpec, run_metadata: {benchmark_grade: realism},
  workload: {type: inference, name: chat, model: {name: sim, precision: as_served}, batching_policy: {mode: as_served}, concurrency_model: {values: [2]}},
  measurement_policy: {trials: 1, outlier_policy: {method: mad}, confidence_policy: {method: student_t_95_ci}},
  metrics: {primary: ttft_ms}, artifacts: {provenance_signing: {required: false}}}`
	if err := os.WriteFile(frozen, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := call(t, "plan", "--workload", frozen, documentOf(t, "http://127.0.0.1:1", "")); code != exitOK {
		t.Errorf("exit %d for a plan that keeps it:\n%s", code, stderr)
	}
	for _, verb := range []string{"plan", "run"} {
		_, stderr, code := call(t, verb, "--workload", frozen, documentOf(t, "http://127.0.0.1:1", ", comparison: {variableUnderTest: driver_stack}"))
		if want := "spec.comparison.variableUnderTest: got driver_stack, want runtime_version (comparison_axis.variable_under_test)"; code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, want 2 and %q:\n%s", verb, code, want, stderr)
		}
	}
	out := t.TempDir()
	if _, stderr, code := call(t, "run", "--workload", frozen, "--out", out, documentOf(t, quickServer(t), "")); code != exitOK {
		t.Fatalf("exit %d for a run that keeps it:\n%s", code, stderr)
	}
	if stdout, stderr, code := call(t, "claim", onlyBundle(t, out)); !strings.Contains(stdout, "\nclosed division (workload chat)\n") {
		t.Errorf("exit %d, the run is not called closed:\n%s%s", code, stdout, stderr)
	}
	if _, stderr, code := call(t, "plan", "--workload", "../../examples/minimal.yaml", documentOf(t, "http://127.0.0.1:1", "")); code != exitUsage || !strings.Contains(stderr, "want a WorkloadSpec") {
		t.Errorf("another kind of document: exit %d\n%s", code, stderr)
	}
}

// A deep dive reads the host more often than a run by default, in the same time.
func TestProfileDepth(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	readings := func(more string) int {
		out := t.TempDir()
		document := documentOf(t, quickServer(t), ", observability: {"+more+"}")
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		longer := strings.Replace(string(text), "requests: 6", "duration: 1500ms", 1)
		if err := os.WriteFile(document, []byte(longer), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, stderr, code := call(t, "run", "--out", out, document); code != exitOK {
			t.Fatalf("exit %d\n%s", code, stderr)
		}
		dirs, err := filepath.Glob(filepath.Join(out, "*"))
		if err != nil || len(dirs) != 1 {
			t.Fatal(dirs, err)
		}
		b, err := bundle.OpenVerified(dirs[0], bundle.Trust{})
		if err != nil {
			t.Fatal(err)
		}
		times := map[int64]bool{}
		for sample, err := range bundle.Rows[record.Sample](b, 0, bundle.Samples) {
			if err != nil {
				t.Fatal(err)
			}
			if sample.Name == "cpu.user.total" && sample.Source == "host" {
				times[sample.At] = true
			}
		}
		return len(times)
	}
	if deep, minimal := readings("profileDepth: deep_dive"), readings(""); deep <= minimal || minimal == 0 {
		t.Errorf("%d readings in a deep dive, %d without, want more", deep, minimal)
	}
}

// Every preset of assay suite can be named as a suite of a layer: plan and run say which
// command carries it out, and a suite of nobody's is refused.
func TestSuitesOfLayers(t *testing.T) {
	t.Parallel()
	url := quickServer(t)
	of := func(names ...string) string {
		return documentOf(t, url, ", layers: [{name: micro, enabled: true, suites: [{name: "+strings.Join(names, "}, {name: ")+
			"}]}, {name: component, enabled: true, suites: [{name: serving-load}]}, {name: end_to_end, enabled: false, suites: []}]")
	}
	var names []string
	for _, preset := range suite.All {
		names = append(names, preset.Name)
	}
	stdout, stderr, code := call(t, "plan", of(names...))
	for _, name := range names {
		if code != exitOK || !strings.Contains(stdout, "not part of this run: assay suite "+name+"\n") {
			t.Errorf("exit %d, plan does not say how %s is carried out:\n%s", code, name, stderr)
		}
	}
	if !strings.Contains(stdout, "measured by this run") {
		t.Errorf("plan does not say that serving-load is measured:\n%s", stdout)
	}
	if _, stderr, code := call(t, "run", "--out", t.TempDir(), of("tier1")); code != exitOK || !strings.Contains(stderr, "suite tier1 (micro): not part of this run: assay suite tier1") {
		t.Errorf("run: exit %d\n%s", code, stderr)
	}
	if _, stderr, code := call(t, "run", "--out", t.TempDir(), of("unheard-of")); code == exitOK || !strings.Contains(stderr, `spec.layers[0].suites[0]: nothing carries out the suite "unheard-of"`) {
		t.Errorf("run of nobody's suite: exit %d\n%s", code, stderr)
	}
}
