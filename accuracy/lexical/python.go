package lexical

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// The references are written in Python, whose rules for text differ from Go's in a few
// characters. This file holds those rules.

// punctuation is string.punctuation.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

func isPunctuation(r rune) bool { return r < utf8.RuneSelf && asciiPunctuation[r] }

var asciiPunctuation = func() (marks [utf8.RuneSelf]bool) {
	for _, r := range punctuation {
		marks[r] = true
	}
	return marks
}()

// isSpace is str.isspace: the four separators of ASCII count.
func isSpace(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiSpace[r]
	}
	return unicode.IsSpace(r)
}

var asciiSpace = [utf8.RuneSelf]bool{
	'\t': true, '\n': true, '\v': true, '\f': true, '\r': true, 0x1c: true, 0x1d: true, 0x1e: true, 0x1f: true, ' ': true,
}

// fields is str.split without arguments.
func fields(s string) []string { return strings.FieldsFunc(s, isSpace) }

// Strip is str.strip without arguments.
func Strip(s string) string { return strings.TrimFunc(s, isSpace) }

// rstrip is str.rstrip without arguments.
func rstrip(s string) string { return strings.TrimRightFunc(s, isSpace) }

// isWord is \w of re: letters, everything that counts as a number, and the underscore.
// Combining marks are not among them.
func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r)
}

// Upper is str.upper: ß becomes SS.
func Upper(s string) string { return cases.Upper(language.Und).String(s) }

// Lower is str.lower: İ becomes two code points, and Σ at the end of a word ς.
func Lower(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || asciiLower[c] != c {
			return string(appendLower(make([]byte, 0, len(s)+8), s))
		}
	}
	return s
}

var asciiLower = func() (letters [utf8.RuneSelf]byte) {
	for c := range letters {
		letters[c] = byte(unicode.ToLower(rune(c)))
	}
	return letters
}()

func appendLower(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			dst = append(dst, asciiLower[c])
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 'İ':
			dst = append(dst, "i\u0307"...)
		case r == 'Σ' && isFinalSigma(s[:i], s[i+size:]):
			dst = append(dst, "ς"...)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		i += size
	}
	return dst
}

// isFinalSigma is the condition Final_Sigma of the Unicode standard, table 3-17.
func isFinalSigma(before, after string) bool {
	before = strings.TrimRightFunc(before, isCaseIgnorable)
	last, size := utf8.DecodeLastRuneInString(before)
	if size == 0 || !isCased(last) {
		return false
	}
	after = strings.TrimLeftFunc(after, isCaseIgnorable)
	next, size := utf8.DecodeRuneInString(after)
	return size == 0 || !isCased(next)
}

func isCased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// isCaseIgnorable is the property Case_Ignorable. Its characters that are not of a
// whole category are those that stand inside words.
func isCaseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:··՟״‘’․‧︓﹒﹕＇．：", r)
}

// fold is str.casefold. Of Cherokee, whose small letters came later, it is the capitals
// that stay, as the Unicode standard has it and package cases has not.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'ꭰ' <= r && r <= 'ꮿ':
			return r - 'ꭰ' + 'Ꭰ'
		case 'ᏸ' <= r && r <= 'ᏽ':
			return r - 'ᏸ' + 'Ᏸ'
		}
		return r
	}, cases.Fold().String(s))
}

// parseFloat is float of a str: white space around it, single underscores between
// digits, and the digits of other scripts are allowed; hexadecimal is not.
func parseFloat(s string) (x float64, ok bool) {
	s = Strip(s)
	if strings.ContainsAny(s, "xXpP") {
		return 0, false
	}
	s = strings.Map(func(r rune) rune {
		if value, ok := digitValue(r); ok {
			return '0' + value
		}
		return r
	}, s)
	for i := range len(s) {
		if s[i] == '_' && (i == 0 || i == len(s)-1 || !isDigit(s[i-1]) || !isDigit(s[i+1])) {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	return x, err == nil || math.IsInf(x, 0) // what is too large is infinite
}

// digitValue is the value of a decimal digit of any script. Each script has its ten in
// one run.
func digitValue(r rune) (value rune, ok bool) {
	for _, span := range unicode.Nd.R16 {
		if rune(span.Lo) <= r && r <= rune(span.Hi) {
			return (r - rune(span.Lo)) % 10, true
		}
	}
	for _, span := range unicode.Nd.R32 {
		if rune(span.Lo) <= r && r <= rune(span.Hi) {
			return (r - rune(span.Lo)) % 10, true
		}
	}
	return 0, false
}

// floatRepr is str of a float.
func floatRepr(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	case math.IsNaN(x):
		return "nan"
	case x != 0 && (math.Abs(x) < 1e-4 || math.Abs(x) >= 1e16):
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
