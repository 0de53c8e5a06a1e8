package stats

import (
	"math"
	"slices"
)

const (
	// fewToSort is how many values are not worth the tables of a radix sort.
	fewToSort = 2048

	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
)

// Sort sorts xs in ascending order, as slices.Sort does. Many values are sorted by
// their digits, in a third of the time or less, with twice their own memory on top.
func Sort(xs []float64) {
	if len(xs) < fewToSort || slices.ContainsFunc(xs, math.IsNaN) {
		slices.Sort(xs) // which knows a place for what is not a number
		return
	}
	from, to := make([]uint64, len(xs)), make([]uint64, len(xs))
	var counts [digits][1 << digitBits]int
	for i, x := range xs {
		key := sortKey(x)
		from[i] = key
		for d := range counts {
			counts[d][digit(key, d)]++
		}
	}
	for d := range counts {
		if counts[d][digit(from[0], d)] == len(xs) {
			continue // all have the same
		}
		at := 0 // where the values of each digit begin
		for i, n := range counts[d] {
			counts[d][i] = at
			at += n
		}
		for _, key := range from {
			place := &counts[d][digit(key, d)]
			to[*place] = key
			*place++
		}
		from, to = to, from
	}
	for i, key := range from {
		xs[i] = ofSortKey(key)
	}
}

func digit(key uint64, d int) uint64 { return key >> (d * digitBits) & (1<<digitBits - 1) }

// sortKey is a number that is greater where x is: the bits of negative numbers count
// down, and the sign of the others comes first.
func sortKey(x float64) uint64 {
	raw := math.Float64bits(x)
	return raw ^ (uint64(int64(raw)>>63) | 1<<63)
}

func ofSortKey(key uint64) float64 {
	return math.Float64frombits(key ^ (uint64(int64(^key)>>63) | 1<<63))
}
