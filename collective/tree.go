package collective

import "math/bits"

// The tree is binomial with rank 0 as its root: a rank's parent is its number
// without the lowest bit, and the ranks below it follow it without a gap. It needs
// log2 n rounds, and large buffers go through it in pieces.

func parent(rank int) int { return rank & (rank - 1) }

// children are the ranks right below, nearest first.
func children(rank, n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for step := 1; rank+step < n && (rank == 0 || step < lowest(rank)); step <<= 1 {
			if !yield(rank + step) {
				return
			}
		}
	}
}

func lowest(rank int) int { return rank & -rank }

// below is the end of the ranks that a rank's part of the tree holds.
func below(rank, n int) int {
	if rank == 0 {
		return n
	}
	return min(n, rank+lowest(rank))
}

// treeSum adds up the whole buffer at rank 0, whose sum must have its length.
func (g *Group) treeSum(t Type, sum, own []byte) error {
	n := len(g.links)
	return pieces(0, len(own), addPiece, func(lo, hi int) error {
		mine := own[lo:hi]
		for child := range children(g.rank, n) {
			got := g.scratch[:hi-lo]
			if err := g.links[child].recv(got); err != nil {
				return err
			}
			t.add(sum[lo:hi], mine, got)
			mine = sum[lo:hi]
		}
		if g.rank == 0 {
			return nil
		}
		return g.links[parent(g.rank)].send(mine)
	})
}

// treeSpread gives every rank what rank 0 has in buffer.
func (g *Group) treeSpread(buffer []byte) error {
	n := len(g.links)
	farthest := bits.Len(uint(below(g.rank, n) - g.rank - 1)) // the child with most below it goes first
	return pieces(0, len(buffer), addPiece, func(lo, hi int) error {
		if g.rank > 0 {
			if err := g.links[parent(g.rank)].recv(buffer[lo:hi]); err != nil {
				return err
			}
		}
		for i := farthest - 1; i >= 0; i-- {
			if child := g.rank + 1<<i; child < n {
				if err := g.links[child].send(buffer[lo:hi]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func treeReduce(g *Group, op Op) error {
	sum := op.Recv
	if g.rank > 0 {
		sum = room(&g.partial, len(op.Send)) // the receive buffer belongs to the root alone
	}
	return g.treeSum(op.Type, sum, op.Send)
}

func treeBroadcast(g *Group, op Op) error {
	if g.rank > 0 {
		return g.treeSpread(op.Recv)
	}
	err := g.treeSpread(op.Send)
	place(op.Recv, op.Send)
	return err
}

func treeAllReduce(g *Group, op Op) error {
	if err := g.treeSum(op.Type, op.Recv, op.Send); err != nil {
		return err
	}
	if err := g.flush(); err != nil { // what comes now overwrites what was sent
		return err
	}
	return g.treeSpread(op.Recv[:len(op.Send)])
}

// treeCollect brings everybody's block to rank 0. All is indexed by rank; only what
// is below this rank is touched.
func (g *Group) treeCollect(all, own []byte) error {
	n, block := len(g.links), len(own)
	place(all[g.rank*block:(g.rank+1)*block], own)
	for child := range children(g.rank, n) {
		if err := g.links[child].recv(all[child*block : below(child, n)*block]); err != nil {
			return err
		}
	}
	if g.rank == 0 {
		return nil
	}
	return g.links[parent(g.rank)].send(all[g.rank*block : below(g.rank, n)*block])
}

// treeDivide brings every rank its block of what rank 0 has in all.
func (g *Group) treeDivide(all, own []byte) error {
	n, block := len(g.links), len(own)
	if g.rank > 0 {
		if err := g.links[parent(g.rank)].recv(all[g.rank*block : below(g.rank, n)*block]); err != nil {
			return err
		}
	}
	for child := range children(g.rank, n) {
		if err := g.links[child].send(all[child*block : below(child, n)*block]); err != nil {
			return err
		}
	}
	place(own, all[g.rank*block:(g.rank+1)*block])
	return nil
}

func treeGather(g *Group, op Op) error {
	all := op.Recv
	if g.rank > 0 {
		all = room(&g.partial, len(op.Send)*len(g.links))
	}
	return g.treeCollect(all, op.Send)
}

func treeScatter(g *Group, op Op) error {
	all := op.Send
	if g.rank > 0 {
		all = room(&g.partial, len(op.Recv)*len(g.links))
	}
	return g.treeDivide(all, op.Recv)
}

func treeAllGather(g *Group, op Op) error {
	if err := g.treeCollect(op.Recv, op.Send); err != nil {
		return err
	}
	if err := g.flush(); err != nil {
		return err
	}
	return g.treeSpread(op.Recv[:len(op.Send)*len(g.links)])
}

func treeReduceScatter(g *Group, op Op) error {
	whole := len(op.Recv) * len(g.links)
	sum := room(&g.partial, whole)
	if err := g.treeSum(op.Type, sum, op.Send[:whole]); err != nil {
		return err
	}
	if err := g.flush(); err != nil {
		return err
	}
	return g.treeDivide(sum, op.Recv)
}

// treeBarrier gathers tokens and hands them out again.
func treeBarrier(g *Group, _ Op) error {
	for child := range children(g.rank, len(g.links)) {
		if err := g.links[child].take(g); err != nil {
			return err
		}
	}
	if g.rank > 0 {
		up := g.links[parent(g.rank)]
		if err := up.send(token); err != nil {
			return err
		}
		if err := up.take(g); err != nil {
			return err
		}
	}
	for child := range children(g.rank, len(g.links)) {
		if err := g.links[child].send(token); err != nil {
			return err
		}
	}
	return nil
}
