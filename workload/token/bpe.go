package token

import (
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// none stands for "no such token".
const none int32 = -1

// bpe joins the pair of neighbours with the lowest rank until no pair has one.
type bpe struct {
	vocab map[string]int32
	pairs pairs
	words *wordCache

	// bytes holds the token of each byte of a byte-level vocabulary, whose keys
	// in vocab are then raw bytes. For a plain vocabulary it is nil and words
	// are read character by character.
	bytes *[256]int32

	// fallback holds the tokens <0x00>…<0xFF> for characters not in vocab, or
	// nil.
	fallback *[256]int32

	unknown        int32 // none where unknown characters are dropped
	fuseUnknown    bool  // a run of unknown characters is one token
	whole          bool  // a word that is a token is not taken apart
	prefix, suffix string
}

// append adds the ids of word to out.
func (m *bpe) append(word string, out []int32) ([]int32, error) {
	hash, ids, ok := m.words.find(word)
	if ok {
		return append(out, ids...), nil
	}
	start := len(out)
	if id, ok := m.vocab[word]; ok && m.whole {
		out = append(out, id)
	} else {
		out = m.symbols(word, out)
		out = out[:start+m.pairs.join(out[start:])]
	}
	m.words.keep(hash, word, out[start:])
	return out, nil
}

// symbols adds the ids from which joining starts.
func (m *bpe) symbols(word string, out []int32) []int32 {
	if m.bytes == nil {
		return m.characters(word, out)
	}
	run := false
	for i := range len(word) {
		id := m.bytes[word[i]]
		out, run = m.symbol(id, run, out)
	}
	return out
}

func (m *bpe) symbol(id int32, inUnknown bool, out []int32) ([]int32, bool) {
	switch {
	case id != none:
		return append(out, id), false
	case m.unknown == none || inUnknown && m.fuseUnknown:
		return out, inUnknown
	}
	return append(out, m.unknown), true
}

func (m *bpe) characters(word string, out []int32) []int32 {
	run := false
	for i := 0; i < len(word); {
		_, width := utf8.DecodeRuneInString(word[i:])
		text := word[i : i+width]
		if i > 0 {
			text = m.prefix + text
		}
		if i += width; i == len(word) {
			text += m.suffix
		}
		id, ok := m.vocab[text]
		if !ok {
			id = none
			if ids := fallback(m.fallback, text); ids != nil {
				out, run = append(out, ids...), false
				continue
			}
		}
		out, run = m.symbol(id, run, out)
	}
	return out
}

// fallback returns the byte tokens of text, or nil where there are none.
func fallback(table *[256]int32, text string) []int32 {
	if table == nil {
		return nil
	}
	ids := make([]int32, 0, 4)
	for i := range len(text) {
		id := table[text[i]]
		if id == none {
			return nil
		}
		ids = append(ids, id)
	}
	return ids
}

// byteTokens finds <0x00>…<0xFF> in vocab.
func byteTokens(vocab map[string]int32) *[256]int32 {
	var table [256]int32
	for b := range table {
		id, ok := vocab[fmt.Sprintf("<0x%02X>", b)]
		if !ok {
			id = none
		}
		table[b] = id
	}
	return &table
}

// addMerge learns that left and right join to one token. Where a file names a
// pair twice the later line holds, as in the reference implementation.
func (m *bpe) addMerge(left, right string, rank int) error {
	l, ok := m.vocab[left]
	if !ok {
		return fmt.Errorf("merge %d: %q is not in the vocabulary", rank, left)
	}
	r, ok := m.vocab[right]
	if !ok {
		return fmt.Errorf("merge %d: %q is not in the vocabulary", rank, right)
	}
	joined := left + strings.TrimPrefix(right, m.prefix)
	id, ok := m.vocab[joined]
	if !ok {
		return fmt.Errorf("merge %d: %q is not in the vocabulary", rank, joined)
	}
	m.pairs.put(l, r, merge{rank: int32(rank), id: id})
	return nil
}

var errByteLevel = errors.New("a key of the vocabulary is not in the byte-level alphabet")

// alphabet is how byte-level vocabularies spell each byte as a visible
// character: bytes that are visible in Latin-1 stand for themselves, the others
// count up from U+0100.
var alphabet = func() (runes [256]rune) {
	next := rune(256)
	for b := range runes {
		if b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE {
			runes[b] = rune(b)
			continue
		}
		runes[b] = next
		next++
	}
	return runes
}()

// fromAlphabet is alphabet read backwards.
var fromAlphabet = func() map[rune]byte {
	back := make(map[rune]byte, 256)
	for b, r := range alphabet {
		back[r] = byte(b)
	}
	return back
}()

// unspell returns the raw bytes of a byte-level key.
func unspell(key string) (string, error) {
	raw := make([]byte, 0, len(key))
	for _, r := range key {
		b, ok := fromAlphabet[r]
		if !ok {
			return "", errByteLevel
		}
		raw = append(raw, b)
	}
	return string(raw), nil
}

// wordCache remembers the ids of recent words: text repeats itself. Each word
// has one slot, and the last to come has it, so that the cache is bounded, needs
// no lock and cannot change a result.
type wordCache struct {
	seed  maphash.Seed
	slots [1 << 15]atomic.Pointer[cachedWord]
}

type cachedWord struct {
	word string
	ids  []int32
}

// Longer words hardly ever come back.
const longestCached = 48

func newWordCache() *wordCache { return &wordCache{seed: maphash.MakeSeed()} }

func (c *wordCache) find(word string) (hash uint64, ids []int32, ok bool) {
	if len(word) > longestCached {
		return 0, nil, false
	}
	hash = maphash.String(c.seed, word)
	w := c.slots[hash%uint64(len(c.slots))].Load()
	if w == nil || w.word != word {
		return hash, nil, false
	}
	return hash, w.ids, true
}

func (c *wordCache) keep(hash uint64, word string, ids []int32) {
	if len(word) > longestCached {
		return
	}
	w := &cachedWord{strings.Clone(word), append([]int32(nil), ids...)}
	c.slots[hash%uint64(len(c.slots))].Store(w)
}
