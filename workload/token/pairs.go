package token

import "math"

// A merge is what two neighbours join to, and how early.
type merge struct{ rank, id int32 }

// pairs maps two ids to their merge. It is an open-addressed table: on the
// longest loop of the package it takes half the time of a Go map.
type pairs struct {
	slots []pairSlot
	used  int
	shift uint
}

type pairSlot struct {
	key uint64 // left+1 in the high half, so that zero means empty
	merge
}

func pairKey(left, right int32) uint64 {
	return uint64(uint32(left)+1)<<32 | uint64(uint32(right))
}

// home spreads keys by Fibonacci hashing.
func (p *pairs) home(key uint64) int { return int(key * 0x9E3779B97F4A7C15 >> p.shift) }

func (p *pairs) put(left, right int32, m merge) {
	if 2*p.used >= len(p.slots) {
		p.grow()
	}
	p.insert(pairSlot{pairKey(left, right), m})
}

func (p *pairs) insert(s pairSlot) {
	i := p.home(s.key)
	for p.slots[i].key != 0 && p.slots[i].key != s.key {
		i = (i + 1) & (len(p.slots) - 1)
	}
	if p.slots[i].key == 0 {
		p.used++
	}
	p.slots[i] = s
}

func (p *pairs) grow() {
	old := p.slots
	bits := uint(10)
	for 1<<bits < 4*len(old) {
		bits++
	}
	p.slots, p.used, p.shift = make([]pairSlot, 1<<bits), 0, 64-bits
	for _, s := range old {
		if s.key != 0 {
			p.insert(s)
		}
	}
}

// get returns the merge of two neighbours; its rank is never when there is none.
func (p *pairs) get(left, right int32) merge {
	if len(p.slots) == 0 {
		return merge{rank: never}
	}
	key := pairKey(left, right)
	for i := p.home(key); ; i = (i + 1) & (len(p.slots) - 1) {
		switch p.slots[i].key {
		case key:
			return p.slots[i].merge
		case 0:
			return merge{rank: never}
		}
	}
}

const never = math.MaxInt32

// shortWord is where looking at every pair becomes slower than a heap.
const shortWord = 96

// join joins neighbours in ids, lowest rank first and leftmost among equals,
// and returns how many are left.
func (p *pairs) join(ids []int32) int {
	if len(ids) > shortWord {
		return p.joinLong(ids)
	}
	var room [shortWord]merge
	n := len(ids)
	next := room[:max(n, 1)]
	for i := 0; i+1 < n; i++ {
		next[i] = p.get(ids[i], ids[i+1])
	}
	for n > 1 {
		best := 0
		for i := 1; i+1 < n; i++ {
			if next[i].rank < next[best].rank {
				best = i
			}
		}
		if next[best].rank == never {
			break
		}
		ids[best] = next[best].id
		copy(ids[best+1:n-1], ids[best+2:n])
		copy(next[best+1:n-1], next[best+2:n])
		n--
		if best+1 < n {
			next[best] = p.get(ids[best], ids[best+1])
		}
		if best > 0 {
			next[best-1] = p.get(ids[best-1], ids[best])
		}
	}
	return n
}

// joinLong does the same with a heap and a list, so that a word of a million
// letters takes a second and not a day.
func (p *pairs) joinLong(ids []int32) int {
	n := int32(len(ids))
	list := make([]link, n)
	var h candidates
	push := func(i int32) {
		if i < 0 || list[i].next >= n {
			return
		}
		left, right := ids[i], ids[list[i].next]
		if m := p.get(left, right); m.rank != never {
			h.push(candidate{m, i, left, right})
		}
	}
	for i := range n {
		list[i] = link{i - 1, i + 1}
	}
	for i := range n {
		push(i)
	}
	for len(h) > 0 {
		c := h.pop()
		i := c.at
		gone := list[i].next
		if ids[i] != c.left || gone >= n || ids[gone] != c.right {
			continue // one of the two has been joined to another since
		}
		ids[i], ids[gone] = c.id, none
		list[i].next = list[gone].next
		if list[i].next < n {
			list[list[i].next].prev = i
		}
		push(i)
		push(list[i].prev)
	}
	left := 0
	for i := int32(0); i < n; i = list[i].next {
		ids[left] = ids[i]
		left++
	}
	return left
}

type link struct{ prev, next int32 }

type candidate struct {
	merge
	at, left, right int32
}

func (c candidate) before(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.at < d.at
}

// candidates is a binary heap. container/heap would box each element.
type candidates []candidate

func (h *candidates) push(c candidate) {
	*h = append(*h, c)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s[i].before(s[up]) {
			return
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
}

func (h *candidates) pop() candidate {
	s := *h
	top, last := s[0], len(s)-1
	s[0] = s[last]
	s = s[:last]
	*h = s
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			return top
		}
		if down+1 < last && s[down+1].before(s[down]) {
			down++
		}
		if !s[down].before(s[i]) {
			return top
		}
		s[i], s[down] = s[down], s[i]
		i = down
	}
}
