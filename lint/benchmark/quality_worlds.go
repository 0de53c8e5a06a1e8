package main

import (
	"math/rand/v2"
	"strconv"

	"assay/stats/items"
)

// A qualityWorld draws evaluations of two systems whose true difference is known.
type qualityWorld struct {
	name   string
	items  int
	margin float64

	// draw appends the items of one cluster to an evaluation, in which the second system
	// scores lower by loss on average; items alone are clusters of one.
	draw func(pairs []items.Pair, loss float64, rng *rand.Rand) []items.Pair
}

// evaluation draws one.
func (w qualityWorld) evaluation(loss float64, rng *rand.Rand) []items.Pair {
	pairs := make([]items.Pair, 0, w.items+20)
	for len(pairs) < w.items {
		pairs = w.draw(pairs, loss, rng)
	}
	return pairs
}

// right and wrong are the scores of single answers; nobody writes to them.
var right, wrong = []float64{1}, []float64{0}

// flip is an answer that is lost or gained with the given chances.
func flip(lost, gained float64, rng *rand.Rand) items.Pair {
	switch u := rng.Float64(); {
	case u < lost:
		return items.Pair{A: right, B: wrong}
	case u < lost+gained:
		return items.Pair{A: wrong, B: right}
	case rng.IntN(3) == 0:
		return items.Pair{A: wrong, B: wrong}
	}
	return items.Pair{A: right, B: right}
}

// flipping is single right or wrong answers of which the given share changes.
func flipping(share float64) func([]items.Pair, float64, *rand.Rand) []items.Pair {
	return func(pairs []items.Pair, loss float64, rng *rand.Rand) []items.Pair {
		flips := max(share, loss) // what is lost has flipped
		return append(pairs, flip((flips+loss)/2, (flips-loss)/2, rng))
	}
}

// flippingTogether is the same in clusters of least to most items: one in ten of them is
// touched by the change at all, and half of its answers flip.
func flippingTogether(least, most int) func([]items.Pair, float64, *rand.Rand) []items.Pair {
	const touched, flips = .1, .5
	return func(pairs []items.Pair, loss float64, rng *rand.Rand) []items.Pair {
		lost, gained := 0.0, 0.0
		if rng.Float64() < touched {
			lost, gained = (flips+loss/touched)/2, (flips-loss/touched)/2
		}
		cluster := strconv.Itoa(len(pairs))
		for range least + rng.IntN(most-least+1) {
			one := flip(lost, gained, rng)
			one.Cluster = cluster
			pairs = append(pairs, one)
		}
		return pairs
	}
}

// sampling is k right or wrong answers to each item. Half of the items are no trouble;
// each of the others has a chance of its own, which the loss makes smaller.
func sampling(k int) func([]items.Pair, float64, *rand.Rand) []items.Pair {
	const mean = .75
	answers := func(chance float64, rng *rand.Rand) []float64 {
		scores := make([]float64, k)
		for j := range scores {
			if rng.Float64() < chance {
				scores[j] = 1
			}
		}
		return scores
	}
	return func(pairs []items.Pair, loss float64, rng *rand.Rand) []items.Pair {
		chance := 1.0
		if rng.IntN(2) == 0 {
			chance = rng.Float64()
		}
		return append(pairs, items.Pair{A: answers(chance, rng), B: answers(chance*(1-loss/mean), rng)})
	}
}

// breaking is scores from 0.4 to 1 of which a third change, and the loss is a few answers
// that are worth nothing any more.
func breaking(pairs []items.Pair, loss float64, rng *rand.Rand) []items.Pair {
	const mean = .7
	a := .4 + .6*rng.Float64()
	b := a
	if rng.IntN(3) == 0 {
		b = .4 + .6*rng.Float64()
	}
	if rng.Float64() < loss/mean {
		b = 0
	}
	return append(pairs, items.Pair{A: []float64{a}, B: []float64{b}})
}

// sliding is scores that all move a little, and the loss is the same for each.
func sliding(pairs []items.Pair, loss float64, rng *rand.Rand) []items.Pair {
	a := .2 + .6*rng.Float64()
	return append(pairs, items.Pair{A: []float64{a}, B: []float64{a - loss + .1*(2*rng.Float64()-1)}})
}

// qualityWorlds are the cells of the table.
var qualityWorlds = []qualityWorld{
	{"right or wrong, 2 % flip", 164, .05, flipping(.02)},
	{"right or wrong, 2 % flip", 500, .02, flipping(.02)},
	{"right or wrong, 2 % flip", 1319, .01, flipping(.02)},
	{"right or wrong, 2 % flip", 2100, .01, flipping(.02)},
	{"right or wrong, 2 % flip", 5000, .01, flipping(.02)},
	{"right or wrong, 5 % flip", 164, .05, flipping(.05)},
	{"right or wrong, 5 % flip", 1319, .02, flipping(.05)},
	{"right or wrong, 20 % flip", 164, .1, flipping(.2)},
	{"right or wrong, 20 % flip", 1319, .03, flipping(.2)},
	{"right or wrong, 20 % flip", 5000, .02, flipping(.2)},
	{"4 answers to each item", 164, .05, sampling(4)},
	{"4 answers to each item", 1319, .02, sampling(4)},
	{"8 answers to each item", 300, .05, sampling(8)},
	{"graded, some answers break", 50, .1, breaking},
	{"graded, some answers break", 300, .03, breaking},
	{"graded, some answers break", 1319, .02, breaking},
	{"graded, all answers slide", 100, .03, sliding},
	{"graded, all answers slide", 300, .01, sliding},
	{"graded, all answers slide", 1319, .005, sliding},
	{"40 clusters of 5 flip together", 200, .05, flippingTogether(5, 5)},
	{"264 clusters of 5 flip together", 1320, .02, flippingTogether(5, 5)},
	{"clusters of 1 to 20 flip together", 400, .05, flippingTogether(1, 20)},
	{"clusters of 1 to 20 flip together", 2000, .03, flippingTogether(1, 20)},
	{"20 clusters of 20 flip together", 400, .05, flippingTogether(20, 20)},
	{"100 clusters of 20 flip together", 2000, .05, flippingTogether(20, 20)},
}
