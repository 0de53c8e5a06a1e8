package lexical

import "slices"

// The limits of Tercom, and the last one of sacrebleu.
const (
	longestShift    = 10
	farthestShift   = 50
	shiftCandidates = 1000
)

// shifts finds the edits between two sequences of words when moving a run of words is
// one edit. It is greedy: of all shifts that might help the best is made, and again,
// until none does. Its memory is used again for the next pair.
type shifts struct {
	distance editDistance
	bits     bitDistance
	hyp, ref []uint32
	moved    []uint32 // a candidate
	best     []uint32

	// Where the reference has a word first, plus one, and where it has the same word next.
	heads, next []int32

	// What aligning the hypothesis with the reference says of its words.
	align   []int // for each word of the reference, the last of the hypothesis at or before it
	hypErrs []int // how many words before each one are wrong
	refErrs []int
}

// A shift moves length words from start to before target. It is ranked as Tercom does:
// by what it saves, then the longer, then by the earlier start and the earlier target.
type shift struct {
	cost, length, start, target int
}

func (a shift) better(b shift) bool {
	switch {
	case a.cost != b.cost:
		return a.cost < b.cost
	case a.length != b.length:
		return a.length > b.length
	case a.start != b.start:
		return a.start < b.start
	}
	return a.target < b.target
}

// edits is the number of shifts, insertions, deletions and substitutions.
func (s *shifts) edits(hypothesis, reference []uint32) int {
	if len(reference) == 0 {
		return len(hypothesis)
	}
	s.hyp, s.ref = append(s.hyp[:0], hypothesis...), reference
	s.indexReference()
	short := s.bits.fits(s.ref)
	if short {
		s.bits.setReference(s.ref)
	}
	made, tried := 0, 0
	for {
		limit := len(s.hyp) + len(s.ref)
		if short {
			if cost := s.bits.align(s.hyp, s.ref); len(s.ref) < beam {
				limit = cost
			}
		}
		cost := s.distance.align(s.hyp, s.ref, limit)
		if cost == 0 {
			return made
		}
		better, more := s.search(cost, &tried)
		if !better || !more {
			return made + cost
		}
		made++
		s.hyp, s.best = s.best, s.hyp
	}
}

// search looks for the shift that saves most and leaves its result in best. More says
// that not all candidates of the pair are used up; when they are, the reference does
// not make the shift that it has found.
func (s *shifts) search(cost int, tried *int) (better, more bool) {
	s.readAlignment()
	found := shift{cost: cost - 1} // a shift must save something
	for start, word := range s.hyp {
		if s.hypErrs[min(start+longestShift, len(s.hyp))] == s.hypErrs[start] {
			continue
		}
		for at := s.first(word); at >= 0; at = int(s.next[at]) {
			if abs(at-start) > farthestShift {
				continue
			}
			if s.tryLengths(start, at, &found, tried); *tried >= shiftCandidates {
				return false, false
			}
		}
	}
	return found.length > 0, true
}

// tryLengths tries the runs that both texts have from start and at on.
func (s *shifts) tryLengths(start, at int, found *shift, tried *int) {
	longest := min(longestShift, len(s.hyp)-start, len(s.ref)-at)
	for length := 1; length <= longest && s.hyp[start+length-1] == s.ref[at+length-1]; length++ {
		if !s.mayHelp(start, at, length) {
			continue
		}
		if s.tryTargets(start, at, length, found, tried); *tried >= shiftCandidates {
			return
		}
	}
}

// indexReference notes where the reference has each word.
func (s *shifts) indexReference() {
	s.next = slices.Grow(s.next[:0], len(s.ref))[:len(s.ref)]
	clear(s.heads)
	for at := len(s.ref) - 1; at >= 0; at-- {
		word := int(s.ref[at])
		for word >= len(s.heads) {
			s.heads = append(s.heads, 0)
		}
		s.next[at] = s.heads[word] - 1
		s.heads[word] = int32(at + 1)
	}
}

// first is where the reference has a word first, or -1.
func (s *shifts) first(word uint32) int {
	if int(word) >= len(s.heads) {
		return -1
	}
	return int(s.heads[word]) - 1
}

// mayHelp says whether a run that both texts have, at start in the hypothesis and at in
// the reference, is wrong on both sides and does not lie where it should already.
func (s *shifts) mayHelp(start, at, length int) bool {
	return s.hypErrs[start+length] > s.hypErrs[start] && s.refErrs[at+length] > s.refErrs[at] &&
		(s.align[at] < start || s.align[at] >= start+length)
}

func (s *shifts) tryTargets(start, at, length int, found *shift, tried *int) {
	last := -1
	for i := at - 1; i < at+length; i++ {
		target := 0
		if i >= 0 {
			target = s.align[i] + 1
		}
		if target == last {
			continue
		}
		last = target
		*tried++
		s.moved = move(s.moved[:0], s.hyp, start, length, target)
		cost := s.cost(min(start, target), found.cost)
		if now := (shift{cost, length, start, target}); now.better(*found) {
			*found = now
			s.best = append(s.best[:0], s.moved...)
		}
	}
}

// cost is the distance of the candidate, which begins with as many words of the
// hypothesis as same; above limit it may be any number above limit.
func (s *shifts) cost(same, limit int) int {
	if s.bits.fits(s.ref) {
		cost := s.bits.without(s.moved, same, limit)
		if cost > limit || len(s.ref) < beam {
			return cost
		}
	}
	return s.distance.without(s.moved, s.ref, same, limit)
}

// move appends words with a run of them moved. A target inside the run counts from
// behind it, as in the reference.
func move(dst, words []uint32, start, length, target int) []uint32 {
	run, end := words[start:start+length], start+length
	if target < start {
		dst = append(append(dst, words[:target]...), run...)
		return append(append(dst, words[target:start]...), words[end:]...)
	}
	if target <= end {
		target = min(target+length, len(words))
	}
	dst = append(append(dst, words[:start]...), words[end:target]...)
	return append(append(dst, run...), words[target:]...)
}

// readAlignment walks back through the edits that turn the hypothesis into the reference.
func (s *shifts) readAlignment() {
	s.align = slices.Grow(s.align[:0], len(s.ref))[:len(s.ref)]
	s.hypErrs = slices.Grow(s.hypErrs[:0], len(s.hyp)+1)[:len(s.hyp)+1]
	s.refErrs = slices.Grow(s.refErrs[:0], len(s.ref)+1)[:len(s.ref)+1]
	s.hypErrs[0], s.refErrs[0] = 0, 0
	for i, j := len(s.hyp), len(s.ref); i > 0 || j > 0; {
		switch s.distance.edit(i, j, s.hyp, s.ref) {
		case keep:
			s.hypErrs[i], s.refErrs[j], s.align[j-1] = 0, 0, i-1
			i, j = i-1, j-1
		case replace:
			s.hypErrs[i], s.refErrs[j], s.align[j-1] = 1, 1, i-1
			i, j = i-1, j-1
		case remove:
			s.hypErrs[i] = 1
			i--
		case insert:
			s.refErrs[j], s.align[j-1] = 1, i-1
			j--
		}
	}
	accumulate(s.hypErrs)
	accumulate(s.refErrs)
}

func accumulate(counts []int) {
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
}
