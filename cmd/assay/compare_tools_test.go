package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/analysis/scene"
)

// Results of two tools, or of two runs of one that describes no machine, may be
// laid side by side, but never as controlled; what the tools mean is named.
func TestCompareAcrossTools(t *testing.T) {
	t.Parallel()
	_, theirs := importJSON(t, genaiErrors)
	_, again := importJSON(t, "--name", "again", genaiErrors)
	native := nativeBundle(t)
	read := func(args ...string) compare.Comparison {
		t.Helper()
		stdout, stderr, code := call(t, append([]string{"compare", "--json"}, args...)...)
		if code != exitOK {
			t.Fatalf("exit %d\n%s", code, stderr)
		}
		matchesSchema(t, "compare", stdout)
		var r compare.Report
		if err := json.Unmarshal([]byte(stdout), &r); err != nil {
			t.Fatal(err)
		}
		return r.Comparisons[0]
	}
	if c := read(theirs, again); c.Controlled || len(c.Definitions) > 0 || len(c.Rows) == 0 {
		t.Errorf("two imports of one tool: controlled %v, %d definitions, %d rows; want exploratory without definitions", c.Controlled, len(c.Definitions), len(c.Rows))
	}
	c := read(native, theirs)
	if c.Controlled || len(c.Definitions) == 0 || c.Others[0].Path != "source" {
		t.Errorf("beside an import: controlled %v, %d definitions, first difference %+v; want exploratory because of the source", c.Controlled, len(c.Definitions), c.Others)
	}
	for _, format := range []string{"text", "md"} {
		stdout, _, code := call(t, "compare", "--format", format, native, theirs)
		for _, want := range []string{"EXPLORATORY", "what the tools mean", "a new connection for each request is inside", "when the request was due"} {
			if code != exitOK || !strings.Contains(stdout, want) {
				t.Errorf("%s: exit %d, no %q in\n%s", format, code, want, stdout)
			}
		}
	}
	if _, _, code := call(t, "compare", "--policy", "publication", native, theirs); code != exitVerdict {
		t.Errorf("--policy publication: exit %d, want %d", code, exitVerdict)
	}
}

// nativeBundle is a run by assay at the same load.
func nativeBundle(t *testing.T) string {
	t.Helper()
	b, err := scene.Run{
		Dir: filepath.Join(t.TempDir(), "native"), ID: "native", Launches: scene.Launches([]float64{1, 1.01, .99}),
		Document: `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: native}
spec:
  workload: {model: m}
  target: {url: "http://127.0.0.1:8000"}
  load: {concurrency: [8]}
`,
	}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b.Dir
}
