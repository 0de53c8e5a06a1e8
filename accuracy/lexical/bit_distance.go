package lexical

import "slices"

// A bitDistance is the true Levenshtein distance to a reference of at most 64 words, a
// row of the table at a time in the bits of a word (Myers, Journal of the ACM 46, 1999;
// Hyyrö's form). It is what editDistance is where its beam reaches every cell, and never
// more than it elsewhere.
type bitDistance struct {
	places []uint64   // by word: where the reference has it
	rows   []bitTable // of the aligned hypothesis
	last   uint64     // the bit of the reference's last word
}

// A bitTable is one row: where it goes up and down from column to column, and its last
// cell.
type bitTable struct {
	up, down uint64
	cost     int
}

// fits says whether a reference is short enough.
func (b *bitDistance) fits(ref []uint32) bool { return len(ref) <= 64 }

// setReference notes where words are.
func (b *bitDistance) setReference(ref []uint32) {
	clear(b.places)
	for j, word := range ref {
		for int(word) >= len(b.places) {
			b.places = append(b.places, 0)
		}
		b.places[word] |= 1 << j
	}
	b.last = 1 << (len(ref) - 1)
}

// align keeps the rows of a hypothesis and returns its distance.
func (b *bitDistance) align(hyp, ref []uint32) int {
	b.rows = slices.Grow(b.rows[:0], len(hyp)+1)
	row := bitTable{up: ^uint64(0), cost: len(ref)}
	b.rows = append(b.rows, row)
	for _, word := range hyp {
		row = b.next(row, word)
		b.rows = append(b.rows, row)
	}
	return row.cost
}

// without is the distance of another hypothesis that begins with as many words of the
// aligned one as same. Where it is above limit, any number above limit may come back.
func (b *bitDistance) without(hyp []uint32, same, limit int) int {
	row := b.rows[same]
	for i := same; i < len(hyp); i++ {
		if row.cost-(len(hyp)-i) > limit {
			return far
		}
		row = b.next(row, hyp[i])
	}
	return row.cost
}

func (b *bitDistance) next(row bitTable, word uint32) bitTable {
	same := uint64(0)
	if int(word) < len(b.places) {
		same = b.places[word]
	}
	vertical := same | row.down
	across := ((same & row.up) + row.up) ^ row.up | same
	up, down := row.down|^(across|row.up), row.up&across
	row.cost += int(one(up&b.last != 0)) - int(one(down&b.last != 0))
	up, down = up<<1|1, down<<1
	return bitTable{up: down | ^(vertical | up), down: up & vertical, cost: row.cost}
}
