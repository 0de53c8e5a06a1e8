package accuracy

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"assay/record"
)

// Likelihood is the logarithm of the probability of the end of a prompt, by the tokens
// that cover it, and whether each of them was the likeliest. The answer repeats the prompt
// and adds one token, which is no part of it.
//
// The tokens are counted back from the end of the prompt and not forward by their offsets:
// many servers put a mark of the beginning before the text, or write half a character as
// one of its own, and every offset behind it is then wrong.
func Likelihood(r Reply) (sum float64, greedy bool, err error) {
	from, end, err := r.continuation()
	if err != nil {
		return 0, false, err
	}
	greedy = true
	for i := from; i < end; i++ {
		value := r.Logprobs.Values[i]
		if value == nil {
			return 0, false, fmt.Errorf("token %d of the continuation has no probability", i-from+1)
		}
		sum += *value
		greedy = greedy && likeliestIs(r.Logprobs, i, *value)
	}
	return sum, greedy, nil
}

// replacement stands for the bytes of half a character.
const replacement = "\ufffd"

// continuation is where the tokens of the end of the prompt begin, and where they end.
func (r Reply) continuation() (from, end int, err error) {
	l := r.Logprobs
	if l == nil || len(l.Values) == 0 || len(l.Values) != len(l.Tokens) {
		return 0, 0, errors.New("the server gave no probabilities of the prompt")
	}
	end = len(l.Tokens) - 1
	if r.PromptTokens > 0 && r.PromptTokens <= len(l.Tokens) {
		end = r.PromptTokens
	}
	wanted := utf8.RuneCountInString(r.Said)
	from = end
	for seen := 0; from > 0 && (seen < wanted || l.Tokens[from-1] == ""); from-- { // an empty one is the beginning of a character
		seen += utf8.RuneCountInString(l.Tokens[from-1])
	}
	covered := strings.Join(l.Tokens[from:end], "")
	if from == end || !strings.HasSuffix(covered, r.Said) && !strings.Contains(covered, replacement) {
		return 0, 0, fmt.Errorf("the tokens before the answer are %q and not %q: the server did not repeat the prompt", covered, r.Said)
	}
	return from, end, nil
}

// likeliestIs reports whether no alternative at place i has a higher probability.
func likeliestIs(l *record.Logprobs, i int, value float64) bool {
	if i >= len(l.Top) {
		return false
	}
	for _, alternative := range l.Top[i] {
		if alternative.Logprob > value {
			return false
		}
	}
	return true
}
