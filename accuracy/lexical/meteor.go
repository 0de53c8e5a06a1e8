package lexical

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// METEOR is the METEOR of NLTK, from 0 to 1: words that are equal, then stems that are
// equal, then synonyms, with a penalty for each break in their order. It is not METEOR
// 1.5, whose parameters and paraphrases differ. The zero value is NLTK's default without
// synonyms.
//
// Lavie and Agarwal, "METEOR: An Automatic Metric for MT Evaluation with High Levels of
// Correlation with Human Judgments" (WMT 2007).
type METEOR struct {
	// Alpha weighs precision against recall. Zero means 0.9.
	Alpha float64

	// Beta is the exponent of the penalty. Zero means 3.
	Beta float64

	// Gamma is the weight of the penalty. Zero means 0.5.
	Gamma float64

	// Synonyms are those of a WordNet. Nil leaves that stage out.
	Synonyms *WordNet
}

var _ CorpusMetric = METEOR{}

// Name implements CorpusMetric.
func (m METEOR) Name() string { return "METEOR" }

// Segment implements CorpusMetric: the score, and one text. Words are parted by white
// space.
func (m METEOR) Segment(hypothesis string, references []string) []float64 {
	s := borrow()
	defer s.giveBack()
	best := 0.0
	for _, reference := range references {
		s.words.reset()
		a := &s.meteor
		a.hyp, a.ref = s.meteorText(a.hyp[:0], hypothesis), s.meteorText(a.ref[:0], reference)
		best = max(best, m.score(len(a.hyp), len(a.ref), a.align(s, m.Synonyms)))
	}
	return []float64{best, 1}
}

// Score implements CorpusMetric: the mean.
func (m METEOR) Score(sum []float64) float64 { return sum[0] / sum[1] }

// Signature implements CorpusMetric.
func (m METEOR) Signature(references int) string {
	return signature(references, "meteor:nltk", "tok:split", "stem:nltk-porter",
		"syn:"+choose(m.Synonyms != nil, "wordnet", "no"),
		"params:"+formatFloats(m.alpha(), m.beta(), m.gamma()))
}

func (m METEOR) alpha() float64 { return cmp.Or(m.Alpha, 0.9) }
func (m METEOR) beta() float64  { return cmp.Or(m.Beta, 3) }
func (m METEOR) gamma() float64 { return cmp.Or(m.Gamma, 0.5) }

// A wordPair is a word of the hypothesis and the word of the reference that it matches.
type wordPair struct{ hyp, ref int }

func (m METEOR) score(hypothesis, reference int, pairs []wordPair) float64 {
	if len(pairs) == 0 {
		return 0
	}
	matched := float64(len(pairs))
	precision, recall := matched/float64(hypothesis), matched/float64(reference)
	mean := precision * recall / (m.alpha()*precision + (1-m.alpha())*recall)
	breaks := float64(chunks(pairs)) / matched
	return (1 - m.gamma()*math.Pow(breaks, m.beta())) * mean
}

// chunks counts the runs of pairs that go on by one on both sides.
func chunks(pairs []wordPair) int {
	n := 1
	for i := 1; i < len(pairs); i++ {
		if pairs[i].hyp != pairs[i-1].hyp+1 || pairs[i].ref != pairs[i-1].ref+1 {
			n++
		}
	}
	return n
}

// A meteorAligner pairs words. NLTK says that it minimises crossings; it does not: each
// stage goes through the hypothesis from its end and takes the last free word of the
// reference that fits.
type meteorAligner struct {
	hyp, ref []meteorWord // that have no partner yet
	pairs    []wordPair
	last     []int32 // by the number of a word: where the reference has it last, plus one
	before   []int32 // by place in ref: where it has the same word before, plus one
}

type meteorWord struct {
	at         int // in its text
	start, end int // in the interner's text
	word       uint32
}

// align returns the pairs in the order of the hypothesis. They are valid until the next
// call. The words that have no partner are left.
func (a *meteorAligner) align(s *scratch, synonyms *WordNet) []wordPair {
	a.pairs = a.pairs[:0]
	a.pairEqual(s)
	s.stemAll(a.hyp)
	s.stemAll(a.ref)
	a.pairEqual(s)
	if synonyms != nil {
		a.pairSynonyms(s, synonyms)
	}
	slices.SortFunc(a.pairs, func(x, y wordPair) int { return x.hyp - y.hyp })
	return a.pairs
}

// meteorText numbers the words of a text, parted by white space. Lower case is the same
// for a word by itself and in its text.
func (s *scratch) meteorText(dst []meteorWord, text string) []meteorWord {
	start := len(s.words.text)
	s.words.text = appendLower(s.words.text, text)
	for word, end := range s.words.between(start) {
		dst = append(dst, meteorWord{len(dst), word, end, s.words.number(word, end)})
	}
	return dst
}

// stemAll replaces words by their stems, as the later stages see them.
func (s *scratch) stemAll(words []meteorWord) {
	for i := range words {
		w := &words[i]
		start := len(s.words.text)
		s.words.text = append(s.words.text, s.words.text[w.start:w.end]...)
		end := s.stemLast(start)
		if bytes.Equal(s.words.text[start:end], s.words.text[w.start:w.end]) {
			s.words.text = s.words.text[:start]
			continue
		}
		w.start, w.end, w.word = start, end, s.words.number(start, end)
	}
}

// stemLast replaces the word that the text ends with by its stem.
func (s *scratch) stemLast(start int) (end int) {
	word := s.words.text[start:]
	for _, c := range word {
		if c >= utf8.RuneSelf {
			s.runes = s.runes[:0]
			for _, r := range string(word) {
				s.runes = append(s.runes, r)
			}
			s.words.text = s.words.text[:start]
			for _, r := range stem(s.runes) {
				s.words.text = utf8.AppendRune(s.words.text, r)
			}
			return len(s.words.text)
		}
	}
	s.words.text = s.words.text[:start+len(stem(word))]
	return len(s.words.text)
}

// index notes where the reference has each word.
func (a *meteorAligner) index(words uint32) {
	a.last = slices.Grow(a.last[:0], int(words))[:words]
	clear(a.last)
	a.before = a.before[:0]
	for j, w := range a.ref {
		a.before = append(a.before, a.last[w.word])
		a.last[w.word] = int32(j + 1)
	}
}

// take pairs a word of the hypothesis with the last free place of a word.
func (a *meteorAligner) take(i int, word uint32) {
	j := a.last[word] - 1
	a.last[word] = a.before[j]
	a.pairs = append(a.pairs, wordPair{a.hyp[i].at, a.ref[j].at})
	a.hyp[i].at, a.ref[j].at = -1, -1
}

// dropTaken leaves the words without a partner.
func (a *meteorAligner) dropTaken() {
	taken := func(w meteorWord) bool { return w.at < 0 }
	a.hyp, a.ref = slices.DeleteFunc(a.hyp, taken), slices.DeleteFunc(a.ref, taken)
}

func (a *meteorAligner) pairEqual(s *scratch) {
	a.index(s.words.words)
	for i := len(a.hyp) - 1; i >= 0; i-- {
		if a.last[a.hyp[i].word] > 0 {
			a.take(i, a.hyp[i].word)
		}
	}
	a.dropTaken()
}

// pairSynonyms looks up stems, not words, because the stage before leaves nothing else:
// "automobil" has no synonyms. NLTK's numbers are made that way.
func (a *meteorAligner) pairSynonyms(s *scratch, wordnet *WordNet) {
	a.index(s.words.words)
	for i := len(a.hyp) - 1; i >= 0; i-- {
		stem := string(s.words.text[a.hyp[i].start:a.hyp[i].end])
		best, place := uint32(0), int32(0)
		for synonym := range wordnet.synonyms(stem) {
			if word, ok := s.words.lookUp(synonym); ok && a.last[word] > place {
				best, place = word, a.last[word]
			}
		}
		if place > 0 {
			a.take(i, best)
		}
	}
	a.dropTaken()
}

// formatFloats writes numbers as short as they are.
func formatFloats(xs ...float64) string {
	texts := make([]string, len(xs))
	for i, x := range xs {
		texts[i] = shortFloat(x)
	}
	return strings.Join(texts, ",")
}
