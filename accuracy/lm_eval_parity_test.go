package accuracy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"assay/record"
	"assay/tests/oracle"
	"assay/tests/texts"
	"assay/tests/whole"
)

// A filterStep is a step as the YAML of lm-eval has it.
type filterStep struct {
	Function string  `json:"function"`
	Pattern  string  `json:"regex_pattern,omitempty"`
	Select   int     `json:"group_select,omitempty"`
	Fallback *string `json:"fallback,omitempty"`
}

// matchOptions are those of lm-eval's exact_match.
type matchOptions struct {
	Ignore      []string `json:"regexes_to_ignore,omitempty"`
	Case        bool     `json:"ignore_case"`
	Punctuation bool     `json:"ignore_punctuation"`
	Numbers     bool     `json:"ignore_numbers"`
}

// A filterQuestion is what lm-eval and the graders are both asked.
type filterQuestion struct {
	Said      string         `json:"said"`
	Reference string         `json:"reference"`
	Filters   [][]filterStep `json:"filters"`
	Options   matchOptions   `json:"options"`
}

// key is the question as a bundle holds it.
func (q filterQuestion) key() *record.AnswerKey {
	o := q.Options
	key := &record.AnswerKey{
		References: []string{q.Reference},
		Exact:      &record.ExactMatch{Ignore: o.Ignore, IgnoreCase: o.Case, IgnorePunctuation: o.Punctuation, IgnoreNumbers: o.Numbers},
	}
	for _, steps := range q.Filters {
		var f record.Filter
		for _, s := range steps {
			step := record.FilterStep{Function: s.Function, Pattern: s.Pattern, Select: s.Select, Fallback: "[invalid]"}
			if s.Fallback != nil {
				step.Fallback = *s.Fallback
			}
			f.Steps = append(f.Steps, step)
		}
		key.Filters = append(key.Filters, f)
	}
	return key
}

// parityFilters are ways to an answer that tasks of lm-eval take.
var parityFilters = [][]filterStep{
	{{Function: "take_first"}},
	{{Function: "remove_whitespace"}, {Function: "take_first"}},
	{{Function: "lowercase"}, {Function: "take_first"}},
	{{Function: "uppercase"}, {Function: "remove_whitespace"}, {Function: "take_first"}},
	{{Function: "regex", Pattern: `(?i)answer is ([^ .]+)`, Select: -1}, {Function: "take_first"}},
	{{Function: "regex", Pattern: `(?<![0-9])(-?[0-9]+)(?:\.([0-9]+))?`}, {Function: "take_first"}},
	{{Function: "regex", Pattern: `^\s*(.*?)\s*(?:\n|$)`, Fallback: new(string)}, {Function: "take_first"}},
	{{Function: "regex", Pattern: `\d+|\S$`, Select: -1}, {Function: "uppercase"}, {Function: "take_first"}},
}

var parityOptions = []matchOptions{
	{}, {Case: true}, {Punctuation: true}, {Numbers: true}, {Ignore: []string{",", `\$`}, Case: true}, {Ignore: []string{`(?s).*#### `, `\.$`}, Punctuation: true, Numbers: true},
}

// parityQuestions are texts of all scripts in which an answer stands as models write it, or
// does not stand at all.
func parityQuestions(n int, gsm8k filterQuestion) (questions []filterQuestion) {
	g := texts.New(18)
	numbers := []string{"42", "-7", "1,234", "$1,200.50", "3.", "0.5", ".5", "12,", "٤٢", "x", "1.2.3", "$", "-", "007"}
	leads := []string{"#### ", "####", "\n#### ", "The answer is ", "ANSWER IS ", "= ", "", " ", "so $", "\n"}
	one := func(list []string) string { return list[g.IntN(len(list))] }
	for i := range n {
		q := filterQuestion{Said: g.Text(g.IntN(12)), Reference: g.Text(g.IntN(6)) + "#### " + one(numbers), Filters: gsm8k.Filters, Options: gsm8k.Options}
		for range g.IntN(4) {
			q.Said += one(leads) + one(numbers) + one([]string{"", ".", " ", "\n", ". ", " \x1c"}) + g.Text(g.IntN(3))
		}
		if i%2 == 0 {
			q.Filters = [][]filterStep{parityFilters[g.IntN(len(parityFilters))], parityFilters[g.IntN(len(parityFilters))]}
			q.Options = parityOptions[g.IntN(len(parityOptions))]
			q.Reference = one([]string{one(numbers), q.Said, g.Text(2)})
		}
		questions = append(questions, q)
	}
	return questions
}

// Filters find what lm-eval's own filters find, its exact_match decides the same, and the
// graders of GSM8K are its task gsm8k: strict-match and flexible-extract.
func TestParityLMEval(t *testing.T) {
	whole.Only(t)
	python := oracle.Python(t, "lm_eval", "yaml")
	var task struct {
		Names []string
		filterQuestion
	}
	decodeLines(t, askLMEval(t, python, nil), &task)
	if want := []string{"strict-match", "flexible-extract"}; !slices.Equal(task.Names, want) {
		t.Fatalf("lm-eval's gsm8k has the filters %v, want %v", task.Names, want)
	}
	questions := parityQuestions(5000, task.filterQuestion)
	type answer struct {
		Extracted []string
		Scores    []float64
	}
	answers := make([]answer, len(questions))
	into := []any{&task}
	for i := range answers {
		into = append(into, &answers[i])
	}
	decodeLines(t, askLMEval(t, python, questions), into...)
	same := func(grader string, q filterQuestion, extracted string, want float64) {
		t.Helper()
		g, err := Find(grader)
		if err != nil {
			t.Fatal(err)
		}
		row, err := one(g, &Answer{State: Answered, Text: q.Said, Key: q.key()})
		if err != nil || *row.Score != want || extracted != "" && row.Extracted != extracted {
			t.Errorf("%s of %q against %q by %+v, %+v: got %q with score %v, %v; lm-eval has %q and %v",
				grader, q.Said, q.Reference, q.Filters, q.Options, row.Extracted, *row.Score, err, extracted, want)
		}
	}
	right := 0
	for i, q := range questions {
		for k, grader := range []string{"lm_eval", "lm_eval_2"} {
			same(grader, q, answers[i].Extracted[k], answers[i].Scores[k])
		}
		if i%2 == 1 {
			same("gsm8k_strict", q, "", answers[i].Scores[0])
			same("gsm8k_flexible", q, "", answers[i].Scores[1])
		}
		right += int(answers[i].Scores[0] + answers[i].Scores[1])
	}
	if right < len(questions)/20 {
		t.Errorf("%d answers are right of twice %d: the test compares little", right, len(questions))
	}
}

// askLMEval puts questions to one Python process.
func askLMEval(t *testing.T, python string, questions []filterQuestion) []byte {
	t.Helper()
	var lines bytes.Buffer
	encode := json.NewEncoder(&lines)
	for _, q := range questions {
		if err := encode.Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, filepath.Join("testdata", "lm_eval_parity.py"))
	cmd.Stdin, cmd.Stderr = &lines, os.Stderr
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "PYTHONWARNINGS=ignore")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// decodeLines reads a line into each.
func decodeLines(t *testing.T, out []byte, into ...any) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for i, each := range into {
		if !lines.Scan() {
			t.Fatal(fmt.Errorf("%d lines for %d questions", i, len(into)))
		}
		if err := json.Unmarshal(lines.Bytes(), each); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
	}
}
