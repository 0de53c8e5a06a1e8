package plan

import (
	"math/rand/v2"
	"slices"

	"assay/spec"
)

// launches orders the launches of the run. With candidates they come in blocks:
// each holds one launch of every side, in an order drawn from the seed. The
// second block of a pair has the reverse of the first one's order, so that a
// drift of the machine that goes on at one pace favours nobody over the pair.
//
// The sides of a block ask the same things in the same order: what differs
// between them is the side. Only where two sides ask one and the same server,
// whose caches would know the second time what it was asked the first time, has
// every launch prompts of its own.
//
// Where hosts are cut into sets, a pair of launches on one set is a block, and every set
// has as many blocks as there would be without. Sets take turns in an order that is drawn
// and reversed in the same way. The order of sides is turned by one place from set to
// set: while one side is first on this set, another is first on the next.
func (p Plan) launches() []Launch {
	sides, sets := p.Run.Spec.Sides(), p.Sets()
	if len(sides) == 0 {
		sides = []spec.Side{{}}
	}
	shared := p.Run.Spec.SharesServer()
	var list []Launch
	var order, turns []int
	block := 0
	for round := range p.Run.Spec.Trials.Launches() {
		if round%2 == 0 {
			order, turns = p.drawn("block", round, len(sides)), p.drawn("sets", round, sets)
		} else {
			slices.Reverse(turns)
		}
		for _, set := range turns {
			own := rotated(order, set)
			if round%2 == 1 {
				slices.Reverse(own)
			}
			for _, side := range own {
				number := int64(block)
				if shared {
					number = int64(len(list))
				}
				l := p.launch(len(list), number)
				if len(sides) > 1 {
					l.Block, l.Side = block, sides[side].Name
				}
				if sets > 1 {
					l.Set = set + 1
				}
				list = append(list, l)
			}
			block++
		}
	}
	return list
}

// Derives reports whether the seed of a launch is the one that the run's seed gives to its
// place: to its block where several sides share one, and else to its number.
func (p Plan) Derives(l Launch) bool {
	number := int64(l.Index)
	if len(p.Sides()) > 1 && !p.SharesServer() {
		number = int64(l.Block)
	}
	return l.Seed == Seed(p.Run.Spec.Seed, "launch", number)
}

// drawn is an order of n things that the seed decides.
func (p Plan) drawn(what string, round, n int) []int {
	return rand.New(rand.NewPCG(uint64(Seed(p.Run.Spec.Seed, what, int64(round))), 0)).Perm(n)
}

// rotated is order with so many of its first places moved to the end.
func rotated(order []int, by int) []int {
	by %= len(order)
	return slices.Concat(order[by:], order[:by])
}

// Replicates is the number of launches of each side: blocks, where there are
// several sides.
func (p Plan) Replicates() int {
	return len(p.Launches) / max(1, len(p.Run.Spec.Sides()))
}
