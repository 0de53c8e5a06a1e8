package lexical

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// TER is the translation edit rate of sacrebleu, which follows Tercom: edits and shifts
// of words per word of the reference, times 100. The zero value is its default, which
// compares without case.
//
// Snover et al., "A Study of Translation Edit Rate with Targeted Human Annotation"
// (AMTA 2006).
type TER struct {
	// Normalized parts punctuation from words and undoes XML entities.
	Normalized bool

	// NoPunctuation removes it.
	NoPunctuation bool

	// Asian makes Normalized part Chinese characters, and NoPunctuation remove their
	// punctuation too.
	Asian bool

	// CaseSensitive keeps case.
	CaseSensitive bool
}

var _ CorpusMetric = TER{}

// Name implements CorpusMetric.
func (t TER) Name() string { return "TER" }

// Segment implements CorpusMetric: the edits against the reference that needs fewest,
// and the mean length of the references.
func (t TER) Segment(hypothesis string, references []string) []float64 {
	s := borrow()
	defer s.giveBack()
	sequences := s.reserve(1)
	sequences[0] = t.words(s, sequences[0][:0], hypothesis)
	fewest, length := -1, 0
	for _, reference := range references {
		sequences[1] = t.words(s, sequences[1][:0], t.prepared(s, reference))
		edits := s.shifts.edits(sequences[0], sequences[1])
		if fewest < 0 || edits < fewest {
			fewest = edits
		}
		length += len(sequences[1])
	}
	return []float64{float64(fewest), float64(length) / float64(len(references))}
}

// Score implements CorpusMetric. Edits without any word in the references are 100.
func (t TER) Score(sum []float64) float64 {
	switch edits, length := sum[0], sum[1]; {
	case length > 0:
		return 100 * (edits / length)
	case edits > 0:
		return 100
	}
	return 0
}

// Signature implements CorpusMetric.
func (t TER) Signature(references int) string {
	return signature(references,
		"case:"+choose(t.CaseSensitive, "mixed", "lc"),
		"tok:tercom",
		"norm:"+choose(t.Normalized, "yes", "no"),
		"punct:"+choose(t.NoPunctuation, "no", "yes"),
		"asian:"+choose(t.Asian, "yes", "no"),
	)
}

// prepared is a reference as the metric gets to see it: sacrebleu normalizes references
// twice, and once more is not always the same.
func (t TER) prepared(s *scratch, reference string) string {
	if !t.Normalized {
		return reference
	}
	return strings.Join(fields(string(s.cutWith(t.cut, nil, rstrip(reference), !t.CaseSensitive))), " ")
}

func (t TER) words(s *scratch, dst []uint32, text string) []uint32 {
	start := len(s.words.text)
	s.words.text = s.cutWith(t.cut, s.words.text, rstrip(text), !t.CaseSensitive)
	return s.words.split(dst, start)
}

// cut is Tercom's normalizer. Three rules of the reference are left out that cannot
// apply, because its text begins and ends with a space by then: those for a possessive
// at the very end, and for Hiragana and Katakana at the very beginning.
func (t TER) cut(s *scratch, text []byte) []byte {
	if t.Normalized && len(text) > 0 {
		text = s.cutTercom(text)
		if t.Asian {
			text = s.pass(text, func(dst, text []byte) []byte { return partRunes(dst, text, isTercomAsian) })
		}
	}
	if t.NoPunctuation {
		text = s.pass(text, func(dst, text []byte) []byte { return withoutPunctuation(dst, text, t.Asian) })
	}
	return text
}

func (s *scratch) cutTercom(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\n-"), nil)
	text = unescape(bytes.ReplaceAll(text, []byte("\n"), []byte(" ")))
	text = s.pass(text, partSymbols)
	text = bytes.ReplaceAll(text, []byte("'s "), []byte(" 's "))
	return s.pass(text, func(dst, text []byte) []byte { return partWestern(dst, text, true) })
}

// partSymbols pads a text and puts spaces around its symbols.
func partSymbols(dst, text []byte) []byte {
	dst = append(dst, ' ')
	for _, c := range text {
		if western[c] == symbol {
			dst = append(dst, ' ', c, ' ')
		} else {
			dst = append(dst, c)
		}
	}
	return append(dst, ' ')
}

func withoutPunctuation(dst, text []byte, asian bool) []byte {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if !strings.ContainsRune(`.,?:;!"()`, r) && !(asian && isAsianPunctuation(r)) {
			dst = append(dst, text[i:i+size]...)
		}
		i += size
	}
	return dst
}

// isTercomAsian is what Tercom parts. The range from U+3200 is the reference's, which
// goes on to U+3F22 where the block that it names ends at U+32FF.
func isTercomAsian(r rune) bool {
	switch {
	case r < 0x2e80:
		return false
	case 0x4e00 <= r && r <= 0x9fff, 0x3400 <= r && r <= 0x4dbf, 0x31c0 <= r && r <= 0x31ef, r <= 0x2eff,
		0xf900 <= r && r <= 0xfaff, 0xfe30 <= r && r <= 0xfe4f, 0x3200 <= r && r <= 0x3f22:
		return true
	}
	return isAsianPunctuation(r)
}

func isAsianPunctuation(r rune) bool {
	switch {
	case r == 0x3001, r == 0x3002, 0x3008 <= r && r <= 0x3011, 0x3014 <= r && r <= 0x301f, 0xff61 <= r && r <= 0xff65, r == 0x30fb:
		return true
	}
	return strings.ContainsRune("．，？：；！＂（）", r)
}
