package lexical

import "math"

// A Divergence is how far the next token that one server expects is from what another
// does, as far as their lists of the likeliest tokens show it.
type Divergence struct {
	// KL is the Kullback–Leibler divergence in nats, at least: tokens that are not in
	// both lists count as one. The true one is no smaller, because telling events apart
	// never makes distributions more alike.
	KL float64

	// Unseen is the probability, under the first and under the second, of all tokens
	// that are not in both lists. Where it is small, so is what KL may miss.
	Unseen [2]float64

	// SameTop says that both find the same token likeliest.
	SameTop bool
}

// Diverge compares two lists of log-probabilities of the next token. The first is the
// one that should be right.
func Diverge(base, other map[string]float64) Divergence {
	d := Divergence{Unseen: [2]float64{1, 1}, SameTop: likeliest(base) == likeliest(other)}
	for token, p := range base {
		q, both := other[token]
		if !both {
			continue
		}
		d.KL += math.Exp(p) * (p - q)
		d.Unseen[0] -= math.Exp(p)
		d.Unseen[1] -= math.Exp(q)
	}
	for i := range d.Unseen {
		d.Unseen[i] = max(d.Unseen[i], 0)
	}
	if d.Unseen[0] > 0 {
		// Lists are rounded: a whole vocabulary may leave a little less than nothing.
		d.KL += d.Unseen[0] * math.Log(d.Unseen[0]/max(d.Unseen[1], 1e-12))
	}
	d.KL = max(d.KL, 0)
	return d
}

// likeliest is the token of the highest log-probability, of equal ones the first by
// spelling.
func likeliest(logprobs map[string]float64) string {
	best, found := "", math.Inf(-1)
	for token, p := range logprobs {
		if p > found || p == found && token < best {
			best, found = token, p
		}
	}
	return best
}
