package sim

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// A token is one to four bytes of text, and its number says which: tokenizing
// needs no vocabulary and loses nothing.
type token int64

// maxPiece is the longest piece in bytes. English then has about four bytes to
// a token, and every UTF-8 character fits into one.
const maxPiece = 4

// tokenBase[n] is the number of the first token of n bytes.
var tokenBase = [maxPiece + 2]token{1: 0, 2: 1 << 8, 3: 1<<8 + 1<<16, 4: 1<<8 + 1<<16 + 1<<24, 5: 1<<8 + 1<<16 + 1<<24 + 1<<32}

// tokenize cuts text into pieces. The rule: a word is a run of letters and
// digits together with one space before it; every other character stands alone;
// a piece ends before the character that would make it longer than four bytes.
func tokenize(text string) []token {
	tokens := make([]token, 0, len(text)/3+1)
	for len(text) > 0 {
		n := pieceLen(text)
		tokens = append(tokens, encodeToken(text[:n]))
		text = text[n:]
	}
	return tokens
}

// pieceLen is the length of the first piece of a text that is not empty.
func pieceLen(text string) int {
	first, n := utf8.DecodeRuneInString(text)
	if first == ' ' {
		if next, size := utf8.DecodeRuneInString(text[n:]); !wordRune(next) || n+size > maxPiece {
			return n
		}
	} else if !wordRune(first) {
		return n
	}
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !wordRune(r) || n+size > maxPiece {
			break
		}
		n += size
	}
	return n
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func encodeToken(piece string) token {
	var t token
	for i := range len(piece) {
		t = t<<8 | token(piece[i])
	}
	return t + tokenBase[len(piece)]
}

// detokenize is the inverse of tokenize.
func detokenize(tokens []token) (string, error) {
	var text []byte
	for i, t := range tokens {
		if !t.valid() {
			return "", fmt.Errorf("tokens[%d]: got %d, want a number from 0 to %d", i, t, tokenBase[maxPiece+1]-1)
		}
		text = t.appendText(text)
	}
	return string(text), nil
}

func (t token) valid() bool { return t >= 0 && t < tokenBase[maxPiece+1] }

func (t token) appendText(dst []byte) []byte {
	size := maxPiece
	for t < tokenBase[size] {
		size--
	}
	t -= tokenBase[size]
	for shift := 8 * (size - 1); shift >= 0; shift -= 8 {
		dst = append(dst, byte(t>>shift))
	}
	return dst
}
