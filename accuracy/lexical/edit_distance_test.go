package lexical

import (
	"testing"

	"assay/tests/texts"
)

// TestEditDistances compares the table in a beam and the one in bits with the distance by
// its definition, where the beam reaches everything, and after a shift.
func TestEditDistances(t *testing.T) {
	g := texts.New(8)
	words := func(n int) []uint32 {
		all := make([]uint32, n)
		for i := range all {
			all[i] = uint32(g.IntN(6))
		}
		return all
	}
	for range 3000 {
		hyp, ref := words(g.IntN(beam)), words(1+g.IntN(beam-1))
		want := levenshtein(hyp, ref)
		var table editDistance
		var bits bitDistance
		bits.setReference(ref)
		if got := bits.align(hyp, ref); got != want {
			t.Fatalf("in bits, %v to %v costs %d, want %d", hyp, ref, got, want)
		}
		if got := table.align(hyp, ref, want); got != want {
			t.Fatalf("in a table, %v to %v costs %d, want %d", hyp, ref, got, want)
		}
		if len(hyp) == 0 {
			continue
		}
		start := g.IntN(len(hyp))
		length, target := 1+g.IntN(len(hyp)-start), g.IntN(len(hyp)+1)
		moved := move(nil, hyp, start, length, target)
		same, limit := min(start, target), g.IntN(want+1) // a shift must not cost more than before
		want = levenshtein(moved, ref)
		for name, got := range map[string]int{"bits": bits.without(moved, same, limit), "a table": table.without(moved, ref, same, limit)} {
			if got != want && (want <= limit || got <= limit) {
				t.Fatalf("in %s, %v to %v costs %d, want %d (limit %d)", name, moved, ref, got, want, limit)
			}
		}
	}
}

func levenshtein(a, b []uint32) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal + choose(x == y, 0, 1)
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
