package lexical

import "math"

// A TokenLogprob is an entry of a list of likely tokens.
type TokenLogprob struct {
	Token   string
	Logprob float64
}

// VQAScore is the probability of "yes" as the reference reads it from the list of the
// first token: of several spellings of yes, or else of no, the last one counts alone. A
// list with neither is 0.
func VQAScore(top []TokenLogprob) float64 {
	words := map[string]float64{}
	for _, entry := range top {
		words[Lower(Strip(entry.Token))] = entry.Logprob
	}
	if p, ok := words["yes"]; ok {
		return math.Exp(p)
	}
	if p, ok := words["no"]; ok {
		return 1 - math.Exp(p)
	}
	return 0
}

// YesProbability is the probability of "yes" in any spelling, which is what VQAScore
// means, and whether the list has it. Where it has only "no", that is taken from 1.
func YesProbability(top []TokenLogprob) (p float64, ok bool) {
	sums, found := map[string]float64{}, map[string]bool{}
	for _, entry := range top {
		word := Lower(Strip(entry.Token))
		sums[word], found[word] = sums[word]+math.Exp(entry.Logprob), true
	}
	switch {
	case found["yes"]:
		return sums["yes"], true
	case found["no"]:
		return 1 - sums["no"], true
	}
	return 0, false
}
