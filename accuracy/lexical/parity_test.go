package lexical

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"unicode"

	"assay/tests/oracle"
	"assay/tests/texts"
	"assay/tests/whole"
)

// How many texts each library is asked about: make exhaustive asks about five thousand.
var parityTexts = 5000 / whole.Stride(5)

// A parityAnswer is what testdata/parity.py says about a question.
type parityAnswer struct {
	Scores [][]float64       `json:"scores"`
	Tokens map[string]string `json:"tokens"`
	Stems  []string          `json:"stems"`
	Texts  []string          `json:"texts"`
	Words  []string          `json:"words"`
	Space  []bool            `json:"space"`
	Word   []bool            `json:"word"`
	Known  bool              `json:"known"` // Python knows its characters
}

// ask puts all questions to one Python process that has the library.
func ask[Q any](t *testing.T, library string, modules []string, questions []Q) []parityAnswer {
	t.Helper()
	whole.Only(t)
	python := oracle.Python(t, modules...)
	var lines bytes.Buffer
	encode := json.NewEncoder(&lines)
	for _, q := range questions {
		if err := encode.Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, filepath.Join("testdata", "parity.py"), library)
	cmd.Stdin, cmd.Stderr = &lines, os.Stderr
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "PYTHONWARNINGS=ignore")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := make([]parityAnswer, 0, len(questions))
	scanner := bufio.NewScanner(bytes.NewReader(bytes.ReplaceAll(out, []byte("NaN"), []byte("null"))))
	scanner.Buffer(nil, len(out)+1)
	for scanner.Scan() {
		var answer parityAnswer
		if err := json.Unmarshal(scanner.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	if len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions", len(answers), len(questions))
	}
	return answers
}

// a parityVariant is a metric with the options that make the reference's own.
type parityVariant struct {
	metric  CorpusMetric
	kind    string
	options map[string]any
}

var bleuVariants = []parityVariant{
	{BLEU{}, "BLEU", map[string]any{}},
	{BLEU{EffectiveOrder: true}, "BLEU", map[string]any{"effective_order": true}},
	{BLEU{Lowercase: true, Smoothing: "floor"}, "BLEU", map[string]any{"lowercase": true, "smooth_method": "floor"}},
	{BLEU{Smoothing: "floor", SmoothingValue: 0.3, EffectiveOrder: true}, "BLEU", map[string]any{"smooth_method": "floor", "smooth_value": 0.3, "effective_order": true}},
	{BLEU{Smoothing: "add-k"}, "BLEU", map[string]any{"smooth_method": "add-k"}},
	{BLEU{Smoothing: "add-k", SmoothingValue: 2.5, MaxOrder: 3}, "BLEU", map[string]any{"smooth_method": "add-k", "smooth_value": 2.5, "max_ngram_order": 3}},
	{BLEU{Smoothing: "none", Tokenize: "none"}, "BLEU", map[string]any{"smooth_method": "none", "tokenize": "none"}},
	{BLEU{Tokenize: "intl", Lowercase: true}, "BLEU", map[string]any{"tokenize": "intl", "lowercase": true}},
	{BLEU{Tokenize: "zh", EffectiveOrder: true}, "BLEU", map[string]any{"tokenize": "zh", "effective_order": true}},
	{BLEU{Tokenize: "char", MaxOrder: 6}, "BLEU", map[string]any{"tokenize": "char", "max_ngram_order": 6}},
}

var chrfVariants = []parityVariant{
	{CHRF{}, "CHRF", map[string]any{}},
	{CHRF{WordOrder: 2}, "CHRF", map[string]any{"word_order": 2}},
	{CHRF{WordOrder: 1, Lowercase: true}, "CHRF", map[string]any{"word_order": 1, "lowercase": true}},
	{CHRF{Whitespace: true, Beta: 3}, "CHRF", map[string]any{"whitespace": true, "beta": 3}},
	{CHRF{EpsilonSmoothing: true, WordOrder: 2}, "CHRF", map[string]any{"eps_smoothing": true, "word_order": 2}},
	{CHRF{CharOrder: 3, Beta: 1, EpsilonSmoothing: true}, "CHRF", map[string]any{"char_order": 3, "beta": 1, "eps_smoothing": true}},
}

var terVariants = []parityVariant{
	{TER{}, "TER", map[string]any{}},
	{TER{CaseSensitive: true}, "TER", map[string]any{"case_sensitive": true}},
	{TER{Normalized: true}, "TER", map[string]any{"normalized": true}},
	{TER{NoPunctuation: true}, "TER", map[string]any{"no_punct": true}},
	{TER{Normalized: true, Asian: true}, "TER", map[string]any{"normalized": true, "asian_support": true}},
	{TER{NoPunctuation: true, Asian: true, Normalized: true}, "TER", map[string]any{"no_punct": true, "asian_support": true, "normalized": true}},
}

func TestParitySacrebleu(t *testing.T) {
	type question struct {
		texts.Pair
		Metrics [][2]any `json:"metrics"`
	}
	pairs := texts.New(1).Pairs(parityTexts)
	var questions []question
	var asked [][]parityVariant
	for i, pair := range pairs {
		variants := []parityVariant{bleuVariants[i%len(bleuVariants)], chrfVariants[i%len(chrfVariants)]}
		if i%3 == 0 && i%100 != 99 { // the reference takes half a minute for these already
			variants = append(variants, terVariants[i/3%len(terVariants)])
		}
		q := question{Pair: pair}
		for _, v := range variants {
			q.Metrics = append(q.Metrics, [2]any{v.kind, v.options})
		}
		questions, asked = append(questions, q), append(asked, variants)
	}
	for i, answer := range ask(t, "sacrebleu", []string{"sacrebleu"}, questions) {
		for k, v := range asked[i] {
			got := v.metric.Segment(pairs[i].Hyp, pairs[i].Refs)
			what := fmt.Sprintf("text %d, %s", i, v.metric.Signature(len(pairs[i].Refs)))
			nearAll(t, what, got, answer.Scores[2*k])
			nearAll(t, what, []float64{v.metric.Score(got)}, answer.Scores[2*k+1])
		}
		for name, want := range answer.Tokens {
			if got, err := Tokenize(name, rstrip(pairs[i].Hyp)); err != nil || got != want {
				t.Errorf("Tokenize(%s, %q) = %q, %v; want %q", name, pairs[i].Hyp, got, err, want)
			}
		}
	}
}

func TestParityROUGE(t *testing.T) {
	pairs := texts.New(2).Pairs(parityTexts)
	for i := range pairs {
		if len(pairs[i].Hyp) > 3000 { // the reference's tables are quadratic
			pairs[i] = texts.New(uint64(i)).Pair(100)
		}
	}
	for i, answer := range ask(t, "rouge", []string{"rouge_score"}, pairs) {
		k := 0
		for _, stems := range []bool{false, true} {
			for _, kind := range []string{"1", "2", "3", "9", "L", "Lsum"} {
				score := ROUGE{kind, stems}.Text(pairs[i].Hyp, pairs[i].Refs)
				nearAll(t, fmt.Sprintf("text %d %q, ROUGE-%s, stems %v", i, pairs[i].Hyp, kind, stems),
					[]float64{score.Precision, score.Recall, score.F}, answer.Scores[k])
				k++
			}
		}
	}
}

func TestParityNLTK(t *testing.T) {
	pairs := texts.New(3).Pairs(parityTexts)
	metrics := []METEOR{{}, {}}
	if _, err := os.Stat("/usr/share/wordnet"); err == nil {
		metrics[1].Synonyms = wordNet(t)
	} else {
		t.Log("without synonyms: apt-get install wordnet-base")
	}
	for i, answer := range ask(t, "nltk", []string{"nltk"}, pairs) {
		for k, m := range metrics {
			got := m.Segment(pairs[i].Hyp, pairs[i].Refs)
			nearAll(t, fmt.Sprintf("text %d %q, METEOR with WordNet %v", i, pairs[i].Hyp, k == 1), got[:1], answer.Scores[k])
		}
		for k, word := range fields(pairs[i].Hyp) {
			if got := stemOf(word); got != answer.Stems[k] {
				t.Errorf("Stem(%q) = %q, want %q", word, got, answer.Stems[k])
			}
		}
	}
}

func TestParityScikitLearn(t *testing.T) {
	type question struct {
		Labels      []string  `json:"labels"`
		Predictions []string  `json:"predictions"`
		Xs          []float64 `json:"xs"`
		Ys          []float64 `json:"ys"`
	}
	g := texts.New(4)
	questions := make([]question, 500/whole.Stride(5))
	for i := range questions {
		q, classes := &questions[i], "abcdefgh"[:1+g.IntN(8)]
		for range 2 + g.IntN(40) {
			at, guess := g.IntN(len(classes)), g.IntN(len(classes))
			if g.IntN(3) > 0 {
				guess = at
			}
			q.Labels, q.Predictions = append(q.Labels, classes[at:at+1]), append(q.Predictions, classes[guess:guess+1])
			q.Xs, q.Ys = append(q.Xs, float64(g.IntN(10))), append(q.Ys, g.NormFloat64())
		}
	}
	for i, answer := range ask(t, "sklearn", []string{"sklearn", "scipy"}, questions) {
		q := questions[i]
		confusion := confuse(q.Labels, q.Predictions)
		got := [][]float64{{accuracyOf(confusion), confusion.MCC()}}
		for _, score := range []FScore{confusion.Micro(), confusion.Macro(confusion.Classes), confusion.Weighted(), confusion.Of("b")} {
			got = append(got, []float64{score.Precision, score.Recall, score.F})
		}
		correlations := []float64{pearson(q.Xs, q.Ys), spearman(q.Xs, q.Ys)}
		for k := range correlations {
			if math.IsNaN(correlations[k]) {
				correlations[k] = 0 // as a null is read
			}
		}
		for k, scores := range append(got, correlations) {
			nearAll(t, fmt.Sprintf("question %d, row %d", i, k), scores, answer.Scores[k])
		}
	}
}

// TestParityPython compares the rules for text with Python's, on every character that
// both know, and on words and numbers.
func TestParityPython(t *testing.T) {
	questions := texts.New(5).Pairs(parityTexts / 2)
	for _, text := range []string{"1_000", "1__0", "_1", "1e5", "1E400", "-inf", "Infinity", "nan", "0x10", " 42 ", "٤٢", "1e-5", "0.0001", "1e16", "-0.0", "1.", ".5", ""} {
		questions = append(questions, texts.Pair{Hyp: text})
	}
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf) {
			questions = append(questions, texts.Pair{Hyp: "A" + string(r) + "Σ" + string(r) + "b"})
		}
	}
	for i, answer := range ask(t, "python", nil, questions) {
		text := questions[i].Hyp
		if !answer.Known {
			continue // its Unicode is older than Go's
		}
		number := ""
		if x, ok := parseFloat(text); ok {
			number = floatRepr(x)
		}
		if got := []string{Lower(text), Upper(text), fold(text), Strip(text), rstrip(text), number}; !slices.Equal(got, answer.Texts) {
			t.Errorf("%q: %q, want %q", text, got, answer.Texts)
		}
		if got := fields(text); !slices.Equal(got, answer.Words) {
			t.Errorf("fields(%q) = %q, want %q", text, got, answer.Words)
		}
		k := 0
		for _, r := range text {
			if isSpace(r) != answer.Space[k] || isWord(r) != answer.Word[k] {
				t.Errorf("%q: space %v, word %v; want %v, %v", r, isSpace(r), isWord(r), answer.Space[k], answer.Word[k])
			}
			k++
		}
	}
}
