package plan

import (
	"math/rand/v2"
	"slices"
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
func (p Plan) launches() []Launch {
	var list []Launch
	sides := p.Run.Spec.Sides()
	blocks := p.Run.Spec.Trials.Launches()
	if len(sides) < 2 {
		for index := range blocks {
			list = append(list, p.launch(index, int64(index)))
		}
		return list
	}
	shared := p.Run.Spec.SharesServer()
	var order []int
	for block := range blocks {
		if block%2 == 0 {
			rng := rand.New(rand.NewPCG(uint64(Seed(p.Run.Spec.Seed, "block", int64(block))), 0))
			order = rng.Perm(len(sides))
		} else {
			slices.Reverse(order)
		}
		for _, side := range order {
			number := int64(block)
			if shared {
				number = int64(len(list))
			}
			l := p.launch(len(list), number)
			l.Block, l.Side = block, sides[side].Name
			list = append(list, l)
		}
	}
	return list
}

// Replicates is the number of launches of each side: blocks, where there are
// several sides.
func (p Plan) Replicates() int {
	return len(p.Launches) / max(1, len(p.Run.Spec.Sides()))
}
