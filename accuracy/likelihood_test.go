package accuracy

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/record"
)

// An echo is a reply of the completions API as the reference values hold it.
type echo struct {
	Choices []struct {
		Logprobs struct {
			Tokens []string
			Values []*float64           `json:"token_logprobs"`
			Top    []map[string]float64 `json:"top_logprobs"`
		}
	}
	Usage struct {
		Prompt int `json:"prompt_tokens"`
	}
}

// logprobs is the reply as a bundle keeps it.
func (e echo) logprobs() *record.Logprobs {
	from := e.Choices[0].Logprobs
	kept := &record.Logprobs{Tokens: from.Tokens, Values: from.Values}
	for _, top := range from.Top {
		var list []record.Alternative
		for _, token := range slices.Sorted(maps.Keys(top)) {
			list = append(list, record.Alternative{Token: token, Logprob: top[token]})
		}
		kept.Top = append(kept.Top, list)
	}
	return kept
}

type protocol struct {
	Likelihoods []struct {
		ID       int
		Context  int `json:"context_tokens"`
		Said     int `json:"continuation_tokens"`
		Response echo
		Sum      float64 `json:"loglikelihood"`
		Greedy   bool    `json:"is_greedy"`
	} `json:"loglikelihood"`
	Choices []struct {
		ID            int
		Choices       []string
		Logs          []float64 `json:"loglikelihoods"`
		Unconditional []float64 `json:"unconditional_loglikelihoods"`
		Plain         int       `json:"argmax_acc"`
		Norm          int       `json:"argmax_acc_norm_chars"`
		Bytes         int       `json:"argmax_acc_bytes"`
		Information   int       `json:"argmax_mutual_info"`
	} `json:"multiple_choice"`
}

// The likelihood of a continuation is what lm-eval reads out of the same reply, whether
// the server counts the prompt's tokens or not.
func TestLikelihoodAgrees(t *testing.T) {
	var want protocol
	golden(t, "logprob_protocol.json", &want)
	for _, c := range want.Likelihoods {
		logprobs := c.Response.logprobs()
		said := strings.Join(logprobs.Tokens[c.Context:c.Context+c.Said], "")
		for _, counted := range []int{0, c.Response.Usage.Prompt} {
			sum, greedy, err := Likelihood(Reply{Said: said, Logprobs: logprobs, PromptTokens: counted})
			if err != nil || math.Abs(sum-c.Sum) > 1e-12 || greedy != c.Greedy {
				t.Errorf("case %d with %d tokens counted: got %v, %v, %v; want %v, %v", c.ID, counted, sum, greedy, err, c.Sum, c.Greedy)
			}
		}
	}
}

// Every way of choosing by likelihood takes the choice that lm-eval takes.
func TestChoicesByLikelihoodAgree(t *testing.T) {
	var want protocol
	golden(t, "logprob_protocol.json", &want)
	for _, c := range want.Choices {
		a := &Answer{State: Answered, Key: &record.AnswerKey{Choices: c.Choices, Target: new(int)}}
		for i, choice := range c.Choices {
			a.Replies = append(a.Replies, said(" "+choice, c.Logs[i]))
		}
		for i, choice := range c.Choices {
			a.Replies = append(a.Replies, said(" "+choice, c.Unconditional[i]))
		}
		for name, winner := range map[string]int{
			"loglikelihood": c.Plain, "loglikelihood_norm": c.Norm, "loglikelihood_bytes": c.Bytes, "mutual_information": c.Information,
		} {
			g, err := Find(name)
			if err != nil {
				t.Fatal(err)
			}
			row, err := one(g, a)
			if err != nil || row.Extracted != fmt.Sprint(winner) {
				t.Errorf("case %d, %s: got choice %s, %v; want %d", c.ID, name, row.Extracted, err, winner)
			}
		}
	}
}

// said is a reply whose continuation is one token of a given likelihood.
func said(text string, log float64) Reply {
	before := -1.0
	return Reply{Said: text, Logprobs: &record.Logprobs{Tokens: []string{"<s>", "Answer:", text, "x"}, Values: []*float64{nil, &before, &log, &before}}}
}

// Marks before the text, halves of characters and a server that does not repeat the prompt
// are seen for what they are.
func TestLikelihoodOfOddTokens(t *testing.T) {
	f := func(tokens, continuation, want string) {
		t.Helper()
		l := &record.Logprobs{Tokens: strings.Split(tokens, "|")}
		for i := range l.Tokens {
			value := -math.Pow(2, float64(i)) // each sum names its tokens
			l.Values = append(l.Values, &value)
		}
		l.Values[0] = nil
		sum, _, err := Likelihood(Reply{Said: continuation, Logprobs: l})
		got := fmt.Sprint(sum)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("Likelihood of %q in %s = %s, want %s", continuation, tokens, got, want)
		}
	}
	f("<s>|The| sky| is| blue|.", " blue", "-16")
	f("<s>|The| sky| is| blue|.", " is blue", "-24")
	f("a|b| c|d|x", "cd", "-12")        // a token that begins before the continuation belongs to it
	f("a| ||é|x", "é", "-12")           // the empty token is the beginning of the character
	f("a| \ufffd|\ufffd|x", " é", "-6") // a character in two halves
	f("a|b|c|d", " Yes", `the tokens before the answer are "abc" and not " Yes": the server did not repeat the prompt`)
	f("é| no|x", "é no", "token 1 of the continuation has no probability")
}

// What cannot be read is unparsed, and a task without choices is refused.
func TestLikelihoodWithoutProbabilities(t *testing.T) {
	g, err := Find("loglikelihood")
	if err != nil {
		t.Fatal(err)
	}
	row, err := one(g, &Answer{State: Answered, Key: &record.AnswerKey{Choices: []string{"a"}, Target: new(int)}, Replies: []Reply{{Said: " a"}}})
	if err != nil || !row.Unparsed || *row.Score != 0 || !strings.Contains(row.Why, "no probabilities") {
		got, _ := json.Marshal(row)
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := one(g, &Answer{State: Answered, Key: &record.AnswerKey{}}); err == nil {
		t.Error("a question without choices was graded")
	}
}
