package accuracy

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"assay/accuracy/sandbox"
	"assay/record"
	"assay/spec"
)

func TestMain(m *testing.M) {
	if status, entered := sandbox.Enter(os.Args); entered {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// Every grader that a spec may name is here, and every one here may be named; each is
// documented and works in one way.
func TestGradersAgree(t *testing.T) {
	known := map[string]bool{}
	for _, name := range spec.Graders() {
		known[name] = true
		if _, err := Find(name); err != nil {
			t.Errorf("package spec knows %s: %v", name, err)
		}
	}
	for _, g := range All {
		if !known[g.Name] {
			t.Errorf("package spec does not know %s", g.Name)
		}
		if !strings.HasSuffix(g.Doc, ".") || (g.grade == nil) == (g.batch == nil) {
			t.Errorf("%s: want a sentence, and one way of grading", g.Name)
		}
	}
}

// score is the score of answers by one grader.
func score(t *testing.T, grader string, answers ...*Answer) Score {
	t.Helper()
	g, err := Find(grader)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		a.Item = fmt.Sprint(i)
		if a.State == "" {
			a.State = Answered
		}
	}
	rows, err := g.all(answers)
	if reason := notHere(err); reason != "" {
		t.Skipf("%s cannot grade on this host: %s", grader, reason)
	}
	if err != nil {
		t.Fatal(err)
	}
	return scoreOf(g, rows, .95)
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// Scores over labels are those of scikit-learn and scipy, also with a failed request
// before them.
func TestLabelsAgree(t *testing.T) {
	type labels struct {
		ID                  int
		Labels, Predictions []int
		MCC                 float64
		MCCs                float64 `json:"mcc_multiclass"`
		F1                  float64 `json:"f1_binary"`
		Macro               float64 `json:"f1_macro"`
		Accuracy            float64
	}
	var want struct {
		Binary, Multiclass []labels
		Correlation        []struct {
			ID                      int
			Predictions, References []float64
			Pearson, Spearman       float64
		}
	}
	golden(t, "classification.json", &want)
	words := []string{"red", "green", "blue"}
	answers := func(c labels, k int) []*Answer {
		list := []*Answer{{State: Failed, Error: "http_error"}}
		for i := range c.Labels {
			list = append(list, &Answer{Text: " " + strings.ToUpper(words[c.Predictions[i]]) + ".", Key: &record.AnswerKey{Labels: words[:k], References: []string{words[c.Labels[i]]}}})
		}
		return list
	}
	check := func(what string, got, want float64) {
		t.Helper()
		if !near(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	for _, c := range want.Binary {
		check(fmt.Sprint("mcc ", c.ID), score(t, "mcc", answers(c, 2)...).Estimate.Value, c.MCC)
		check(fmt.Sprint("f1 ", c.ID), score(t, "f1", answers(c, 2)...).Estimate.Value, c.F1)
		check(fmt.Sprint("label ", c.ID), score(t, "label", answers(c, 2)...).Estimate.Value, c.Accuracy)
	}
	for _, c := range want.Multiclass {
		check(fmt.Sprint("mcc of three ", c.ID), score(t, "mcc", answers(c, 3)...).Estimate.Value, c.MCCs)
		check(fmt.Sprint("f1_macro ", c.ID), score(t, "f1_macro", answers(c, 3)...).Estimate.Value, c.Macro)
	}
	for _, c := range want.Correlation {
		var list []*Answer
		for i := range c.References {
			list = append(list, &Answer{Text: fmt.Sprintf("%v", c.Predictions[i]), Key: &record.AnswerKey{References: []string{fmt.Sprint(c.References[i])}}})
		}
		check(fmt.Sprint("pearson ", c.ID), score(t, "pearson", list...).Estimate.Value, c.Pearson)
		check(fmt.Sprint("spearman ", c.ID), score(t, "spearman", list...).Estimate.Value, c.Spearman)
	}
}

// A label is found where people write it, and not where they write two.
func TestLabelOf(t *testing.T) {
	f := func(text string, want int) {
		t.Helper()
		if got := labelOf(text, []string{"no", "yes", "not sure"}); got != want {
			t.Errorf("labelOf(%q) = %d, want %d", text, got, want)
		}
	}
	f("yes", 1)
	f(" **Yes**, it is.", 1)
	f("No.", 0)
	f("Not sure, no.", 2)
	f("nothing", -1)
	f("The answer is yes.", 1)
	f("It is yes or no.", -1)
	f("", -1)
}

// A score over a corpus is that of the sums and not a mean, of 1, and says how it was made.
func TestCorpusScore(t *testing.T) {
	key := func(texts ...string) *record.AnswerKey { return &record.AnswerKey{References: texts} }
	answers := []*Answer{
		{Text: "The cat sat on the mat .", Key: key("The cat sat on the mat .")},
		{State: Failed, Key: key("never said")},
		{Text: "A dog", Key: key("A dog barked at the old man")},
	}
	s := score(t, "bleu", answers...)
	// All 9 words, 7 pairs, 5 triples and 4 quadruples are right; 14 words were wanted.
	if want := math.Exp(1 - 14.0/9); !near(s.Estimate.Value, want) {
		t.Errorf("BLEU = %v, want %v", s.Estimate.Value, want)
	}
	g, err := Find("bleu")
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Signature(1); !strings.HasPrefix(got, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|assay-lexical:") {
		t.Errorf("signature %s", got)
	}
	if ter := score(t, "ter", answers...); !near(ter.Estimate.Value, 5.0/14) {
		t.Errorf("TER = %v, want 5 of 14", ter.Estimate.Value)
	}
}

// Perplexities are of all texts together; the first token of a text without a mark before
// it is left out.
func TestPerplexity(t *testing.T) {
	value := func(v float64) *float64 { return &v }
	marked := &Answer{Key: &record.AnswerKey{}, Replies: []Reply{{Said: "two words", Logprobs: &record.Logprobs{
		Tokens: []string{"<s>", "two", " words", "x"}, Values: []*float64{nil, value(-1), value(-2), value(-9)},
	}}}}
	bare := &Answer{Key: &record.AnswerKey{}, Replies: []Reply{{Said: "ab cd", Logprobs: &record.Logprobs{
		Tokens: []string{"ab", " cd", "x"}, Values: []*float64{nil, value(-3), value(-9)},
	}}}}
	for grader, want := range map[string]float64{
		"bits_per_byte":   6 / 12.0 / math.Ln2, // "two words" and " cd"
		"byte_perplexity": math.Exp(6 / 12.0),
		"word_perplexity": math.Exp(6 / 4.0), // a space before a word counts as a word before it, as in lm-eval
	} {
		if got := score(t, grader, marked, bare).Estimate.Value; !near(got, want) {
			t.Errorf("%s = %v, want %v", grader, got, want)
		}
	}
}

// A perplexity beyond all numbers is said to be one, so that a report can still be written.
func TestPerplexityBeyondNumbers(t *testing.T) {
	value := -2000.0
	s := score(t, "word_perplexity", &Answer{Key: &record.AnswerKey{}, Replies: []Reply{{Said: "字字", Logprobs: &record.Logprobs{
		Tokens: []string{"<s>", "字字", "x"}, Values: []*float64{nil, &value, &value},
	}}}})
	if s.Unavailable == "" || s.Graded != 1 {
		t.Errorf("got %+v", s)
	}
}

// Programs are made of completions and of whole functions in blocks of code, and run.
func TestCodeGrader(t *testing.T) {
	key := &record.AnswerKey{Program: &record.ProgramKey{
		Prefix: "def twice(x):\n    \"\"\"Twice x.\"\"\"\n", Entry: "twice", Test: "def check(f):\n    assert f(4) == 8\ncheck(twice)",
	}}
	plain := &record.AnswerKey{Program: &record.ProgramKey{Test: "assert add(1, 2) == 3"}}
	f := func(want float64, key *record.AnswerKey, text string) {
		t.Helper()
		s := score(t, "code", &Answer{Text: text, Key: key})
		if s.Estimate.Value != want {
			t.Errorf("%q scores %v, want %v", text, s.Estimate.Value, want)
		}
		if len(s.PassAt) != 1 || s.PassAt[0] != (PassAt{1, want}) {
			t.Errorf("%q: pass@k is %v", text, s.PassAt)
		}
	}
	f(1, key, "    return 2 * x\n")
	f(1, key, "Here it is:\n```python\ndef twice(x):\n    return x + x\n```\nIt adds.")
	f(0, key, "    return x\n")
	f(0, key, "import os\nos._exit(0)")
	f(1, plain, "```python\ndef add(a, b):\n    return a + b\n```")
	f(0, plain, "I do not know.")
}
