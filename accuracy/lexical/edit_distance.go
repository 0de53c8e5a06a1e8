package lexical

import (
	"math"
	"slices"
)

// beam is how far from the diagonal the edit distance looks.
const beam = 25

// far is a distance that nothing has; one more is still a number.
const far = math.MaxInt32 / 2

// An edit is a step from the hypothesis to the reference.
type edit int

const (
	keep edit = iota + 1
	replace
	remove
	insert
)

// An editDistance is the Levenshtein distance of words within a beam around the line
// from corner to corner of the table, which is not always the true one: Tercom and
// sacrebleu look no farther, so neither does this.
type editDistance struct {
	table  []int32 // of the last alignment: a row for each word of the hypothesis, and one before
	width  int     // of a row
	bands  [][2]int
	buffer [2][]int32
}

// align fills the table and returns the distance, which is known to be at most limit.
func (d *editDistance) align(hyp, ref []uint32, limit int) int {
	d.width = len(ref) + 1
	d.setBands(len(hyp), len(ref))
	d.table = slices.Grow(d.table[:0], (len(hyp)+1)*d.width)[:(len(hyp)+1)*d.width]
	low, high := diagonals(len(hyp), len(ref), limit)
	for j := range d.width {
		d.table[j] = int32(j)
	}
	for i := 1; i <= len(hyp); i++ {
		row, from, to := d.row(i), max(d.bands[i][0], i+low), min(d.bands[i][1], i+high+1)
		fillFar(row[:from])
		nextRow(row, d.row(i-1), hyp[i-1], ref, from, to)
		fillFar(row[to:])
	}
	return int(d.table[len(d.table)-1])
}

func fillFar(cells []int32) {
	for j := range cells {
		cells[j] = far
	}
}

func (d *editDistance) row(i int) []int32 { return d.table[i*d.width : (i+1)*d.width] }

// setBands decides which cells of each row the beam reaches: from, and up to but not
// including. Where one text is so much longer that rows would not meet, the beam is
// wider; the last row is always complete.
func (d *editDistance) setBands(hyp, ref int) {
	d.bands = d.bands[:0]
	if ref < beam { // within reach of every row
		for range hyp + 1 {
			d.bands = append(d.bands, [2]int{0, ref + 1})
		}
		return
	}
	ratio, width := 1.0, float64(beam)
	if hyp > 0 {
		ratio = float64(ref) / float64(hyp)
	}
	if beam < ratio/2 {
		width = math.Ceil(ratio/2 + beam)
	}
	for i := range hyp + 1 {
		diagonal := int(math.Floor(float64(i) * ratio))
		d.bands = append(d.bands, [2]int{max(0, diagonal-int(width)), min(ref+1, diagonal+int(width))})
	}
	d.bands[hyp][1] = ref + 1
}

// nextRow fills the cells of a row from the one before it. The cell to the left of the
// first must be far, or not be there.
func nextRow(row, before []int32, word uint32, ref []uint32, from, to int) {
	if from == 0 && to > 0 {
		row[0] = before[0] + 1
		from = 1
	}
	if from >= to {
		return
	}
	left, diagonal := row[from-1], before[from-1]
	row, before, ref = row[from:to], before[from:to], ref[from-1:to-1]
	for j, above := range before[:len(row)] {
		cost := diagonal + int32(one(word != ref[j]))
		left = min(cost, above+1, left+1)
		row[j] = left
		diagonal = above
	}
}

// diagonals are how far from its own number a row's first and last cell may lie on a path
// that costs at most limit: every step away from a corner's diagonal must be taken back
// (Ukkonen, Information and Control 64, 1985).
func diagonals(hyp, ref, limit int) (low, high int) {
	spare := (limit - abs(ref-hyp)) / 2
	return min(0, ref-hyp) - spare, max(0, ref-hyp) + spare
}

// without is the distance of another hypothesis of the same length that begins with the
// same words as the aligned one, as many as same. Where it is above limit, any number
// above limit may come back, so that hopeless candidates cost little. Limit is at most
// that of the alignment, whose rows know nothing beyond it.
func (d *editDistance) without(hyp, ref []uint32, same, limit int) int {
	if abs(len(ref)-len(hyp)) > limit {
		return far
	}
	low, high := diagonals(len(hyp), len(ref), limit)
	for k := range d.buffer {
		d.buffer[k] = slices.Grow(d.buffer[k][:0], d.width)[:d.width]
	}
	before, filled := d.row(same), d.width
	for i := same + 1; i <= len(hyp); i++ {
		from, to := max(d.bands[i][0], i+low), min(d.bands[i][1], i+high+1)
		if from >= to {
			return far
		}
		if filled < to {
			fillFar(before[filled:to])
		}
		row := d.buffer[i%2]
		if from > 0 {
			row[from-1] = far
		}
		nextRow(row, before, hyp[i-1], ref, from, to)
		before, filled = row, to
	}
	return int(before[len(ref)])
}

// edit is the step by which the table came to a cell: the reference prefers keeping or
// replacing a word to removing one, and that to inserting one.
func (d *editDistance) edit(i, j int, hyp, ref []uint32) edit {
	if i == 0 {
		return insert
	}
	if j == 0 {
		return remove
	}
	cost, before := d.row(i)[j], d.row(i-1)
	same := hyp[i-1] == ref[j-1]
	switch {
	case same && before[j-1] == cost:
		return keep
	case !same && before[j-1]+1 == cost:
		return replace
	case before[j]+1 == cost:
		return remove
	}
	return insert
}
