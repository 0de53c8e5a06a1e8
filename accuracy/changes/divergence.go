package changes

import (
	"math"

	"assay/accuracy"
	"assay/accuracy/lexical"
	"assay/record"
)

// A Divergence is how far apart two systems are about what comes next, before any answer
// differs. It shows a drift that no mark shows yet.
//
// Positions are compared up to and including the first at which the answers differ: behind
// it each side goes on from another text.
type Divergence struct {
	Questions int `json:"questions"` // of which both kept lists of the likeliest tokens
	Positions int `json:"positions"` // that were compared

	// SameTop is the share of positions at which both find the same token likeliest.
	SameTop float64 `json:"sameTop"`

	// MeanKL and MaxKL are the Kullback–Leibler divergence of B from A in nats, at least:
	// tokens that are not in both lists count as one.
	MeanKL float64 `json:"meanKL"`
	MaxKL  float64 `json:"maxKL"`

	// UnseenA and UnseenB are the mean probability of the tokens that are not in both lists.
	UnseenA float64 `json:"unseenA"`
	UnseenB float64 `json:"unseenB"`
}

// add compares the probabilities that came with two answers to a question.
func (d *Divergence) add(a, b *accuracy.Answer) {
	before := d.Positions
	for i := range min(len(a.Replies), len(b.Replies)) {
		left, right := a.Replies[i].Logprobs, b.Replies[i].Logprobs
		if left == nil || right == nil {
			continue
		}
		from := 0
		for _, earlier := range a.Replies[:i] { // choices begin with the same question
			from = max(from, alreadySeen(earlier.Logprobs, left))
		}
		d.addFrom(from, left, right)
	}
	if d.Positions > before {
		d.Questions++
	}
}

// alreadySeen is at how many places two replies look ahead from the same text.
func alreadySeen(earlier, now *record.Logprobs) int {
	if earlier == nil {
		return 0
	}
	for i := range min(len(earlier.Tokens), len(now.Tokens)) {
		if earlier.Tokens[i] != now.Tokens[i] {
			return i + 1
		}
	}
	return min(len(earlier.Tokens), len(now.Tokens))
}

// addFrom compares place by place until the texts differ. Sums stand in the fields for
// means until done.
func (d *Divergence) addFrom(from int, a, b *record.Logprobs) {
	for i := range min(len(a.Tokens), len(b.Tokens), len(a.Top), len(b.Top)) {
		if i >= from && len(a.Top[i]) > 0 && len(b.Top[i]) > 0 {
			one := lexical.Diverge(byToken(a.Top[i]), byToken(b.Top[i]))
			d.Positions++
			d.MeanKL += one.KL
			d.MaxKL = max(d.MaxKL, one.KL)
			d.UnseenA += one.Unseen[0]
			d.UnseenB += one.Unseen[1]
			if one.SameTop {
				d.SameTop++
			}
		}
		if a.Tokens[i] != b.Tokens[i] {
			return
		}
	}
}

// done turns sums into means; nil where nothing was compared.
func (d *Divergence) done() *Divergence {
	if d.Positions == 0 {
		return nil
	}
	for _, sum := range []*float64{&d.SameTop, &d.MeanKL, &d.UnseenA, &d.UnseenB} {
		*sum /= float64(d.Positions)
	}
	return d
}

// byToken is a list of alternatives by spelling. Tokens that are spelt the same, such as
// halves of characters, count as one.
func byToken(list []record.Alternative) map[string]float64 {
	all := make(map[string]float64, len(list))
	for _, alternative := range list {
		value, twice := all[alternative.Token]
		if twice {
			all[alternative.Token] = math.Log(math.Exp(value) + math.Exp(alternative.Logprob))
			continue
		}
		all[alternative.Token] = alternative.Logprob
	}
	return all
}
