package scorer

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/spec"
	"assay/tests/whole"
)

// adapters is the folder of the reference adapters.
func adapters(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../workers/scorers")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// python finds one that can import module. Tests start it with -B: it leaves no bytecode in
// the tree.
func python(t *testing.T, module string) string {
	t.Helper()
	for _, path := range []string{"/usr/bin/python3", "python3"} {
		if exec.CommandContext(t.Context(), path, "-c", "import "+module).Run() == nil {
			return path
		}
	}
	t.Skipf("no Python with %s: pip install it into the environment that ASSAY_PYTHON names", module)
	return ""
}

// The lines of the adapters: what libraries print does not disturb, an item and a batch
// may fail by themselves, and NaN is no score.
func TestAdapterLines(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "own.py")
	if err := os.WriteFile(script, fmt.Appendf(nil, `import sys
sys.path.insert(0, %q)
import lines

def score(batch):
    print("a library says something")
    if batch[0]["prediction"] == "all":
        raise ValueError("out of memory")
    return [{"length": float("nan")} if item["prediction"] == "nan" else "cannot" if item["prediction"] == "no" else {"length": len(item["prediction"])} for item in batch]

lines.serve(score, "own 1")
`, adapters(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	s := spec.Scorer{Name: "own", Command: []string{python(t, "json"), "-B", script}, Scores: []string{"length"}, Batch: 3}
	results, ended := Run(t.Context(), s, environment, items("x", "nan", "no", "all", "xx", "xxx", "yyyy"))
	if got := shown(results); got != "1, length is not a number, unscored, unscored, unscored, unscored, 4" || ended != nil {
		t.Errorf("got %s, %v", got, ended)
	}
	if results[3].Unscored != "the scorer says: ValueError: out of memory" || results[0].Signature != "own 1" {
		t.Errorf("got %+v", results)
	}
}

// BERTScore's matching, with a model without weights: each letter is a vector of its own, so
// that precision and recall are shares of letters.
func TestBERTScoreAdapter(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	path := python(t, "torch")
	fake, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	env := Environment{Lookup: func(name string) (string, bool) {
		if name == "PYTHONPATH" {
			return fake, true
		}
		return os.LookupEnv(name)
	}}
	s := spec.Scorer{
		Name: "bert", Command: []string{path, "-B", filepath.Join(adapters(t), "bertscore.py"), "--model", "letters", "--layer", "1"},
		Scores: []string{"precision", "recall", "f1"}, Env: []string{"PYTHONPATH"},
	}
	results, ended := Run(t.Context(), s, env, []Item{
		{ID: "0", Prediction: "abc", References: []string{"abc"}},
		{ID: "1", Prediction: "abcd", References: []string{"zz", "ab"}},
		{ID: "2", Prediction: "abc"},
		{ID: "3", Prediction: "", References: []string{"ab"}},
	})
	if ended != nil {
		t.Fatal(ended)
	}
	want := []map[string]float64{{"precision": 1, "recall": 1, "f1": 1}, {"precision": 0.5, "recall": 1, "f1": 2. / 3}, nil, {"precision": 0, "recall": 0, "f1": 0}}
	for i, scores := range want {
		for name, value := range scores {
			if got := results[i].Scores[name]; math.Abs(got-value) > 1e-6 {
				t.Errorf("item %d, %s: got %v; want %v", i, name, got, value)
			}
		}
	}
	if results[2].Unscored != "the scorer says: it has no reference" {
		t.Errorf("got %+v", results[2])
	}
	if got := results[0].Signature; !strings.HasPrefix(got, "bertscore letters_L1_no-idf transformers=0-fake torch=") {
		t.Errorf("signature %q", got)
	}
}

// An adapter whose library is not there says which.
func TestAdapterWithoutLibrary(t *testing.T) {
	t.Parallel()
	path := python(t, "json")
	if exec.CommandContext(t.Context(), path, "-c", "import comet").Run() == nil {
		t.Skip("this Python has comet: the test is of one without")
	}
	s := spec.Scorer{Name: "comet", Command: []string{path, "-B", filepath.Join(adapters(t), "cometscore.py"), "--checkpoint", "x.ckpt"}, Scores: []string{"comet"}}
	if _, ended := Run(t.Context(), s, environment, items("x")); ended == nil || !strings.Contains(ended.Error(), "No module named 'comet'") {
		t.Errorf("got %v", ended)
	}
}
