package lexical

import (
	"fmt"
	"slices"
	"strings"
)

// ROUGE is a ROUGE of Google's rouge_score: how many n-grams, or how much of the longest
// common subsequence, an answer shares with a reference. Scores are from 0 to 1. Only
// the letters a to z and digits count, so it is 0 on other scripts.
//
// Lin, "ROUGE: A Package for Automatic Evaluation of Summaries" (ACL 2004).
type ROUGE struct {
	// Type is 1 to 9, L or Lsum. Lsum takes every line as a sentence. Empty means L.
	Type string

	// Stem compares the stems of words longer than three letters.
	Stem bool
}

var _ CorpusMetric = ROUGE{}

// An FScore is precision, recall and their harmonic mean.
type FScore struct{ Precision, Recall, F float64 }

func fScore(precision, recall float64) FScore {
	score := FScore{precision, recall, 0}
	if precision+recall > 0 {
		score.F = 2 * precision * recall / (precision + recall)
	}
	return score
}

func (r ROUGE) kind() string { return choose(r.Type == "", "L", r.Type) }

// Check says what is wrong with the options.
func (r ROUGE) Check() error {
	if kind := r.kind(); kind == "L" || kind == "Lsum" || len(kind) == 1 && '1' <= kind[0] && kind[0] <= '9' {
		return nil
	}
	return fmt.Errorf("ROUGE %q: want 1 to 9, L or Lsum", r.Type)
}

// Name implements CorpusMetric.
func (r ROUGE) Name() string { return "ROUGE-" + r.kind() }

// Segment implements CorpusMetric: precision, recall, F and one text.
func (r ROUGE) Segment(hypothesis string, references []string) []float64 {
	score := r.Text(hypothesis, references)
	return []float64{score.Precision, score.Recall, score.F, 1}
}

// Score implements CorpusMetric: the mean F.
func (r ROUGE) Score(sum []float64) float64 { return sum[2] / sum[3] }

// Signature implements CorpusMetric.
func (r ROUGE) Signature(references int) string {
	return signature(references, "rouge:"+r.kind(), "stem:"+choose(r.Stem, "nltk-porter", "no"))
}

// Text is the score of one text against the reference with the highest F, of equal
// ones the first.
func (r ROUGE) Text(hypothesis string, references []string) FScore {
	s := borrow()
	defer s.giveBack()
	var best FScore
	for i, reference := range references {
		if score := r.against(s, hypothesis, reference); i == 0 || score.F > best.F {
			best = score
		}
	}
	return best
}

func (r ROUGE) against(s *scratch, hypothesis, reference string) FScore {
	if r.kind() == "Lsum" {
		return s.summaryScore(s.rougeSentences(hypothesis, r.Stem), s.rougeSentences(reference, r.Stem))
	}
	hyp, ref := s.rougeTexts(hypothesis, reference, r.Stem)
	return r.words(s, hyp, ref)
}

// ROUGEs are the scores of one text by several types, for which it is cut into words
// once. Lsum is not one of them: its words are those of lines.
func ROUGEs(types []string, stem bool, hypothesis string, references []string) []FScore {
	s := borrow()
	defer s.giveBack()
	best := make([]FScore, len(types))
	for i, reference := range references {
		hyp, ref := s.rougeTexts(hypothesis, reference, stem)
		for k, kind := range types {
			if score := (ROUGE{Type: kind, Stem: stem}).words(s, hyp, ref); i == 0 || score.F > best[k].F {
				best[k] = score
			}
		}
	}
	return best
}

// rougeTexts numbers the words of both texts.
func (s *scratch) rougeTexts(hypothesis, reference string, stems bool) (hyp, ref []uint32) {
	sequences := s.reserve(1)
	sequences[0] = s.rougeWords(sequences[0][:0], hypothesis, stems)
	sequences[1] = s.rougeWords(sequences[1][:0], reference, stems)
	return sequences[0], sequences[1]
}

// words is the score of two texts as words.
func (r ROUGE) words(s *scratch, hyp, ref []uint32) FScore {
	if r.kind() == "L" {
		if len(hyp) == 0 || len(ref) == 0 {
			return FScore{}
		}
		common := float64(s.lcs.length(ref, hyp))
		return fScore(common/float64(len(hyp)), common/float64(len(ref)))
	}
	n := int(r.Type[0] - '0')
	matched := s.zeros(n)
	s.overlap.matches(matched, hyp, ref)
	common := float64(matched[n-1])
	return fScore(common/float64(max(ofLength(len(hyp), n), 1)), common/float64(max(ofLength(len(ref), n), 1)))
}

// rougeWords numbers the words of a text: runs of a to z and digits, in lower case.
func (s *scratch) rougeWords(dst []uint32, text string, stems bool) []uint32 {
	start := len(s.words.text)
	s.words.text = appendLower(s.words.text, text)
	all := s.words.text
	for i := start; i < len(all); {
		if !isAlphanumeric(all[i]) {
			i++
			continue
		}
		word := i
		for i < len(all) && isAlphanumeric(all[i]) {
			i++
		}
		end := i
		if stems && end-word > 3 {
			end = word + len(stem(all[word:end]))
		}
		if end > word {
			dst = append(dst, s.words.number(word, end))
		}
	}
	return dst
}

// isAlphanumeric is [a-z0-9]. The bytes of other characters are never in it.
func isAlphanumeric(c byte) bool { return 'a' <= c && c <= 'z' || isDigit(c) }

// rougeSentences are the lines of a text that are not empty.
func (s *scratch) rougeSentences(text string, stems bool) (sentences [][]uint32) {
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			sentences = append(sentences, s.rougeWords(nil, line, stems))
		}
	}
	return sentences
}

// summaryScore is ROUGE-Lsum. For each sentence of the reference the words count that
// are in the longest common subsequence with any sentence of the summary, but no word
// more often than both texts have it, as in ROUGE-1.5.5.
func (s *scratch) summaryScore(summary, reference [][]uint32) FScore {
	inSummary, inReference := slices.Concat(summary...), slices.Concat(reference...)
	if len(inSummary) == 0 || len(inReference) == 0 {
		return FScore{}
	}
	left := make([][2]int, s.words.words)
	for _, word := range inSummary {
		left[word][0]++
	}
	for _, word := range inReference {
		left[word][1]++
	}
	hits := 0
	for _, sentence := range reference {
		for i, common := range s.lcs.union(sentence, summary) {
			counts := &left[sentence[i]]
			if common && counts[0] > 0 && counts[1] > 0 {
				hits, counts[0], counts[1] = hits+1, counts[0]-1, counts[1]-1
			}
		}
	}
	return fScore(float64(hits)/float64(len(inSummary)), float64(hits)/float64(len(inReference)))
}
