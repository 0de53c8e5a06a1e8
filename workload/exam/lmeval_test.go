package exam

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/record"
	"assay/spec"
)

// folder writes the files of a task, a name and its content in turn, and returns the path of
// the first.
func folder(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, files[0])
}

const arithmetic = `
include: base.yaml
task: arithmetic
output_type: generate_until
doc_to_text: "Question: {{question.strip()}}\nAnswer:"
doc_to_target: "{{answer.split('### ')[-1].rstrip()}}"
num_fewshot: 2
fewshot_config:
  sampler: first_n
generation_kwargs:
  until: ["\n\n", "Question:"]
  max_gen_toks: 32
  do_sample: false
filter_list:
  - name: strict-match
    filter:
      - function: regex
        regex_pattern: "#### (\\-?[0-9\\.\\,]+)"
      - function: take_first
  - name: flexible-extract
    filter:
      - function: regex
        group_select: -1
        regex_pattern: "(?<!\\w)(-?[$0-9.,]{2,})|(-?[0-9]+)"
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
    ignore_case: true
    regexes_to_ignore: [",", "\\$"]
`

const base = `
dataset_path: json
dataset_kwargs:
  data_files: {train: train.jsonl, test: test.jsonl}
training_split: train
test_split: test
description: "Add up.\n\n"
doc_to_text: "never used"
metadata: {version: 3.0}
`

// A task of lm-eval asks what lm-eval asks, and its filters travel with each question.
func TestLMEvalGenerate(t *testing.T) {
	path := folder(t, "arithmetic.yaml", arithmetic, "base.yaml", base,
		"train.jsonl", `{"question": " 1+1? ", "answer": "so ### 2"}`+"\n"+`{"question": "2+2?", "answer": "### 4 "}`+"\n"+`{"question": "never", "answer": "### 0"}`,
		"test.jsonl", `{"question": "3+3?", "answer": "sum ### 6"}`)
	sheet := sheetOf(t, spec.Task{Family: "lm-eval", Path: path})
	want := "Add up.\n\nQuestion: 1+1?\nAnswer: 2\n\nQuestion: 2+2?\nAnswer: 4\n\nQuestion: 3+3?\nAnswer:"
	ask := sheet.Asks[0]
	if ask.Prompt != want || ask.Limit != 32 || ask.Stop != `["\n\n","Question:"]` {
		t.Errorf("got %q, at most %d tokens, up to %s; want %q", ask.Prompt, ask.Limit, ask.Stop, want)
	}
	var key record.AnswerKey
	if err := json.Unmarshal([]byte(ask.Key), &key); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(key.References, []string{"6"}) || len(key.Filters) != 2 || key.Filters[1].Steps[0].Select != -1 || !key.Exact.IgnoreCase || len(key.Exact.Ignore) != 2 {
		t.Errorf("got key %s", ask.Key)
	}
	task := spec.Task{Family: "lm-eval", Path: path}
	if err := Settle(&task); err != nil || task.Style != "generate_until" || !slices.Equal(task.Graders, []string{"lm_eval", "lm_eval_2"}) || task.FewShot != 2 {
		t.Errorf("settled to %+v, %v", task, err)
	}
}

// Choices come from a column, a template or a list; the target is a number or a text.
func TestLMEvalChoices(t *testing.T) {
	f := func(yaml, row string, target int, prompts ...string) {
		t.Helper()
		path := folder(t, "t.yaml", "dataset_path: data.jsonl\noutput_type: multiple_choice\n"+yaml, "data.jsonl", row)
		sheet := sheetOf(t, spec.Task{Family: "lm-eval", Path: path})
		var got []string
		var key record.AnswerKey
		for _, ask := range sheet.Asks {
			got = append(got, ask.Prompt)
			if err := json.Unmarshal([]byte(ask.Key), &key); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, prompts) || *key.Target != target {
			t.Errorf("%s of %s: got %q, right is %d; want %q, right is %d", yaml, row, got, *key.Target, prompts, target)
		}
	}
	f("doc_to_text: question\ndoc_to_target: label\ndoc_to_choice: choices", `{"question": "Who?", "choices": ["I", "you"], "label": 1}`, 1, "Who? I", "Who? you")
	f("doc_to_text: \"{{question}}\\n\"\ntarget_delimiter: \"\"\ndoc_to_target: \"{{answer}}\"\ndoc_to_choice: [\"no\", \"yes\"]", `{"question": "So?", "answer": "yes"}`, 1, "So?\nno", "So?\nyes")
	f("doc_to_text: \"{{q}}\"\ndoc_to_target: \"{{['A','B'].index(key)}}\"\ndoc_to_choice: \"{{[a, b]}}\"", `{"q": "Q", "a": "it's", "b": "two", "key": "B"}`, 1, "Q it's", "Q two")
	f("doc_to_text: \"{% for c in options %}{{loop.index}}. {{c}}\\n{% endfor %}\"\ndoc_to_target: \"{{gold - 1}}\"\ndoc_to_choice: \"{{options}}\"", `{"options": ["x", "y"], "gold": 1}`, 0, "1. x\n2. y\n x", "1. x\n2. y\n y")
}

// The likelihood of a target has no delimiter before it, and that of a text no context.
func TestLMEvalLikelihoods(t *testing.T) {
	data := `[{"text": "The sky is blue", "n": 1}]`
	path := folder(t, "t.yaml", "dataset_path: d.json\noutput_type: loglikelihood\ndoc_to_text: \"{{text.split(' ')[:-1]|join(' ')}}\"\ndoc_to_target: \"{{' ' + text.split(' ')[-1]}}\"", "d.json", data)
	ask := sheetOf(t, spec.Task{Family: "lm-eval", Path: path}).Asks[0]
	if ask.Prompt != "The sky is blue" || ask.Said != " blue" {
		t.Errorf("got %q with %q asked", ask.Prompt, ask.Said)
	}
	path = folder(t, "t.yaml", "dataset_path: d.csv\noutput_type: loglikelihood_rolling\ndoc_to_target: \"{{page}}{{number + 1}}\"", "d.csv", "page,number\nA page,1\n")
	ask = sheetOf(t, spec.Task{Family: "lm-eval", Path: path}).Asks[0]
	if ask.Prompt != "A page2" || ask.Said != "A page2" {
		t.Errorf("got %q with %q asked", ask.Prompt, ask.Said)
	}
}

// A change to any file of a task changes its digest.
func TestLMEvalDigest(t *testing.T) {
	path := folder(t, "t.yaml", "include: base.yaml\ndoc_to_target: a", "base.yaml", "dataset_path: d.jsonl\ndoc_to_text: q", "d.jsonl", `{"q": "x", "a": "y"}`)
	first, err := Digest("lm-eval", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"t.yaml", "base.yaml", "d.jsonl"} {
		file := filepath.Join(filepath.Dir(path), name)
		old, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(old, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
		if again, err := Digest("lm-eval", path); err != nil || again == first {
			t.Errorf("%s changed, and the digest is still %s (%v)", name, again, err)
		}
		if err := os.WriteFile(file, old, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// What is outside of the subset is refused by name.
func TestLMEvalRefuses(t *testing.T) {
	const asked = "dataset_path: d.jsonl\ndoc_to_text: \"{{q}}\"\ndoc_to_target: \"{{a}}\"\n"
	f := func(yaml, want string) {
		t.Helper()
		path := folder(t, "t.yaml", yaml, "d.jsonl", `{"q": "x", "a": "y"}`)
		if _, err := writeSheet(spec.Task{Family: "lm-eval", Path: path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot %v, want %q", yaml, err, want)
		}
	}
	f(asked+"process_docs: !function utils.process", "process_docs: !function needs Python")
	f(asked+"metric_list:\n  - metric: !function utils.mine", "metric_list: !function needs Python")
	f(asked+"doc_to_image: picture", "not supported: doc_to_image")
	f(asked+"filter_list: [{name: x, filter: [{function: majority_vote}]}]", `filter "majority_vote" is not supported`)
	f(asked+"metric_list: [{metric: brier_score}]", "metric brier_score of output_type generate_until is not supported: want one of bleu, chrf, exact_match, ter")
	f(asked+"output_type: multiple_choice", "doc_to_choice and output_type multiple_choice go together")
	f(asked+"num_fewshot: 5", "drawn by Python's generator")
	f(asked+"generation_kwargs: {top_k: 3}", "generation_kwargs.top_k is not supported")
	f(asked+"repeats: 8", "repeats is not supported")
	f("dataset_path: allenai/ai2_arc\ndoc_to_text: q\ndoc_to_target: a", "nothing is downloaded")
	f("dataset_path: d.jsonl\ndoc_to_text: \"{{missing}}\"\ndoc_to_target: a", "missing")
	f("dataset_path: d.jsonl\ndoc_to_text: \"{% include '/etc/passwd' %}\"\ndoc_to_target: a", "include is not supported")
	f("dataset_path: d.jsonl\ndoc_to_text: \"{%include '/etc/passwd'%}\"\ndoc_to_target: a", "template")
	f("dataset_path: d.jsonl\ndoc_to_text: \"{{ 1 % 0 }}\"\ndoc_to_target: a", "cannot be evaluated")
	f("include: t.yaml\n"+asked, "include each other")
}
