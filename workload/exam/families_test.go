package exam

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/spec"
)

// sheetOf puts a file of a test on a sheet.
func sheetOf(t *testing.T, task spec.Task) *Sheet {
	t.Helper()
	sheet, err := writeSheet(task)
	if err != nil {
		t.Fatal(err)
	}
	return sheet
}

func writeSheet(task spec.Task) (*Sheet, error) {
	task.Name = "t"
	var err error
	if task.DatasetRef, err = Digest(task.Family, task.Path); err != nil {
		return nil, err
	}
	if task.FewShotPath != "" {
		if task.FewShotRef, err = Digest(task.Family, task.FewShotPath); err != nil {
			return nil, err
		}
	}
	return Write(&spec.Evaluation{Tasks: []spec.Task{task}}, 1)
}

// file writes a file of a test.
func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every family and style puts a question of its published format as its documentation says,
// with the right answer beside it.
func TestFamiliesPut(t *testing.T) {
	f := func(family, style, name, content string, asks int, prompt, key string) {
		t.Helper()
		sheet := sheetOf(t, spec.Task{Family: family, Style: style, Path: file(t, name, content), Fields: map[string]string{"from": "English", "to": "German"}})
		if len(sheet.Asks) != asks {
			t.Errorf("%s %s: got %d asks, want %d", family, style, len(sheet.Asks), asks)
		}
		ask := sheet.Asks[len(sheet.Asks)-1]
		if ask.Prompt != prompt {
			t.Errorf("%s %s: got prompt\n%s\nwant\n%s", family, style, ask.Prompt, prompt)
		}
		if ask.Key != key {
			t.Errorf("%s %s: got key %s, want %s", family, style, ask.Key, key)
		}
	}
	f("glue", "cola", "dev.tsv", "gj04\t1\t\tThe sailors rode.\ngj04\t0\t*\tThe sailors\"s rode.\n", 2,
		"Sentence: The sailors\"s rode.\nIs this sentence grammatically acceptable? Answer with yes or no.\nAnswer:", `{"references":["no"],"labels":["no","yes"]}`)
	f("glue", "sst2", "dev.tsv", "sentence\tlabel\nit 's a charm .\t1\r\n", 1,
		"Review: it 's a charm .\nIs this review positive or negative?\nAnswer:", `{"references":["positive"],"labels":["negative","positive"]}`)
	f("glue", "mnli", "dev.tsv", "index\tsentence1\tsentence2\tlabel1\tgold_label\n0\tA.\tB.\tneutral\tneutral\n", 1,
		"Sentence 1: A.\nSentence 2: B.\nDoes the second follow from the first? Answer with yes, maybe or no.\nAnswer:", `{"references":["maybe"],"labels":["yes","maybe","no"]}`)
	f("glue", "qnli", "dev.tsv", "index\tquestion\tsentence\tlabel\n0\tWho?\tI.\tnot_entailment\n", 1,
		"Question: Who?\nSentence: I.\nDoes the sentence answer the question? Answer with yes or no.\nAnswer:", `{"references":["no"],"labels":["no","yes"]}`)
	f("superglue", "boolq", "val.jsonl", `{"question": "is it so", "passage": "It is.", "idx": 0, "label": true}`, 1,
		"Passage: It is.\nQuestion: is it so\nAnswer with yes or no.\nAnswer:", `{"references":["yes"],"labels":["no","yes"]}`)
	f("superglue", "copa", "val.jsonl", `{"premise": "I fell.", "choice1": "It was ice.", "choice2": "It was fun.", "question": "cause", "label": 0, "idx": 0}`, 1,
		"I fell.\nWhat was the cause?\nA. It was ice.\nB. It was fun.\nAnswer:", `{"choices":["It was ice.","It was fun."],"target":0}`)
	f("superglue", "multirc", "val.jsonl", `{"idx": 0, "passage": {"text": "P.", "questions": [{"question": "Q?", "answers": [{"text": "a", "label": 1}, {"text": "b", "label": 0}]}]}}`, 2,
		"Passage: P.\nQuestion: Q?\nProposed answer: b\nIs the proposed answer right? Answer with yes or no.\nAnswer:", `{"references":["no"],"labels":["no","yes"]}`)
	f("superglue", "record", "val.jsonl", `{"idx": 0, "passage": {"text": "Ann met Bob.\n@highlight\nThey ate", "entities": []}, "qas": [{"query": "@placeholder ate", "answers": [{"text": "Ann"}, {"text": "Ann"}]}]}`, 1,
		"Passage: Ann met Bob.\n-\nThey ate\nStatement: @placeholder ate\nWhich name of the passage belongs in the place of @placeholder? Answer with the name alone.\nAnswer:", `{"references":["Ann"]}`)
	f("superglue", "wsc", "val.jsonl", `{"text": "Mark told Pete lies.", "target": {"span1_text": "Mark", "span2_text": "he"}, "label": false}`, 1,
		"Text: Mark told Pete lies.\nPronoun: he\nNoun: Mark\nDoes the pronoun stand for the noun? Answer with yes or no.\nAnswer:", `{"references":["no"],"labels":["no","yes"]}`)
	f("mbpp", "instruct", "mbpp.jsonl", `{"task_id": 2, "text": "Add two numbers.", "code": "def add(a, b): return a + b", "test_list": ["assert add(1, 2) == 3"], "test_setup_code": ""}`, 1,
		"Add two numbers.\nAnswer with one block of Python code that passes these tests:\n\nassert add(1, 2) == 3", `{"references":["def add(a, b): return a + b"],"program":{"test":"assert add(1, 2) == 3"}}`)
	f("translation", "translate", "pairs.jsonl", `{"source": "Hello.", "references": ["Hallo.", "Guten Tag."]}`, 1,
		"Translate from English to German.\n\nEnglish: Hello.\nGerman:", `{"references":["Hallo.","Guten Tag."]}`)
	f("summarisation", "summarise", "cnn.jsonl", `{"article": "Long text.", "highlights": "Text."}`, 1,
		"Text: Long text.\n\nSummarise this text in a few sentences.\nSummary:", `{"references":["Text."]}`)
	f("perplexity", "echo", "book.txt", strings.Repeat("A line of a book.\n", 200), 2, strings.Repeat("A line of a book.\n", 89), `{}`)
}

// What a file does not have is refused by name.
func TestFamiliesRefuse(t *testing.T) {
	f := func(family, style, name, content, want string) {
		t.Helper()
		_, err := writeSheet(spec.Task{Family: family, Style: style, Path: file(t, name, content)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %s of %q: got %v, want %q", family, style, content, err, want)
		}
	}
	f("glue", "mrpc", "dev.tsv", "sentence\tlabel\nfine\t1\n", "no column Quality: is it another task than mrpc?")
	f("glue", "sst2", "dev.tsv", "sentence\tlabel\nfine\t2\n", `label "2": want one of negative, positive`)
	f("superglue", "cb", "val.jsonl", `{"premise": "p", "label": "neutral"}`, "no field hypothesis")
	f("superglue", "record", "val.jsonl", `{"premise": "p"}`, "is it another task than record?")
	f("translation", "", "pairs.jsonl", `{"source": "a", "reference": "b"}`, "--field from=English --field to=German")
	f("squad", "extract", "dev.json", `{"data": [{"id": "x", "question": "Who?", "context": "c", "answers": {"text": []}}]}`, "want the style extract-or-none")
	f("humaneval", "", "h.jsonl", `{"task_id": "x"}`, "want task_id, prompt, entry_point and test")
}

// The samples that are published with other tools are read whole.
func TestPublishedSamples(t *testing.T) {
	f := func(family, style string, items int, path ...string) []string {
		t.Helper()
		sheet := sheetOf(t, spec.Task{Family: family, Style: style, Path: shared(t, append([]string{"data"}, path...)...)})
		if len(sheet.Asks) != items {
			t.Errorf("%s has %d items, want %d", path, len(sheet.Asks), items)
		}
		var clusters []string
		for _, ask := range sheet.Asks {
			if !slices.Contains(clusters, ask.Cluster) {
				clusters = append(clusters, ask.Cluster)
			}
		}
		return clusters
	}
	f("glue", "mrpc", 6, "glue_samples", "MRPC", "dev.tsv")
	f("glue", "stsb", 9, "glue_samples", "STS-B", "dev.tsv")
	if passages := f("squad", "extract-or-none", 14, "squad_sample", "sample.json"); len(passages) > 5 || len(passages) < 2 {
		t.Errorf("the questions are about %d passages: those of one passage share a cluster", len(passages))
	}
	f("humaneval", "completion", 164, "humaneval", "HumanEval.jsonl.gz")
}

// The parts of a program are those that the set's publisher runs, to the byte.
func TestHumanEvalPrograms(t *testing.T) {
	var want struct {
		Programs []struct {
			ID     string `json:"task_id"`
			Digest string `json:"program_sha256"`
		}
	}
	data, err := os.ReadFile(shared(t, "golden", "accuracy", "humaneval_programs.json"))
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	items, err := readHumanEval(shared(t, "data", "humaneval", "HumanEval.jsonl.gz"), spec.Task{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want.Programs {
		i := slices.IndexFunc(items, func(item Item) bool { return item.ID == w.ID })
		key := items[i].Key
		sum := sha256.Sum256([]byte(key.Program.Prefix + key.References[0] + "\n" + key.Program.Test))
		if got := hex.EncodeToString(sum[:]); got != w.Digest {
			t.Errorf("%s: digest %s, want %s", w.ID, got, w.Digest)
		}
	}
}

// Questions of SQuAD 2.0 are grouped by whether they have an answer, and the examples before
// them are the same for both: the group would give the answer away.
func TestSQuADGroups(t *testing.T) {
	dev := file(t, "dev.json", `{"data": [{"paragraphs": [{"context": "Ann ate.", "qas": [
		{"id": "a", "question": "Who ate?", "answers": [{"text": "Ann"}]},
		{"id": "b", "question": "When?", "answers": [], "is_impossible": true}]}]}]}`)
	shots := file(t, "train.json", `{"data": [{"id": "c", "question": "Who?", "context": "Bob ran.", "answers": {"text": ["Bob"]}}]}`)
	asks := sheetOf(t, spec.Task{Family: "squad", Style: "extract-or-none", Path: dev, FewShot: 1, FewShotPath: shots}).Asks
	if asks[0].Group != "HasAns" || asks[1].Group != "NoAns" || asks[1].Key != `{"references":["unanswerable"]}` {
		t.Errorf("got groups %s and %s, key %s", asks[0].Group, asks[1].Group, asks[1].Key)
	}
	for _, ask := range asks {
		if !strings.Contains(ask.Prompt, "Answer: Bob\n\n") {
			t.Errorf("question %s has another example: %s", ask.Item, ask.Prompt)
		}
	}
}

// Lines of a folder belong together, and must be as many.
func TestParallelLines(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	task := spec.Task{Family: "translation", Path: folder, Fields: map[string]string{"from": "English", "to": "German"}}
	write("source.txt", "one\ntwo\n")
	write("reference.txt", "eins\nzwei\n")
	write("reference2.txt", "ein\nzwo\n")
	if got := sheetOf(t, task).Asks[1].Key; got != `{"references":["zwei","zwo"]}` {
		t.Errorf("got key %s", got)
	}
	write("reference.txt", "eins\n")
	if _, err := writeSheet(task); err == nil || !strings.Contains(err.Error(), "the source has 2 lines and a reference 1") {
		t.Errorf("got %v", err)
	}
}
