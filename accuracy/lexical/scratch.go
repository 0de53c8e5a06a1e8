package lexical

import "sync"

// A scratch is the memory that scoring one segment needs, kept for the next one: the
// memory of a corpus is that of its longest segment on every core.
type scratch struct {
	input []byte
	runes []rune
	pages [2][]byte
	turns int

	words     interner
	overlap   overlap
	sequences [][]uint32
	counts    []int
	shifts    shifts
	lcs       lcs
	meteor    meteorAligner
}

var scratches = sync.Pool{New: func() any { return &scratch{words: newInterner()} }}

// borrow hands out a scratch without words; whoever takes it returns it.
func borrow() *scratch {
	s := scratches.Get().(*scratch)
	s.words.reset()
	return s
}

func (s *scratch) giveBack() { scratches.Put(s) }

// reserve makes room for the sequences of a hypothesis and n references.
func (s *scratch) reserve(n int) [][]uint32 {
	for len(s.sequences) < n+1 {
		s.sequences = append(s.sequences, nil)
	}
	return s.sequences[:n+1]
}

// zeros are n counts of nothing.
func (s *scratch) zeros(n int) []int {
	if cap(s.counts) < n {
		s.counts = make([]int, n)
	}
	s.counts = s.counts[:n]
	clear(s.counts)
	return s.counts
}
