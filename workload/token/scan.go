package token

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A scanner returns the length of the first word of s, which is not empty.
//
// The published patterns need look-ahead, which Go's regexp has not, and are
// run over every byte of every prompt. So the known ones are written out by
// hand; a pattern that is not known goes through a backtracking engine.
type scanner func(s string) int

// Patterns lists the ways of cutting text into words that are known by name.
var Patterns = map[string]scanner{
	"gpt2":   scanGPT2,
	"p50k":   scanGPT2,
	"cl100k": scanCL100K,
	"llama3": scanLlama3,
	"qwen2":  scanQwen2,
	"o200k":  scanO200K,
}

// regexes knows the same patterns by the regular expressions under which
// tokenizer.json files spell them.
var regexes = map[string]scanner{
	`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`:                                            scanGPT2,
	`'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s`:                                       scanGPT2,
	`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`: scanCL100K,
	`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`:         scanLlama3,
	regexLlama3: scanLlama3,
	`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`: scanQwen2,
	regexO200K: scanO200K,
}

const regexLlama3 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

const regexO200K = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
	`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// The classes of characters that the patterns tell apart.
const (
	letter  = 1 << iota // \p{L}
	number              // \p{N}
	space               // \s
	newline             // [\r\n]
	upper               // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
	lower               // [\p{Ll}\p{Lm}\p{Lo}\p{M}]
)

func classify(r rune) (class uint8) {
	if unicode.IsLetter(r) {
		class |= letter
	}
	if unicode.Is(unicode.N, r) {
		class |= number
	}
	if unicode.IsSpace(r) {
		class |= space
	}
	if r == '\r' || r == '\n' {
		class |= newline
	}
	if unicode.In(r, unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M) {
		class |= upper
	}
	if unicode.In(r, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M) {
		class |= lower
	}
	return class
}

// ascii is apart so that most text is classified by one load.
var ascii = func() (table [utf8.RuneSelf]uint8) {
	for r := range table {
		table[r] = classify(rune(r))
	}
	return table
}()

// plane holds the classes of the Basic Multilingual Plane. It takes a few
// milliseconds to make, which a program that meets only ASCII need not spend.
var plane = sync.OnceValue(func() *[1 << 16]uint8 {
	table := new([1 << 16]uint8)
	for r := range table {
		table[r] = classify(rune(r))
	}
	return table
})

// at returns the class and width of the first character of s.
func at(s string) (class uint8, width int) {
	if c := s[0]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	return atWide(s)
}

func atWide(s string) (class uint8, width int) {
	r, width := utf8.DecodeRuneInString(s)
	if r < 1<<16 {
		return plane()[r], width
	}
	return classify(r), width
}

// run returns the end of the longest run of characters from i that have one of
// the classes of mask.
func run(s string, i int, mask uint8) int {
	for i < len(s) {
		class, width := at(s[i:])
		if class&mask == 0 {
			break
		}
		i += width
	}
	return i
}

// runNot returns the end of the longest run of characters from i that have none
// of the classes of mask.
func runNot(s string, i int, mask uint8) int {
	for i < len(s) {
		class, width := at(s[i:])
		if class&mask != 0 {
			break
		}
		i += width
	}
	return i
}

// contraction returns the length of an English contraction ('s 't 're 've 'm
// 'll 'd) at the start of s, or 0. Folding takes U+017F, the long s, for an s.
func contraction(s string, fold bool) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	if fold && strings.HasPrefix(s[1:], "ſ") {
		return 1 + len("ſ")
	}
	a, b := s[1], byte(0)
	if len(s) > 2 {
		b = s[2]
	}
	if fold {
		a, b = a|0x20, b|0x20
	}
	switch {
	case a == 's', a == 't', a == 'm', a == 'd':
		return 2
	case a == 'r' && b == 'e', a == 'v' && b == 'e', a == 'l' && b == 'l':
		return 3
	}
	return 0
}

// gap returns the length of the white space that opens s. Its last character
// is left to the word that follows, unless it is the only one.
func gap(s string) int {
	end, last := 0, 0
	for end < len(s) {
		class, width := at(s[end:])
		if class&space == 0 {
			break
		}
		end, last = end+width, width
	}
	if end == len(s) || end == last {
		return end
	}
	return end - last
}

// lines returns the length of the white space that opens s, up to and with its
// last line break, or 0 when it has none.
func lines(s string) int {
	end, broken := 0, 0
	for end < len(s) {
		class, width := at(s[end:])
		if class&space == 0 {
			break
		}
		end += width
		if class&newline != 0 {
			broken = end
		}
	}
	return broken
}

func scanGPT2(s string) int {
	if n := contraction(s, false); n > 0 {
		return n
	}
	i := 0
	if s[0] == ' ' && len(s) > 1 {
		i = 1
	}
	class, width := at(s[i:])
	switch {
	case class&letter != 0:
		return run(s, i+width, letter)
	case class&number != 0:
		return run(s, i+width, number)
	case class&space == 0:
		return runNot(s, i+width, letter|number|space)
	}
	return gap(s)
}

func scanLlama3(s string) int { return scanWords(s, 3, false) }
func scanQwen2(s string) int  { return scanWords(s, 1, false) }
func scanCL100K(s string) int { return scanWords(s, 3, true) }

// scanWords is the family of cl100k. The members differ in how many digits make
// a word and in whether white space at the end of the text stays together.
func scanWords(s string, digits int, together bool) int {
	first, width := at(s)
	if first&letter != 0 {
		return run(s, width, letter)
	}
	if n := contraction(s, true); n > 0 {
		return n
	}
	if first&number != 0 {
		return scanDigits(s, width, digits)
	}
	if first&newline == 0 && len(s) > width {
		if class, w := at(s[width:]); class&letter != 0 {
			return run(s, width+w, letter)
		}
	}
	if n := scanMarks(s, "\r\n"); n > 0 {
		return n
	}
	if together && run(s, 0, space) == len(s) {
		return len(s)
	}
	if n := lines(s); n > 0 {
		return n
	}
	return gap(s)
}

// scanDigits is \p{N}{1,most} where the first digit is width bytes long.
func scanDigits(s string, width, most int) int {
	end := width
	for k := 1; k < most && end < len(s); k++ {
		class, w := at(s[end:])
		if class&number == 0 {
			break
		}
		end += w
	}
	return end
}

// scanMarks is " ?[^\s\p{L}\p{N}]+[tail]*", or 0 when it does not match.
func scanMarks(s, tail string) int {
	i := 0
	if s[0] == ' ' {
		i = 1
	}
	end := runNot(s, i, letter|number|space)
	if end == i {
		return 0
	}
	for end < len(s) && strings.IndexByte(tail, s[end]) >= 0 {
		end++
	}
	return end
}

func scanO200K(s string) int {
	first, width := at(s)
	opens := first&(newline|letter|number) == 0 // a character that may open a word
	for _, scan := range []func(string, int) int{scanLowerEnd, scanUpperStart} {
		if opens && len(s) > width {
			if n := scan(s, width); n > 0 {
				return n + contraction(s[n:], true)
			}
		}
		if n := scan(s, 0); n > 0 {
			return n + contraction(s[n:], true)
		}
	}
	if first&number != 0 {
		return scanDigits(s, width, 3)
	}
	if n := scanMarks(s, "\r\n/"); n > 0 {
		return n
	}
	if n := lines(s); n > 0 {
		return n
	}
	return gap(s)
}

// scanLowerEnd is [upper]*[lower]+ from i: its end, or 0. Where no small letter
// follows the capitals, the pattern gives capitals back until it has given back
// a character of both kinds.
func scanLowerEnd(s string, i int) int {
	end, both := i, 0
	for end < len(s) {
		class, width := at(s[end:])
		if class&upper == 0 {
			break
		}
		end += width
		if class&lower != 0 {
			both = end
		}
	}
	if after := run(s, end, lower); after > end {
		return after
	}
	return both
}

// scanUpperStart is [upper]+[lower]* from i: its end, or 0.
func scanUpperStart(s string, i int) int {
	end := run(s, i, upper)
	if end == i {
		return 0
	}
	return run(s, end, lower)
}
