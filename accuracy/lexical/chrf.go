package lexical

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// CHRF is chrF and, with WordOrder 2, chrF++ of sacrebleu: the F-score of character
// n-grams, from 0 to 100. The zero value is chrF2.
//
// Popović, "chrF: character n-gram F-score for automatic MT evaluation" (WMT 2015) and
// "chrF++: words helping character n-grams" (WMT 2017).
type CHRF struct {
	// CharOrder is the length of the longest character n-grams. Zero means 6.
	CharOrder int

	// WordOrder is the length of the longest word n-grams, which chrF has not and
	// chrF++ has up to 2.
	WordOrder int

	// Beta is how much more recall weighs than precision. Zero means 2.
	Beta int

	// Lowercase compares without case.
	Lowercase bool

	// Whitespace keeps it: otherwise character n-grams run across words.
	Whitespace bool

	// EpsilonSmoothing averages the F-scores of all orders, as chrF++.py, Moses and NLTK
	// do, rather than precision and recall over the orders that both texts have.
	EpsilonSmoothing bool
}

var _ CorpusMetric = CHRF{}

func (c CHRF) charOrder() int { return cmp.Or(c.CharOrder, 6) }
func (c CHRF) beta() int      { return cmp.Or(c.Beta, 2) }

// Name implements CorpusMetric.
func (c CHRF) Name() string {
	return "chrF" + strconv.Itoa(c.beta()) + strings.Repeat("+", c.WordOrder)
}

// Segment implements CorpusMetric: for each order, characters first, the n-grams of the
// hypothesis, those of the reference, and those that match. Of several references the
// one counts that scores best.
func (c CHRF) Segment(hypothesis string, references []string) []float64 {
	s := borrow()
	defer s.giveBack()
	var best []float64
	score := -1.0
	for _, reference := range references {
		stats := c.against(s, hypothesis, reference)
		if len(references) == 1 {
			return stats
		}
		if now := c.Score(stats); now > score {
			best, score = stats, now
		}
	}
	return best
}

func (c CHRF) against(s *scratch, hypothesis, reference string) []float64 {
	if c.Lowercase {
		hypothesis, reference = Lower(hypothesis), Lower(reference)
	}
	sequences := s.reserve(1)
	stats := make([]float64, 0, 3*(c.charOrder()+c.WordOrder))

	hyp, ref := c.characters(sequences[0][:0], hypothesis), c.characters(sequences[1][:0], reference)
	sequences[0], sequences[1] = hyp, ref
	stats = s.orders(stats, c.charOrder(), hyp, ref)
	if c.WordOrder == 0 {
		return stats
	}
	s.words.reset()
	hyp, ref = s.chrfWords(sequences[0][:0], hypothesis), s.chrfWords(sequences[1][:0], reference)
	sequences[0], sequences[1] = hyp, ref
	return s.orders(stats, c.WordOrder, hyp, ref)
}

// orders appends the three counts of every order. An order that the reference is too
// short for counts for nothing.
func (s *scratch) orders(stats []float64, orders int, hyp, ref []uint32) []float64 {
	matched := s.zeros(orders)
	s.overlap.matches(matched, hyp, ref)
	for n, m := range matched {
		inHyp, inRef := ofLength(len(hyp), n+1), ofLength(len(ref), n+1)
		if inRef == 0 {
			inHyp = 0
		}
		stats = append(stats, float64(inHyp), float64(inRef), float64(m))
	}
	return stats
}

func (c CHRF) characters(dst []uint32, text string) []uint32 {
	for _, r := range text {
		if c.Whitespace || !isSpace(r) {
			dst = append(dst, uint32(r))
		}
	}
	return dst
}

// chrfWords numbers the words of a text, with the punctuation at the end of a word, or
// else at its beginning, as a word of its own: (hi) becomes (hi and ).
func (s *scratch) chrfWords(dst []uint32, text string) []uint32 {
	start := len(s.words.text)
	s.words.text = append(s.words.text, text...)
	for word, end := range s.words.between(start) {
		cut := word
		if _, size := utf8.DecodeRune(s.words.text[word:end]); size < end-word {
			switch {
			case isPunctuation(rune(s.words.text[end-1])):
				cut = end - 1
			case isPunctuation(rune(s.words.text[word])):
				cut = word + 1
			}
		}
		if cut > word {
			dst = append(dst, s.words.number(word, cut))
		}
		dst = append(dst, s.words.number(cut, end))
	}
	return dst
}

// Score implements CorpusMetric.
func (c CHRF) Score(sum []float64) float64 {
	const epsilon = 1e-16
	square := float64(c.beta() * c.beta())
	smoothed, precisions, recalls, orders := 0.0, 0.0, 0.0, 0.0
	for at := 0; at < len(sum); at += 3 {
		inHyp, inRef, matched := sum[at], sum[at+1], sum[at+2]
		precision, recall := epsilon, epsilon
		if inHyp > 0 {
			precision = matched / inHyp
		}
		if inRef > 0 {
			recall = matched / inRef
		}
		if below := square*precision + recall; below > 0 {
			smoothed += (1 + square) * precision * recall / below
		} else {
			smoothed += epsilon
		}
		if inHyp > 0 && inRef > 0 {
			precisions, recalls, orders = precisions+precision, recalls+recall, orders+1
		}
	}
	if c.EpsilonSmoothing {
		return 100 * smoothed / float64(len(sum)/3)
	}
	if orders == 0 || precisions+recalls == 0 {
		return 0
	}
	precision, recall := precisions/orders, recalls/orders
	return 100 * ((1 + square) * precision * recall / (square*precision + recall))
}

// Signature implements CorpusMetric.
func (c CHRF) Signature(references int) string {
	parts := []string{
		"case:" + choose(c.Lowercase, "lc", "mixed"),
		"eff:" + choose(c.EpsilonSmoothing, "no", "yes"),
		fmt.Sprintf("nc:%d", c.charOrder()),
		fmt.Sprintf("nw:%d", c.WordOrder),
		"space:" + choose(c.Whitespace, "yes", "no"),
	}
	if c.beta() != 2 { // sacrebleu has it in the name only
		parts = append(parts, fmt.Sprintf("beta:%d", c.beta()))
	}
	return signature(references, parts...)
}
