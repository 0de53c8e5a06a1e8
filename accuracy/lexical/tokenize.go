package lexical

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tokenizers lists the names that BLEU.Tokenize may have. Those of sacrebleu that need
// a model (spm, flores, mecab) are not among them.
var Tokenizers = []string{"13a", "intl", "zh", "char", "none"}

// Tokenize is the text that a tokenizer of sacrebleu makes, words parted by spaces.
func Tokenize(tokenizer, text string) (string, error) {
	cut, ok := cuts[tokenizer]
	if !ok {
		return "", fmt.Errorf("tokenizer %q: want one of %s", tokenizer, strings.Join(Tokenizers, ", "))
	}
	out := string(new(scratch).cutWith(cut, nil, text, false))
	if tokenizer == "char" || tokenizer == "none" {
		return out, nil
	}
	return strings.Join(fields(out), " "), nil
}

// A cut puts white space between the words of a text. It is written as passes over
// bytes that do what the reference's regular expressions do, one after the other.
type cut func(s *scratch, text []byte) []byte

var cuts = map[string]cut{
	"13a":  (*scratch).cut13a,
	"intl": (*scratch).cutInternational,
	"zh":   (*scratch).cutChinese,
	"char": (*scratch).cutCharacters,
	"none": func(_ *scratch, text []byte) []byte { return text },
}

// cutWith appends to dst what a tokenizer makes of a text.
func (s *scratch) cutWith(c cut, dst []byte, text string, lowercase bool) []byte {
	if lowercase {
		s.input = appendLower(s.input[:0], text)
	} else {
		s.input = append(s.input[:0], text...)
	}
	return append(dst, c(s, s.input)...)
}

// pass runs one substitution over a text. Two buffers take turns: what a pass returns
// lives until the pass after the next.
func (s *scratch) pass(text []byte, substitute func(dst, text []byte) []byte) []byte {
	s.turns = 1 - s.turns
	s.pages[s.turns] = substitute(s.pages[s.turns][:0], text)
	return s.pages[s.turns]
}

// cut13a is mteval-v13a, WMT's tokenizer.
func (s *scratch) cut13a(text []byte) []byte {
	text = plain13a(text)
	return s.pass(text, func(dst, text []byte) []byte { return partWestern(dst, text, true) })
}

// append13a appends what 13a cuts to dst.
func (s *scratch) append13a(dst []byte, text string, lowercase bool) []byte {
	if strings.IndexByte(text, '<') >= 0 || strings.IndexByte(text, '\n') >= 0 || strings.IndexByte(text, '&') >= 0 {
		return s.cutWith(func(_ *scratch, text []byte) []byte { return plain13a(text) }, dst, text, lowercase)
	}
	if lowercase {
		return appendLower(dst, text)
	}
	return append(dst, text...)
}

// plain13a is what 13a cuts: without its marks for what was skipped, breaks of lines and
// entities.
func plain13a(text []byte) []byte {
	if bytes.IndexByte(text, '<') >= 0 {
		text = bytes.ReplaceAll(text, []byte("<skipped>"), nil)
	}
	if bytes.IndexByte(text, '\n') >= 0 {
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("-\n"), nil), []byte("\n"), []byte(" "))
	}
	if bytes.IndexByte(text, '&') >= 0 {
		text = unescape(text)
	}
	return text
}

// unescape undoes four entities, in the reference's order: &amp;lt; becomes <.
func unescape(text []byte) []byte {
	for _, entity := range [][2]string{{"&quot;", `"`}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}} {
		text = bytes.ReplaceAll(text, []byte(entity[0]), []byte(entity[1]))
	}
	return text
}

// What characters mean to partWestern.
const (
	plain = iota
	symbol
	stop
	dash
	blank // white space of ASCII other than the space, which is a symbol
	wide  // begins a character that may be white space
)

// western says what each byte means. Symbols are ([\{-\~\[-\` -\&\(-\+\:-\@\/]).
var western = func() (kinds [256]uint8) {
	for _, c := range []byte("{|}~[\\]^_` !\"#$%&()*+:;<=>?@/") {
		kinds[c] = symbol
	}
	kinds['.'], kinds[','], kinds['-'] = stop, stop, dash
	for _, c := range []byte("\t\n\v\f\r\x1c\x1d\x1e\x1f") {
		kinds[c] = blank
	}
	for _, span := range unicode.White_Space.R16 {
		for r := max(rune(span.Lo), utf8.RuneSelf); r <= rune(span.Hi); r++ {
			kinds[string(r)[0]] = wide
		}
	}
	return kinds
}()

// partWestern does in one pass what 13a and zh end with:
//
//	([\{-\~\[-\` -\&\(-\+\:-\@\/])  →  a space, \1, a space
//	([^0-9])([\.,])                      →  \1, a space, \2, a space
//	([\.,])([^0-9])                      →  a space, \1, a space, \2
//	([0-9])(-)                           →  \1, a space, \2, a space
//
// Matches do not overlap: a stop that the second takes is not what another stop comes
// after. Padded says that the text has a space at both ends.
func partWestern(dst, text []byte, padded bool) []byte {
	from, taken := 0, -1
	for i, c := range text {
		if kind := western[c]; kind != plain && kind != wide && standsAlone(text, i, kind, padded, &taken) {
			dst = append(append(dst, text[from:i]...), ' ', c, ' ')
			from = i + 1
		}
	}
	return append(dst, text[from:]...)
}

// standsAlone says whether a symbol, stop or dash is parted from what is around it. Taken
// is the last stop that the second expression took.
func standsAlone(text []byte, i int, kind uint8, padded bool, taken *int) bool {
	switch kind {
	case stop:
		afterOther := (i > 0 || padded) && (i == 0 || !isDigit(text[i-1]) && *taken != i-1)
		if afterOther {
			*taken = i
		}
		last := i == len(text)-1
		return afterOther || last && padded || !last && !isDigit(text[i+1])
	case dash:
		return i > 0 && isDigit(text[i-1])
	}
	return kind == symbol
}

// splitWestern numbers the words of the text from start on, as partWestern parts it with
// a space at both ends, without writing them down.
func (in *interner) splitWestern(dst []uint32, start int) []uint32 {
	text, word, taken := in.text[start:], 0, -1
	for block := 0; block < len(text); block += 64 {
		for ends := mayEndWords(text[block:min(block+64, len(text))]); ends != 0; ends &= ends - 1 {
			i := block + bits.TrailingZeros64(ends)
			kind, size := western[text[i]], 1
			switch {
			case text[i] == ' ': // most often
			case kind == wide:
				r, n := utf8.DecodeRune(text[i:])
				if size = n; !isSpace(r) {
					continue
				}
			case kind == plain || kind != blank && !standsAlone(text, i, kind, true, &taken):
				continue
			}
			if i > word {
				dst = append(dst, in.number(start+word, start+i))
			}
			if text[i] != ' ' && kind != wide && kind != blank {
				dst = append(dst, in.number(start+i, start+i+1))
			}
			word = i + size
		}
	}
	if len(text) > word {
		dst = append(dst, in.number(start+word, start+len(text)))
	}
	return dst
}

// mayEndWords has a bit for each of at most 64 bytes: 1 where a word may end. Only there
// must splitWestern look, and the processor need not guess how long words are.
func mayEndWords(text []byte) (ends uint64) {
	const gather = 0x0002040810204081 // brings the highest bits of eight bytes together
	shift := 0
	for ; len(text) >= 8; text = text[8:] {
		ends |= (notAlphanumeric(binary.LittleEndian.Uint64(text)) * gather >> 56) << shift
		shift += 8
	}
	if len(text) > 0 {
		ends |= (notAlphanumeric(lastBytes(text)) * gather >> 56) << shift
	}
	return ends
}

// lastBytes are less than eight, and letters behind them.
func lastBytes(text []byte) uint64 {
	eight := [8]byte{'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'}
	copy(eight[:], text)
	return binary.LittleEndian.Uint64(eight[:])
}

// notAlphanumeric sets the highest bit of each byte that is no letter or digit of ASCII. To
// add 128 less a character sets it from that character on.
func notAlphanumeric(eight uint64) uint64 {
	const each, high = 0x0101010101010101, 0x8080808080808080
	low := eight &^ high
	small := low | 0x20*each
	letters := (small + (0x80-'a')*each) &^ (small + (0x80-'z'-1)*each)
	digits := (low + (0x80-'0')*each) &^ (low + (0x80-'9'-1)*each)
	return (^(letters | digits) | eight) & high
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// cutInternational is mteval-v14 with its international tokenizer. The text is not
// padded, so a number at the very end keeps its full stop, as in the original.
func (s *scratch) cutInternational(text []byte) []byte {
	text = s.pass(text, partPunctuationAfter)
	text = s.pass(text, partPunctuationBefore)
	return s.pass(text, partSymbolCategory)
}

// partPunctuationAfter is (\P{N})(\p{P}) → \1 \2 and a space.
func partPunctuationAfter(dst, text []byte) []byte {
	free := false // the character before is no number and in no match
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if free && unicode.IsPunct(r) {
			dst = append(append(append(dst, ' '), text[i:i+size]...), ' ')
			free = false
		} else {
			dst = append(dst, text[i:i+size]...)
			free = !unicode.IsNumber(r)
		}
		i += size
	}
	return dst
}

// partPunctuationBefore is (\p{P})(\P{N}) → a space, \1 \2.
func partPunctuationBefore(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		next, after := utf8.DecodeRune(text[i+size:])
		if after > 0 && unicode.IsPunct(r) && !unicode.IsNumber(next) {
			dst = append(append(append(dst, ' '), text[i:i+size]...), ' ')
			i += size
			dst = append(dst, text[i:i+after]...)
			i += after
			continue
		}
		dst = append(dst, text[i:i+size]...)
		i += size
	}
	return dst
}

// partSymbolCategory is (\p{S}) → a space, \1 and a space.
func partSymbolCategory(dst, text []byte) []byte {
	return partRunes(dst, text, unicode.IsSymbol)
}

func partRunes(dst, text []byte, alone func(rune) bool) []byte {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if alone(r) {
			dst = append(append(append(dst, ' '), text[i:i+size]...), ' ')
		} else {
			dst = append(dst, text[i:i+size]...)
		}
		i += size
	}
	return dst
}

// cutChinese parts Chinese characters from each other and the rest as 13a does.
func (s *scratch) cutChinese(text []byte) []byte {
	text = bytes.TrimFunc(text, isSpace)
	text = s.pass(text, func(dst, text []byte) []byte { return partRunes(dst, text, isChinese) })
	return s.pass(text, func(dst, text []byte) []byte { return partWestern(dst, text, false) })
}

// isChinese follows the reference, whose ranges for CJK Extension B are written with
// four hexadecimal digits and a fifth character: Extension B is not in them, and much
// punctuation from U+2001 on is.
func isChinese(r rune) bool {
	if r < 0x2001 {
		return false
	}
	return slices.ContainsFunc(chinese, func(span [2]rune) bool { return span[0] <= r && r <= span[1] })
}

var chinese = [][2]rune{
	{0x3400, 0x4db5}, {0x4e00, 0x9fa5}, {0x9fa6, 0x9fbb}, {0xf900, 0xfa2d}, {0xfa30, 0xfa6a}, {0xfa70, 0xfad9},
	{0x2001, 0x2a6d}, {0x2f81, 0x2fa1}, {0xff00, 0xffef}, {0x2e80, 0x2eff}, {0x3000, 0x303f}, {0x31c0, 0x31ef},
	{0x2f00, 0x2fdf}, {0x2ff0, 0x2fff}, {0x3100, 0x312f}, {0x31a0, 0x31bf}, {0xfe10, 0xfe1f}, {0xfe30, 0xfe4f},
	{0x2600, 0x26ff}, {0x2700, 0x27bf}, {0x3200, 0x32ff}, {0x3300, 0x33ff},
}

// cutCharacters puts a space between any two code points.
func (s *scratch) cutCharacters(text []byte) []byte {
	return s.pass(text, func(dst, text []byte) []byte {
		for i := 0; i < len(text); {
			_, size := utf8.DecodeRune(text[i:])
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = append(dst, text[i:i+size]...)
			i += size
		}
		return dst
	})
}
