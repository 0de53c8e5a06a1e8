package lexical

import "slices"

// An lcs finds longest common subsequences. Its memory is used again for the next pair.
type lcs struct{ table []int32 }

// length is that of the longest common subsequence.
func (l *lcs) length(a, b []uint32) int {
	l.table = slices.Grow(l.table[:0], len(b)+1)[:len(b)+1]
	row := l.table
	clear(row)
	for _, x := range a {
		diagonal, left := int32(0), int32(0)
		for j, y := range b {
			above := row[j+1]
			if x == y {
				left = diagonal + 1
			} else {
				left = max(left, above)
			}
			row[j+1], diagonal = left, above
		}
	}
	return int(row[len(b)])
}

// union marks the words of a sentence that are in its longest common subsequence with
// any of the others.
func (l *lcs) union(sentence []uint32, others [][]uint32) []bool {
	marks := make([]bool, len(sentence))
	for _, other := range others {
		l.mark(marks, sentence, other)
	}
	return marks
}

// mark marks the words of a that are in one longest common subsequence with b. There
// may be several: the reference's is found from the end, and goes on with the shorter a
// unless the shorter b has more in common.
func (l *lcs) mark(marks []bool, a, b []uint32) {
	width := len(b) + 1
	l.table = slices.Grow(l.table[:0], (len(a)+1)*width)[:(len(a)+1)*width]
	clear(l.table)
	at := func(i, j int) *int32 { return &l.table[i*width+j] }
	for i, x := range a {
		for j, y := range b {
			if x == y {
				*at(i+1, j+1) = *at(i, j) + 1
			} else {
				*at(i+1, j+1) = max(*at(i, j+1), *at(i+1, j))
			}
		}
	}
	for i, j := len(a), len(b); i > 0 && j > 0; {
		switch {
		case a[i-1] == b[j-1]:
			i, j = i-1, j-1
			marks[i] = true
		case *at(i, j-1) > *at(i-1, j):
			j--
		default:
			i--
		}
	}
}
