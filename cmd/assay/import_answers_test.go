package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/accuracy"
)

// Answers that lm-eval asked for and graded are an evaluation like any other: its marks are
// kept item by item, assay grades the same answers beside them, and where both mean the
// same they agree. Two such bundles are compared question by question.
func TestImportAnswers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../foreign/testdata/lm-eval/samples_*.jsonl")
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v: %v", files, err)
	}
	dir := t.TempDir()
	out, stderr, code := call(t, append([]string{"import", "-o", filepath.Join(dir, "a"), "--json"}, files...)...)
	if code != exitOK {
		t.Fatalf("import: exit %d\n%s", code, stderr)
	}
	var r struct{ Accuracy accuracy.Report }
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, task := range r.Accuracy.Tasks {
		for _, s := range task.Points[0].Scores {
			if s.Unavailable != "" || s.Graded != 12 {
				t.Errorf("%s by %s: %d graded, want 12; %s", task.Name, s.Grader, s.Graded, s.Unavailable)
			}
			got[task.Name+" "+s.Grader] = s.Estimate.Value
		}
	}
	for name, want := range map[string]float64{ // those of lm-eval are what its own table says
		"sums_text scorer:lm-eval/exact_match,strict": 6. / 12, "sums_text scorer:lm-eval/exact_match,flexible": 11. / 12, "sums_text quasi_exact_match": 6. / 12,
		"sums_choice scorer:lm-eval/acc": 1. / 12, "sums_choice scorer:lm-eval/acc_norm": 1. / 12, "sums_choice loglikelihood": 1. / 12, "sums_choice loglikelihood_norm": 1. / 12,
	} {
		if value, ok := got[name]; !ok || math.Abs(value-want) > 1e-12 {
			t.Errorf("%s is %v, want %v (%v)", name, value, want, got)
		}
	}
	a := onlyBundle(t, filepath.Join(dir, "a"))
	text, _, _ := call(t, "report", "--all", a)
	for _, want := range []string{"marks of sums_text by the tool and by assay, answer by answer", "scorer:lm-eval/acc       loglikelihood       12       12"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "TTFT") {
		t.Errorf("answers without times have latencies:\n%s", text)
	}
	b := importedWorse(t, files, filepath.Join(dir, "b"))
	differ, stderr, code := call(t, "diff-answers", a, b, "--task", "sums_text", "--only", "flips")
	if code != exitOK || !strings.Contains(differ, "RIGHT TO WRONG  sums_text 1") {
		t.Errorf("diff-answers: exit %d\n%s%s", code, differ, stderr)
	}
	compared, stderr, code := call(t, "compare", a, b)
	if code != exitOK || !strings.Contains(compared, "sums_text.scorer:lm-eval/exact_match,strict") {
		t.Errorf("compare: exit %d\n%s%s", code, compared, stderr)
	}
}

// importedWorse imports the files with the second answer of the sums spoilt.
func importedWorse(t *testing.T, files []string, out string) string {
	t.Helper()
	args := []string{"import", "-o", out}
	for _, file := range files {
		text := strings.Replace(read(t, file), `"resps": [[" 4"]], "filtered_resps": ["4"], "filter": "strict", "metrics": ["exact_match"]`,
			`"resps": [[" 5"]], "filtered_resps": ["5"], "filter": "strict", "metrics": ["exact_match"]`, 1)
		lines := strings.SplitAfter(text, "\n")
		for i, line := range lines {
			if strings.Contains(line, `[[" 5"]]`) {
				lines[i] = strings.Replace(line, `"exact_match": 1.0`, `"exact_match": 0.0`, 1)
			}
		}
		to := filepath.Join(t.TempDir(), filepath.Base(file))
		if err := os.WriteFile(to, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, to)
	}
	if _, stderr, code := call(t, args...); code != exitOK {
		t.Fatalf("import: exit %d\n%s", code, stderr)
	}
	return onlyBundle(t, out)
}
