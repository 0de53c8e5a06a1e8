package lexical

import "math/bits"

// An overlap counts the n-grams that a hypothesis shares with its references. Sequences
// are numbers: code points, or words that an interner has numbered.
//
// An n-gram is known by the slot of its first n-1 symbols and its last symbol, so each
// order costs one lookup for each n-gram. One whose beginning the other side does not
// have cannot be shared and is not looked at again, which leaves less and less to do.
type overlap struct {
	slots []gramSlot  // those in use
	all   []gramSlot  // that there is room for
	tally []gramTally // of slots, where there are several references
	epoch uint32
	refs  [][]gram
	hyp   []gram

	// Where the key of an n-gram belongs: its product with a factor, shifted.
	factor uint64
	shift  int
}

// A gramSlot is one n-gram. Slots of another epoch are empty.
type gramSlot struct {
	key   uint64
	epoch uint32
	left  int32 // twice how often it may still be matched, and 1 more when the hypothesis has it
}

// A gramTally counts the n-gram of a slot in one of several references.
type gramTally struct{ reference, count int32 }

// A gram is an n-gram that still matters: where it begins, and its slot.
type gram struct{ start, slot uint32 }

// matches sets matched[n-1] to the number of shared n-grams, each counted at most as
// often as in the reference that has most of it.
func (o *overlap) matches(matched []int, hypothesis []uint32, references ...[]uint32) {
	clear(matched)
	o.prepare(hypothesis, references)
	for n := range matched {
		o.nextEpoch()
		o.spread(n)
		for r, reference := range references {
			o.refs[r] = o.count(o.refs[r], reference, n, int32(r), len(references) > 1)
		}
		matched[n] = o.meet(hypothesis, n)
		if matched[n] == 0 || n == len(matched)-1 {
			return
		}
		for r := range references {
			o.refs[r] = o.dropUnmet(o.refs[r])
		}
	}
}

func (o *overlap) prepare(hypothesis []uint32, references [][]uint32) {
	o.hyp = every(o.hyp[:0], hypothesis)
	positions := 0
	for r, symbols := range references {
		if r == len(o.refs) {
			o.refs = append(o.refs, nil)
		}
		o.refs[r] = every(o.refs[r][:0], symbols)
		positions += len(symbols)
	}
	// A large table is used in part by short sequences, which then stay in the cache.
	size := bits.Len(uint(3*positions + 32))
	if 1<<size > len(o.all) {
		o.all, o.epoch = make([]gramSlot, 1<<size), 0
	}
	o.slots = o.all[:1<<size]
	if len(references) > 1 && 1<<size > len(o.tally) {
		o.tally = make([]gramTally, 1<<size)
	}
}

// every position begins an n-gram of no symbols.
func every(dst []gram, symbols []uint32) []gram {
	for i := range symbols {
		dst = append(dst, gram{start: uint32(i)})
	}
	return dst
}

func (o *overlap) nextEpoch() {
	o.epoch++
	if o.epoch == 0 {
		clear(o.all)
		o.epoch = 1
	}
}

// spread says where n-grams one longer than n belong. Single symbols lie in their own order:
// words are numbered one after the other, so that no two of them meet.
func (o *overlap) spread(n int) {
	o.factor, o.shift = 1, 0
	if n > 0 {
		o.factor, o.shift = 0x9e3779b97f4a7c15, 64-bits.Len(uint(len(o.slots)-1))
	}
}

// count enters the n-grams of a reference that are one longer than n, and returns them.
//
// Whether an n-gram is new, or met, or has been matched already is a coin toss to the
// processor, which guesses at every if: count and meet add and multiply by 0 and 1 instead.
func (o *overlap) count(grams []gram, symbols []uint32, n int, reference int32, several bool) []gram {
	slots, kept := o.slots, 0
	for _, g := range grams {
		end := int(g.start) + n
		if end >= len(symbols) {
			break
		}
		key := uint64(g.slot)<<32 | uint64(symbols[end])
		at := o.find(slots, key)
		slot := &slots[at]
		old := int32(one(slot.epoch == o.epoch))
		more := int32(2)
		if several {
			o.tally[at].count *= old
			more *= o.tally[at].most(reference, slot.left*old)
		}
		slot.key, slot.epoch, slot.left = key, o.epoch, slot.left*old+more
		grams[kept].start, grams[kept].slot = g.start, at
		kept++
	}
	return grams[:kept]
}

// find is the place of an n-gram, or the empty one where it belongs.
func (o *overlap) find(slots []gramSlot, key uint64) uint32 {
	mask := uint64(len(slots) - 1)
	at := key * o.factor >> o.shift & mask
	for one(slots[at].epoch == o.epoch)&one(slots[at].key != key) == 1 {
		at = (at + 1) & mask
	}
	return uint32(at)
}

// one is 1 for true, which the compiler makes without a branch.
func one(yes bool) (n uint32) {
	if yes {
		n = 1
	}
	return n
}

// most counts an n-gram once more in a reference and is 1 if no reference before has
// had so many.
func (t *gramTally) most(reference, left int32) int32 {
	if t.reference != reference {
		*t = gramTally{reference, 0}
	}
	t.count++
	return int32(one(2*t.count > left))
}

// meet looks the n-grams of the hypothesis up and returns how many are shared. What it
// writes to an empty slot is never read.
func (o *overlap) meet(symbols []uint32, n int) int {
	slots, kept, shared := o.slots, 0, uint32(0)
	for _, g := range o.hyp {
		end := int(g.start) + n
		if end >= len(symbols) {
			break
		}
		at := o.find(slots, uint64(g.slot)<<32|uint64(symbols[end]))
		slot := &slots[at]
		found := one(slot.epoch == o.epoch)
		match := found & one(slot.left >= 2)
		slot.left = (slot.left - 2*int32(match)) | 1
		shared += match
		o.hyp[kept].start, o.hyp[kept].slot = g.start, at
		kept += int(found)
	}
	o.hyp = o.hyp[:kept]
	return int(shared)
}

// dropUnmet leaves the n-grams that the hypothesis has too.
func (o *overlap) dropUnmet(grams []gram) []gram {
	kept := 0
	for _, g := range grams {
		grams[kept] = g
		kept += int(o.slots[g.slot].left & 1)
	}
	return grams[:kept]
}

// ofLength is the number of n-grams in a sequence.
func ofLength(symbols, n int) int { return max(symbols-n+1, 0) }
