package lexical

import (
	"cmp"
	"fmt"
	"math"
)

// BLEU is the BLEU of sacrebleu: precision of n-grams, clipped by the references, with a
// penalty for brevity, from 0 to 100. The zero value is its default.
//
// Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation"
// (ACL 2002); Post, "A Call for Clarity in Reporting BLEU Scores" (WMT 2018).
type BLEU struct {
	// Tokenize is one of Tokenizers. Empty means 13a.
	Tokenize string

	// Smoothing says what a precision of zero becomes: exp, floor, add-k or none (Chen
	// and Cherry, WMT 2014). Empty means exp.
	Smoothing string

	// SmoothingValue is the parameter of floor and add-k. Zero means 0.1 and 1.
	SmoothingValue float64

	// MaxOrder is the length of the longest n-grams. Zero means 4.
	MaxOrder int

	// EffectiveOrder leaves out orders that a text is too short for. Scores of single
	// segments want it.
	EffectiveOrder bool

	// Lowercase compares without case.
	Lowercase bool
}

var _ CorpusMetric = BLEU{}

// A BLEUScore is a BLEU with what it was made of.
type BLEUScore struct {
	Score            float64
	BrevityPenalty   float64
	Precisions       []float64 // of 100
	Matches, Totals  []float64 // n-grams; add-k is in them
	HypothesisLength float64
	ReferenceLength  float64
}

// Check says what is wrong with the options.
func (b BLEU) Check() error {
	if _, ok := cuts[b.tokenizer()]; !ok {
		_, err := Tokenize(b.tokenizer(), "")
		return err
	}
	switch b.smoothing() {
	case "exp", "floor", "add-k", "none":
	default:
		return fmt.Errorf("smoothing %q: want exp, floor, add-k or none", b.Smoothing)
	}
	return nil
}

func (b BLEU) tokenizer() string { return cmp.Or(b.Tokenize, "13a") }
func (b BLEU) smoothing() string { return cmp.Or(b.Smoothing, "exp") }
func (b BLEU) order() int        { return cmp.Or(b.MaxOrder, 4) }

func (b BLEU) smoothingValue() float64 {
	if b.SmoothingValue != 0 {
		return b.SmoothingValue
	}
	return choose(b.smoothing() == "floor", 0.1, 1.0)
}

// Name implements CorpusMetric.
func (b BLEU) Name() string { return "BLEU" }

// Segment implements CorpusMetric: the two lengths, then matches and totals by order.
// Of several references the length counts that is closest, of two as close the shorter.
func (b BLEU) Segment(hypothesis string, references []string) []float64 {
	s := borrow()
	defer s.giveBack()
	sequences := s.reserve(len(references))
	sequences[0] = b.words(s, sequences[0][:0], hypothesis)
	for r, text := range references {
		sequences[r+1] = b.words(s, sequences[r+1][:0], text)
	}
	hyp, refs := sequences[0], sequences[1:]
	order := b.order()
	matched := s.zeros(order)
	s.overlap.matches(matched, hyp, refs...)

	stats := make([]float64, 2+2*order)
	stats[0], stats[1] = float64(len(hyp)), float64(closest(len(hyp), refs))
	for n, m := range matched {
		stats[2+n], stats[2+order+n] = float64(m), float64(ofLength(len(hyp), n+1))
	}
	return stats
}

func (b BLEU) words(s *scratch, dst []uint32, text string) []uint32 {
	start := len(s.words.text)
	if b.tokenizer() == "13a" { // most often, and faster without writing words down
		s.words.text = s.append13a(s.words.text, rstrip(text), b.Lowercase)
		return s.words.splitWestern(dst, start)
	}
	s.words.text = s.cutWith(cuts[b.tokenizer()], s.words.text, rstrip(text), b.Lowercase)
	return s.words.split(dst, start)
}

func closest(length int, refs [][]uint32) int {
	best := len(refs[0])
	for _, ref := range refs[1:] {
		old, now := abs(best-length), abs(len(ref)-length)
		if now < old || now == old && len(ref) < best {
			best = len(ref)
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// Score implements CorpusMetric.
func (b BLEU) Score(sum []float64) float64 { return b.Detail(sum).Score }

// Detail is the score of a sum of contributions, with its parts. Without any match it
// is zero, whatever the smoothing.
func (b BLEU) Detail(sum []float64) BLEUScore {
	order := b.order()
	score := BLEUScore{
		HypothesisLength: sum[0], ReferenceLength: sum[1],
		BrevityPenalty: brevityPenalty(sum[0], sum[1]),
		Matches:        append([]float64(nil), sum[2:2+order]...),
		Totals:         append([]float64(nil), sum[2+order:2+2*order]...),
		Precisions:     make([]float64, order),
	}
	any := false
	for _, m := range score.Matches {
		any = any || m != 0
	}
	if !any {
		return score
	}
	effective := b.precisions(&score)
	logs := 0.0
	for _, p := range score.Precisions[:effective] {
		logs += logOrLow(p)
	}
	score.Score = score.BrevityPenalty * math.Exp(logs/float64(effective))
	return score
}

// precisions fills in the smoothed precisions and returns how many of them count.
func (b BLEU) precisions(score *BLEUScore) (effective int) {
	smoothing, value, halved := b.smoothing(), b.smoothingValue(), 1.0
	effective = b.order()
	for n := range score.Precisions {
		if smoothing == "add-k" && n > 0 {
			score.Matches[n] += value
			score.Totals[n] += value
		}
		total := score.Totals[n]
		if total == 0 {
			break
		}
		if b.EffectiveOrder {
			effective = n + 1
		}
		switch {
		case score.Matches[n] != 0:
			score.Precisions[n] = 100 * score.Matches[n] / total
		case smoothing == "exp":
			halved *= 2
			score.Precisions[n] = 100 / (halved * total)
		case smoothing == "floor":
			score.Precisions[n] = 100 * value / total
		}
	}
	return effective
}

func brevityPenalty(hypothesis, reference float64) float64 {
	switch {
	case hypothesis >= reference:
		return 1
	case hypothesis == 0:
		return 0
	}
	return math.Exp(1 - reference/hypothesis)
}

// logOrLow is the logarithm, with the reference's number for that of zero.
func logOrLow(x float64) float64 {
	if x == 0 {
		return -9999999999
	}
	return math.Log(x)
}

// Signature implements CorpusMetric.
func (b BLEU) Signature(references int) string {
	smoothing := b.smoothing()
	if smoothing == "floor" || smoothing == "add-k" {
		smoothing = fmt.Sprintf("%s[%.2f]", smoothing, b.smoothingValue())
	}
	parts := []string{
		"case:" + choose(b.Lowercase, "lc", "mixed"),
		"eff:" + choose(b.EffectiveOrder, "yes", "no"),
		"tok:" + b.tokenizer(),
		"smooth:" + smoothing,
	}
	if b.order() != 4 { // sacrebleu leaves the order out, and two scores look alike
		parts = append(parts, fmt.Sprintf("order:%d", b.order()))
	}
	return signature(references, parts...)
}
