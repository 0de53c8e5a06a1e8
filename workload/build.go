package workload

import (
	"math/rand/v2"
	"strings"
)

// A Counter counts the tokens of a text as the target's model does. Tokenizers
// of package token are Counters.
type Counter interface {
	Count(text string) int
}

// A Builder makes texts of a wanted number of tokens. It is safe for concurrent
// use when its Counter is.
type Builder struct {
	counter Counter // nil counts words
	words   []string
	perWord float64 // tokens that a word costs, on average
}

// NewBuilder returns a builder that counts with counter. Without one (nil) a
// word of the list counts as a token. A counter that is a Builder is returned
// as it is: learning what words cost is done once for all who share it.
func NewBuilder(counter Counter) *Builder {
	if counter == nil {
		return &Builder{words: words, perWord: 1}
	}
	if b, ok := counter.(*Builder); ok {
		return b
	}
	b := &Builder{counter: counter}
	total := 0
	for _, word := range words {
		// What a word costs is told inside a sentence: at its edges many
		// tokenizers add marks or split otherwise.
		cost := counter.Count("the "+word+" the") - counter.Count("the the")
		total += cost
		if cost == 1 {
			b.words = append(b.words, word)
		}
	}
	b.perWord = 1
	// Too few words would make prompts that repeat themselves.
	if len(b.words) < len(words)/4 {
		b.words = words
		b.perWord = max(1, float64(total)/float64(len(words)))
	}
	return b
}

// Count is the number of tokens of text.
func (b *Builder) Count(text string) int {
	if b.counter == nil {
		return len(strings.Fields(text))
	}
	return b.counter.Count(text)
}

// Text returns a text of n tokens and its count. The count is n unless the
// vocabulary cannot be brought to it; then it is what the text really has.
func (b *Builder) Text(rng *rand.Rand, n int) (string, int) { return b.Extend("", rng, n) }

// Extend continues head until the whole has n tokens and returns it with its
// count. A head that is already longer is returned as it is.
func (b *Builder) Extend(head string, rng *rand.Rand, n int) (string, int) {
	if b.counter == nil {
		have := b.Count(head)
		return b.say(head, rng, n-have), max(n, have)
	}
	text, have := head, b.Count(head)
	// One round does when every word is one token. Each further round halves
	// what is missing at worst; ten are more than any tokenizer needed.
	for range 10 {
		add := int(float64(n-have) / b.perWord)
		if add < 1 {
			break
		}
		longer := b.say(text, rng, add)
		count := b.Count(longer)
		for count > n && len(longer) > len(text) {
			longer = cutWord(longer, len(text))
			count = b.Count(longer)
		}
		if count <= have {
			break
		}
		text, have = longer, count
	}
	return b.fill(text, have, n)
}

// say appends count words to head.
func (b *Builder) say(head string, rng *rand.Rand, count int) string {
	var s strings.Builder
	s.Grow(len(head) + max(count, 0)*6)
	s.WriteString(head)
	for range count {
		if s.Len() > 0 {
			s.WriteByte(' ')
		}
		s.WriteString(b.words[rng.IntN(len(b.words))])
	}
	return s.String()
}

// cutWord drops the last word of text but nothing before floor.
func cutWord(text string, floor int) string {
	return text[:max(floor, strings.LastIndexByte(text, ' '), 0)]
}

// fillers are the pieces that close a gap too small for a word. One of them is
// a single token in every vocabulary seen; the rest are for odd ones. None ends
// in white space, which chat templates trim.
var fillers = []string{" a", " I", " the", ".", ",", "!", " x", "a", "z", "e", "s", "1", " 1"}

// fill appends the smallest pieces until text has n tokens.
func (b *Builder) fill(text string, have, n int) (string, int) {
	for have < n {
		before := have
		for _, piece := range fillers {
			if count := b.Count(text + piece); count > have && count <= n {
				text, have = text+piece, count
				break
			}
		}
		if have == before {
			break
		}
	}
	return text, have
}
