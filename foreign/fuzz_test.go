package foreign

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"assay/bundle"
)

// Whatever stands in a folder of genai-bench, reading it ends with an import that
// can be written and sealed, or with an error.
func FuzzGenAIBench(f *testing.F) {
	for _, folder := range []string{"errors", "embeddings", "warmup-ms"} {
		meta, err := os.ReadFile(filepath.Join("testdata/genai-bench", folder, genaiMetadataFile))
		if err != nil {
			f.Fatal(err)
		}
		runs, err := filepath.Glob(filepath.Join("testdata/genai-bench", folder, "*_time_*s.json"))
		if err != nil || len(runs) == 0 {
			f.Fatalf("%s: no run (%v)", folder, err)
		}
		_, file, err := readGenaiRun(runs[0])
		if err != nil {
			f.Fatal(err)
		}
		var run map[string]any
		if err := json.Unmarshal(file.Data, &run); err != nil {
			f.Fatal(err)
		}
		run["individual_request_metrics"] = run["individual_request_metrics"].([]any)[:3] // short inputs change sooner
		short, err := json.Marshal(run)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(meta, short)
	}
	f.Add([]byte(`{"task": "text-to-text", "model": "m"}`), []byte(`{"aggregated_metrics": {"scenario": "dataset", "run_duration": 1}, "individual_request_metrics": [{"e2e_latency": 1, "ttft": 0.5}]}`))
	f.Fuzz(func(t *testing.T, meta, run []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{genaiMetadataFile: meta, "D1_1_text-to-text_num_concurrency_1_time_1s.json": run} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		m, err := readGenAIBench([]string{dir})
		if err != nil {
			return
		}
		out := filepath.Join(dir, "out")
		w, p, err := m.Write(t.Context(), Options{Out: out, Now: time.Unix(1_700_000_000, 0)})
		if err != nil {
			if left, _ := os.ReadDir(out); len(left) > 0 {
				t.Errorf("%v left %s behind", err, left[0].Name())
			}
			return
		}
		if _, err := w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{}); err != nil {
			t.Fatal(err)
		}
		b, err := bundle.Open(w.Dir())
		if err != nil {
			t.Fatal(err)
		}
		again := filepath.Join(dir, "again")
		if err := ExportGenAIBench(b, p, 0, again); err != nil {
			return
		}
		if _, err := readGenAIBench([]string{again}); err != nil {
			t.Errorf("what was exported cannot be read: %v", err)
		}
	})
}
