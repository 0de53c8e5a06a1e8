package token

import (
	"errors"
	"unicode/utf8"
)

// wordPiece takes the longest token at each place of a word. A word that cannot
// be covered is one unknown token.
type wordPiece struct {
	vocab    map[string]int32 // tokens that may open a word
	inner    map[string]int32 // tokens that may go on with it, without their prefix
	unknown  int32
	longest  int // bytes of the longest token
	maxRunes int // longer words are unknown
}

func newWordPiece(vocab map[string]int32, prefix, unknown string, maxRunes int) (*wordPiece, error) {
	m := &wordPiece{vocab: vocab, inner: map[string]int32{}, maxRunes: maxRunes}
	id, ok := vocab[unknown]
	if !ok {
		return nil, errors.New("unk_token is not in the vocabulary")
	}
	m.unknown = id
	for key, id := range vocab {
		m.longest = max(m.longest, len(key))
		if len(key) > len(prefix) && key[:len(prefix)] == prefix {
			m.inner[key[len(prefix):]] = id
		}
	}
	return m, nil
}

func (m *wordPiece) append(word string, out []int32) ([]int32, error) {
	if utf8.RuneCountInString(word) > m.maxRunes {
		return append(out, m.unknown), nil
	}
	start := len(out)
	tokens := m.vocab
	for rest := word; rest != ""; tokens = m.inner {
		id, n := m.prefix(tokens, rest)
		if n == 0 {
			return append(out[:start], m.unknown), nil
		}
		out = append(out, id)
		rest = rest[n:]
	}
	return out, nil
}

// prefix returns the longest token that opens s, and its length.
func (m *wordPiece) prefix(tokens map[string]int32, s string) (id int32, n int) {
	for n = min(len(s), m.longest); n > 0; n-- {
		if n < len(s) && !utf8.RuneStart(s[n]) {
			continue
		}
		if id, ok := tokens[s[:n]]; ok {
			return id, n
		}
	}
	return none, 0
}
