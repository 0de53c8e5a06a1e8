package lexical

import "math"

// A Likelihood is how likely a model finds texts, from which perplexities follow.
type Likelihood struct {
	Log                  float64 // the sum of the natural logarithms of its tokens' probabilities
	Tokens, Words, Bytes int
}

// LikelihoodOf is that of one text with the log-probabilities of its tokens. Words are
// counted as lm-eval does: one more than there are runs of white space, also at the ends.
func LikelihoodOf(text string, logprobs []float64) Likelihood {
	words, inside := 1, false
	for _, r := range text {
		space := isSpace(r)
		if space && !inside {
			words++
		}
		inside = space
	}
	return Likelihood{Log: sumOf(logprobs), Tokens: len(logprobs), Words: words, Bytes: len(text)}
}

// PerToken, PerWord and PerByte are perplexities. Only the last two compare models whose
// tokens differ.
func (l Likelihood) PerToken() float64 { return math.Exp(-l.Log / float64(l.Tokens)) }

// PerWord is the perplexity of a word.
func (l Likelihood) PerWord() float64 { return math.Exp(-l.Log / float64(l.Words)) }

// PerByte is the perplexity of a byte of UTF-8.
func (l Likelihood) PerByte() float64 { return math.Exp(-l.Log / float64(l.Bytes)) }

// BitsPerByte is how many bits a byte of UTF-8 costs.
func (l Likelihood) BitsPerByte() float64 { return -l.Log / float64(l.Bytes) / math.Ln2 }
