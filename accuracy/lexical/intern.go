package lexical

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"iter"
	"math/bits"
	"unicode/utf8"
)

// An interner numbers the words of one segment, so that everything after it compares
// numbers. The text of hypothesis and references lies in one buffer that is used again
// for the next segment: however long a corpus is, it needs the memory of its longest
// segment.
type interner struct {
	text  []byte
	slots []internSlot
	epoch uint32 // slots of another epoch are empty
	words uint32
	seed  maphash.Seed
	salt  wordKey // so that nobody can write words that all belong in one slot
}

// An internSlot is one word.
type internSlot struct {
	key         wordKey
	start, size uint32 // in the text
	epoch       uint32
	word        uint32
}

// A wordKey is the first sixteen bytes of a word, zeros behind its end. It is all of most
// words.
type wordKey struct{ head, tail uint64 }

// keySize is the length up to which words of one length with one key are equal.
const keySize = 16

// keyMasks clear what stands behind a word of so many bytes.
var keyMasks = func() (masks [keySize + 1]wordKey) {
	for n := range masks {
		masks[n] = wordKey{1<<(8*min(n, 8)) - 1, 1<<(8*max(n-8, 0)) - 1}
	}
	return masks
}()

func newInterner() interner {
	seed := maphash.MakeSeed()
	return interner{slots: make([]internSlot, 256), seed: seed, salt: wordKey{maphash.String(seed, "head"), maphash.String(seed, "tail")}}
}

// reset forgets every word.
func (in *interner) reset() {
	in.text, in.words = in.text[:0], 0
	in.epoch++
	if in.epoch == 0 {
		clear(in.slots)
		in.epoch = 1
	}
}

// number gives the word text[start:end] its number.
//
// Most of the time that BLEU takes is spent here. So the key and the slot of a short word are
// found without calls, from sixteen bytes that are read wherever it ends; and since whether a
// word is new is a coin toss to the processor, which guesses at every if, new and old words
// are written down by the same steps.
func (in *interner) number(start, end int) uint32 {
	if 2*int(in.words) >= len(in.slots) {
		in.grow()
	}
	size, mask := uint32(end-start), uint64(len(in.slots)-1)
	var key wordKey
	var slot *internSlot
	if start+keySize <= cap(in.text) && size <= keySize {
		rest, from := &keyMasks[size], in.text[start:start+keySize]
		key.head, key.tail = binary.LittleEndian.Uint64(from)&rest.head, binary.LittleEndian.Uint64(from[8:])&rest.tail
		at := in.hash(key) & mask
		for one(in.slots[at].epoch == in.epoch)&one(in.slots[at].key.differs(key)|uint64(in.slots[at].size^size) != 0) == 1 {
			at = (at + 1) & mask
		}
		slot = &in.slots[at]
	} else {
		key = in.key(start, end)
		slot = in.find(key, start, end)
	}
	fresh := one(slot.epoch != in.epoch)
	word := slot.word*(1-fresh) + in.words*fresh
	in.words += fresh
	// Field by field: a whole slot would be made elsewhere and copied, which stalls.
	slot.key.head, slot.key.tail = key.head, key.tail
	slot.start, slot.size, slot.epoch, slot.word = uint32(start), uint32(end-start), in.epoch, word
	return word
}

func (in *interner) key(start, end int) wordKey {
	var from [keySize]byte
	copy(from[:], in.text[start:end])
	return wordKey{binary.LittleEndian.Uint64(from[:]), binary.LittleEndian.Uint64(from[8:])}
}

// find is the slot of the word text[start:end], or the empty one where it belongs.
func (in *interner) find(key wordKey, start, end int) *internSlot {
	if end-start > keySize {
		return in.findLong(key, in.text[start:end])
	}
	slots, size := in.slots, uint32(end-start)
	mask := uint64(len(slots) - 1)
	at := in.hash(key) & mask
	for one(slots[at].epoch == in.epoch)&one(slots[at].key.differs(key)|uint64(slots[at].size^size) != 0) == 1 {
		at = (at + 1) & mask
	}
	return &slots[at]
}

func (in *interner) hash(key wordKey) uint64 {
	high, low := bits.Mul64(key.head^in.salt.head, key.tail^in.salt.tail)
	return high ^ low
}

// differs is 0 for equal keys.
func (k wordKey) differs(other wordKey) uint64 { return (k.head ^ other.head) | (k.tail ^ other.tail) }

// findLong compares what a key does not hold as well.
func (in *interner) findLong(key wordKey, word []byte) *internSlot {
	mask := uint64(len(in.slots) - 1)
	for at := maphash.Bytes(in.seed, word) & mask; ; at = (at + 1) & mask {
		slot := &in.slots[at]
		if slot.epoch != in.epoch || slot.key == key && int(slot.size) == len(word) && bytes.Equal(in.text[slot.start:slot.start+slot.size], word) {
			return slot
		}
	}
}

func (in *interner) grow() {
	old := in.slots
	in.slots = make([]internSlot, 2*len(old))
	for _, slot := range old {
		if slot.epoch == in.epoch {
			*in.find(slot.key, int(slot.start), int(slot.start+slot.size)) = slot
		}
	}
}

// split numbers the words from start to the end of the text.
func (in *interner) split(dst []uint32, start int) []uint32 {
	for word, end := range in.between(start) {
		dst = append(dst, in.number(word, end))
	}
	return dst
}

// between yields where words between white space begin and end, from start on.
func (in *interner) between(start int) iter.Seq2[int, int] {
	return func(yield func(word, end int) bool) {
		text, word := in.text, start
		for i := start; i < len(text); {
			r, size := rune(text[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRune(text[i:])
			}
			if isSpace(r) {
				if i > word && !yield(word, i) {
					return
				}
				word = i + size
			}
			i += size
		}
		if len(text) > word {
			yield(word, len(text))
		}
	}
}

// lookUp is the number of a word that has one.
func (in *interner) lookUp(word string) (number uint32, ok bool) {
	start := len(in.text)
	in.text = append(in.text, word...)
	end := len(in.text)
	slot := in.find(in.key(start, end), start, end)
	in.text = in.text[:start]
	return slot.word, slot.epoch == in.epoch
}
