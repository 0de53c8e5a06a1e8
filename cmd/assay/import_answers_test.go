package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/accuracy"
	"assay/sim"
	"assay/sim/simtest"
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

// A bundle of lm-eval's answers is paired with one that assay asked, although they number and
// name nothing alike: by what was asked. The filters of the results file grade its answers
// too, one row each, and give what lm-eval's own marks say. Where the questions were put in
// other words, nothing is paired, and the reason is said.
func TestImportedAnswersArePaired(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../foreign/testdata/lm-eval/samples_*.jsonl")
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v: %v", files, err)
	}
	dir := t.TempDir()
	// The results that belong to the samples: their strict filter only strips spaces.
	results := filepath.Join(dir, "results_2026-11-17T03-29-02.872651.json")
	if err := os.WriteFile(results, []byte(`{"results": {}, "n-shot": {}, "group_subtasks": {}, "configs": {"sums_text": {
		"filter_list": [{"name": "strict", "filter": [{"function": "remove_whitespace"}, {"function": "take_first"}]},
			{"name": "flexible", "filter": [{"function": "regex", "regex_pattern": "(\\d+)"}, {"function": "take_first"}]}],
		"metric_list": [{"metric": "exact_match"}]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	files = append(files, results)
	out, stderr, code := call(t, append([]string{"import", "-o", filepath.Join(dir, "theirs"), "--json"}, files...)...)
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
			got[task.Name+" "+s.Grader] = s.Estimate.Value
		}
	}
	for ours, theirs := range map[string]string{"lm_eval": "strict", "lm_eval_2": "flexible"} {
		a, b := got["sums_text "+ours], got["sums_text scorer:lm-eval/exact_match,"+theirs]
		if a != b || a == 0 {
			t.Errorf("filter %s: %v by %s and %v by lm-eval, want the same", theirs, a, ours, b)
		}
	}
	theirs := onlyBundle(t, filepath.Join(dir, "theirs"))
	ours := sumsAsked(t, "Q: {{question}}\\nA:")
	compared, stderr, code := call(t, "compare", theirs, ours)
	if code != exitOK || !strings.Contains(compared, "sums_text.lm_eval_2") || !strings.Contains(compared, "paired by the text of the question: 12 of 12") {
		t.Errorf("compare: exit %d\n%s%s", code, compared, stderr)
	}
	differ, stderr, code := call(t, "diff-answers", theirs, ours, "--task", "sums_text", "--limit", "0")
	if code != exitOK || !strings.Contains(differ, "sums_text     12") {
		t.Errorf("diff-answers: exit %d\n%s%s", code, differ, stderr)
	}
	others := sumsAsked(t, "Say what {{question}} is:")
	compared, stderr, code = call(t, "compare", theirs, others)
	if !strings.Contains(compared+stderr, "its items cannot be paired") {
		t.Errorf("compare with other words: exit %d\n%s%s", code, compared, stderr)
	}
}

// sumsAsked asks a simulator the sums that lm-eval asked, put by a template, and returns the
// bundle. Every answer is the same.
func sumsAsked(t *testing.T, template string) string {
	t.Helper()
	var rows strings.Builder
	for i := range 12 {
		fmt.Fprintf(&rows, "{\"question\": \"%d + %d\", \"text\": \"%d\"}\n", i+1, i+1, 2*(i+1))
	}
	task := fmt.Sprintf(`task: sums_text
dataset_path: sums.jsonl
output_type: generate_until
doc_to_text: "%s"
doc_to_target: text
generation_kwargs: {until: ["\n"], max_gen_toks: 16}
filter_list:
  - {name: strict, filter: [{function: regex, regex_pattern: '^(\d+)$'}, {function: take_first}]}
  - {name: flexible, filter: [{function: regex, regex_pattern: '(\d+)'}, {function: take_first}]}
metric_list: [{metric: exact_match}]
`, template)
	at := t.TempDir()
	for name, text := range map[string]string{"sums.jsonl": rows.String(), "sums_text.yaml": task} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{}, Script: []sim.Scripted{{Text: "The answer is 4."}}})
	out := filepath.Join(at, "runs")
	args := []string{"eval", url, "--task", "lm-eval=" + filepath.Join(at, "sums_text.yaml"), "--api", "openai-completions", "--quick", "--quiet", "-o", out}
	if _, stderr, code := call(t, args...); code != exitOK {
		t.Fatalf("eval: exit %d\n%s", code, stderr)
	}
	return onlyBundle(t, out)
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
