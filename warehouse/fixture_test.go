package warehouse

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"assay/analysis/scene"
	"assay/bundle"
	"assay/judge"
	"assay/record"
)

const document = `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: nightly},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`

var options = judge.Options{Version: "test"}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sealed is a bundle whose three launches are as slow as slow says.
func sealed(t testing.TB, id string, slow float64, env record.Environment) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), id)
	_, err := scene.Run{
		Dir: dir, ID: id, Document: document, Environment: env,
		Launches: []scene.Launch{{Slow: slow, Requests: 8}, {Slow: slow * 1.01, Requests: 8}, {Slow: slow * .99, Requests: 8}},
	}.Build(t.Context())
	must(t, err)
	return dir
}

func machine(driver string) record.Environment {
	env := record.Environment{}
	env.Set("host.name", "node-1")
	env.Set("server.engine", "vllm")
	env.Set("gpu.driver", driver)
	return env
}

func writer(t testing.TB, dir string) *Warehouse {
	t.Helper()
	w, err := OpenWriter(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { must(t, w.Close()) })
	return w
}

func keep(t testing.TB, w *Warehouse, dir string) Kept {
	t.Helper()
	j, err := judge.Open(dir, options)
	must(t, err)
	kept, err := w.Keep(t.Context(), j, time.Now())
	must(t, err)
	return kept
}

// ask is the only cell of an answer, as text.
func ask(t testing.TB, w *Warehouse, statement string) string {
	t.Helper()
	a, err := w.Query(t.Context(), statement, Limit{})
	must(t, err)
	if len(a.Rows) != 1 || len(a.Rows[0]) != 1 {
		t.Fatalf("%s: got %v, want one cell", statement, a.Rows)
	}
	return fmt.Sprint(a.Rows[0][0])
}

// intact checks that everything that the catalogue promises is on the disk and verifies,
// and that nothing half has a name.
func intact(t testing.TB, w *Warehouse) (digests []string) {
	t.Helper()
	a, err := w.Query(t.Context(), `SELECT artifact_manifest_digest FROM benchmark_run_fact ORDER BY 1`, Limit{})
	must(t, err)
	for _, row := range a.Rows {
		digests = append(digests, fmt.Sprint(row[0]))
	}
	stored, err := filepath.Glob(filepath.Join(w.dir, bundlesDir, "??", "*"))
	must(t, err)
	for _, dir := range stored {
		r, err := bundle.Verify(dir)
		if err != nil || !r.Verified || r.Digest != "sha256:"+filepath.Base(dir) {
			t.Errorf("%s does not verify: %v, %v", dir, err, r.Failures())
		}
	}
	for _, digest := range digests {
		if r, err := bundle.Verify(w.place(digest)); err != nil || !r.Verified {
			t.Errorf("the catalogue has %s, which does not verify: %v", digest, err)
		}
	}
	return digests
}
