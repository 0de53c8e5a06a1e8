package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The forms of data sets that genai-bench takes are read as they are and named by
// their content.
func TestDataset(t *testing.T) {
	dir := t.TempDir()
	f := func(name, text string, args ...string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		asked := wantMade(t, nil, with(append([]string{"--dataset-path", path}, args...)...)...)
		w := asked.Run.Spec.Workload
		if w.Prompt.Dataset == nil || w.Prompt.Dataset.Path != path || !strings.HasPrefix(w.DatasetRef, "sha256:") || w.Prompt.Scenarios != nil {
			t.Errorf("%s: data set %+v, content %s, scenarios %v", name, w.Prompt.Dataset, w.DatasetRef, w.Prompt.Scenarios)
		}
		if eos := asked.Run.Spec.Load.IgnoreEOS; eos == nil || *eos {
			t.Errorf("%s: answers go on after their end", name)
		}
	}
	f("a.txt", "one\ntwo\n")
	f("a.csv", "question,n\none,1\n", "--dataset-prompt-column", "question")
	f("a.json", `["one", "two"]`)
	f("a.jsonl", "{\"prompt\": \"one\"}\n", "--traffic-scenario", "dataset")
	_, err := made(t, nil, with("--dataset-path", filepath.Join(dir, "a.txt"), "--traffic-scenario", "D(9,9)")...)
	if err == nil || !strings.Contains(err.Error(), "got D(9,9) beside --dataset-path, want dataset") {
		t.Errorf("a scenario beside a data set: %v", err)
	}
}
