package stats

import "slices"

// The null distributions of rank sums, counted out. Ranks that ties share are
// halves, so every rank is doubled and the sums are whole numbers.

// doubledRanks are twice the ranks of xs, ties sharing the mean of theirs, and
// whether there are any ties.
func doubledRanks(xs []float64) (ranks []int, ties bool) {
	ranks = make([]int, len(xs))
	seen := make(map[int]bool, len(xs))
	for i, r := range Ranks(xs) {
		ranks[i] = int(2 * r)
		ties = ties || seen[ranks[i]]
		seen[ranks[i]] = true
	}
	return ranks, ties
}

// chooseSums is the share of the ways to choose size of the ranks that adds up to
// each sum. Shares and not counts, which leave the range of a float64 early: each
// step weighs the sums with and without the next rank by the chance that it is
// among the chosen.
func chooseSums(ranks []int, size int) []float64 {
	ranks = slices.Sorted(slices.Values(ranks))
	n := len(ranks)
	first := make([]int, n+1) // the sum of the smallest ranks
	for i, r := range ranks {
		first[i+1] = first[i] + r
	}
	// ways[k][s] is the number of ways to choose k of the ranks so far with sum s,
	// divided by the number of all ways to choose k of them.
	ways := make([][]float64, size+1)
	for k := range ways {
		ways[k] = make([]float64, first[n]-first[n-k]+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		// Fewer than least could not become size with what is left.
		least := max(1, size-(n-1-i))
		for k := min(i+1, size); k >= least; k-- {
			in := float64(k) / float64(i+1) // C(i, k−1)/C(i+1, k)
			with, without := ways[k-1], ways[k]
			for s := first[i+1] - first[i+1-k]; s >= first[k]; s-- {
				v := without[s] * (1 - in)
				if s >= r {
					v += with[s-r] * in
				}
				without[s] = v
			}
		}
	}
	return ways[size]
}

// flipSums is the chance of each sum of the ranks that stay when each of them
// stays or goes by the toss of a coin.
func flipSums(ranks []int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	chance := make([]float64, total+1)
	chance[0] = 1
	for _, r := range ranks {
		for s := total; s >= 0; s-- {
			chance[s] /= 2
			if s >= r {
				chance[s] += chance[s-r] / 2
			}
		}
	}
	return chance
}

// bothTails is twice the smaller of the chances of a sum of at most and of at
// least the given one, and one at most.
func bothTails(chances []float64, sum int) float64 {
	var below, above float64
	for s, c := range chances {
		if s <= sum {
			below += c
		}
		if s >= sum {
			above += c
		}
	}
	return min(1, 2*min(below, above))
}
