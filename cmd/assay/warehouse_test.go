package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/analysis/scene"
	"assay/warehouse"
)

// The verbs of the warehouse, one after the other, as a person uses them.
func TestWarehouseVerbs(t *testing.T) {
	place := filepath.Join(t.TempDir(), "warehouse")
	at := func(want int, args ...string) string {
		t.Helper()
		out, errs, code := call(t, append(args, "--warehouse", place)...)
		if code != want {
			t.Fatalf("%v: exit %d, want %d\n%s\n%s", args, code, want, out, errs)
		}
		return out + errs
	}
	wants := func(text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%q is missing in\n%s", part, text)
			}
		}
	}
	wants(at(exitUsage, "query", "SELECT 1"), "keep a bundle there first")
	wants(at(exitUsage, "keep"), "missing argument: a bundle")

	dir := filepath.Join(t.TempDir(), "night-1")
	_, err := scene.Run{Dir: dir, ID: "night-1", Launches: scene.Launches([]float64{1, 1.01, .99}), Document: `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: nightly},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "changed")
	if err := os.CopyFS(changed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(changed, "spec.yaml"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	// One that was changed is refused, and the other is kept all the same.
	wants(at(exitUnverified, "keep", changed, dir), "kept ", "night-1", "does not verify")
	wants(at(exitOK, "keep", dir), "kept before")
	var answer warehouse.Answer
	if err := json.Unmarshal([]byte(at(exitOK, "query", "--format", "json", "SELECT run_id, name FROM current_run")), &answer); err != nil || len(answer.Rows) != 1 || answer.Rows[0][0] != "night-1" {
		t.Errorf("query: %+v, %v; want night-1", answer, err)
	}
	wants(at(exitUsage, "query", "DELETE FROM stale"), "refused")
	wants(at(exitUsage, "query", "--format", "xml", "SELECT 1"), "want table, csv or json")
	wants(at(exitOK, "history", "ttft"), "ttft.v2 p50", "nightly", "left out")
	wants(at(exitUsage, "history", "nonsense"), "no run has the metric")
	wants(at(exitUsage, "history", "ttft", "--since", "yesterday"), "want a date")
	wants(at(exitOK, "lineage", strings.TrimSpace(strings.Split(at(exitOK, "query", "--format", "csv",
		"SELECT printf('%.1f ms', 1000 * value) FROM metric_fact WHERE metric = 'ttft.v2' AND statistic = 'p50'"), "\n")[1])), "raw/launch-00/requests", "night-1")
	wants(at(exitVerdict, "lineage", "no such words"), "nothing in the warehouse was printed so")
	wants(at(exitUsage, "mark", "night-1", "--as", "accepted"), "--why")
	wants(at(exitUsage, "mark", "night-9", "--as", "accepted", "--why", "x"), "no such run")
	wants(at(exitOK, "mark", "night-1", "--as", "published", "--why", "quoted"), "night-1 is published")
	wants(at(exitOK, "retain", "--dry-run"), "held", "published: quoted", "would drop 0 B")
	wants(at(exitUsage, "retain", "--hot", "0"), "want 1 to 100000")
}
