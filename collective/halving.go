package collective

// Recursive halving adds up: partners exchange half of what they hold, then a
// quarter, until each holds the sum of one part. Recursive doubling is the way back.
// log2 n rounds carry no more bytes than a ring does.
//
// It needs a power of two. Of other numbers of ranks, pairs at the beginning stand
// together: the odd one hands its buffer to the even one before, which acts for both.

// A fold is how a rank takes part.
type fold struct {
	size  int // ranks that take part: the largest power of two
	pairs int // the first 2·pairs ranks stand together
	place int // among those that take part; -1 for one that its partner acts for
}

func folded(rank, n int) fold {
	size := 1
	for size*2 <= n {
		size *= 2
	}
	f := fold{size: size, pairs: n - size}
	switch {
	case rank >= 2*f.pairs:
		f.place = rank - f.pairs
	case rank%2 == 0:
		f.place = rank / 2
	default:
		f.place = -1
	}
	return f
}

// rank is the rank that acts at a place; it acts for all up to rank(place+1).
func (f fold) rank(place int) int { return place + min(place, f.pairs) }

// paired says that another rank stands with this one.
func (f fold) paired(rank int) bool { return rank < 2*f.pairs }

// foldIn brings the buffer of odd ranks to their partners. It returns where this rank
// now has its sum: own when nothing was added.
func (g *Group) foldIn(f fold, t Type, sum, own []byte) ([]byte, error) {
	switch {
	case !f.paired(g.rank):
		return own, nil
	case f.place < 0:
		return own, g.links[g.rank-1].send(own)
	}
	return sum, g.addPassed(g.links[g.rank+1], nil, t, sum, own, 0, len(own))
}

// halve adds up: at the end this rank has in sum what lies between at(place) and
// at(place+1), the sum over all that take part. From is where it finds what it adds
// to, until that is sum.
func (g *Group) halve(f fold, t Type, sum, from []byte, at func(place int) int) error {
	lo, hi := 0, f.size
	for half := f.size / 2; half > 0; half /= 2 {
		partner := g.links[f.rank(f.place^half)]
		keepLo, keepHi, giveLo, giveHi := lo, lo+half, lo+half, hi
		if f.place&half != 0 {
			keepLo, keepHi, giveLo, giveHi = giveLo, giveHi, keepLo, keepHi
		}
		if err := partner.send(from[at(giveLo):at(giveHi)]); err != nil {
			return err
		}
		if err := g.addPassed(partner, nil, t, sum, from, at(keepLo), at(keepHi)); err != nil {
			return err
		}
		lo, hi, from = keepLo, keepHi, sum
	}
	return nil
}

// double spreads: this rank has in all what lies between at(place) and at(place+1),
// and at the end everything.
func (g *Group) double(f fold, all []byte, at func(place int) int) error {
	for have := 1; have < f.size; have *= 2 {
		mine := f.place &^ (have - 1)
		theirs := mine ^ have
		partner := g.links[f.rank(f.place^have)]
		if err := partner.send(all[at(mine):at(mine+have)]); err != nil {
			return err
		}
		if err := partner.recv(all[at(theirs):at(theirs+have)]); err != nil {
			return err
		}
	}
	return nil
}

// foldOut gives odd ranks what their partners have.
func (g *Group) foldOut(f fold, all []byte) error {
	switch {
	case !f.paired(g.rank):
		return nil
	case f.place < 0:
		return g.links[g.rank-1].recv(all)
	}
	return g.links[g.rank+1].send(all)
}

func halvingAllReduce(g *Group, op Op) error {
	f := folded(g.rank, len(g.links))
	sum := op.Recv[:len(op.Send)]
	from, err := g.foldIn(f, op.Type, sum, op.Send)
	if err != nil {
		return err
	}
	at := cut{len(op.Send), f.size, op.Type.bytes}.at
	if f.place >= 0 {
		if err := g.halve(f, op.Type, sum, from, at); err != nil {
			return err
		}
		// In place, what was sent from here is about to be replaced.
		if err := g.flush(); err != nil {
			return err
		}
		if err := g.double(f, sum, at); err != nil {
			return err
		}
	} else if err := g.flush(); err != nil {
		return err
	}
	return g.foldOut(f, sum)
}

// blocksAt are the bounds of the blocks of those that a place acts for.
func (f fold) blocksAt(block int) func(place int) int {
	return func(place int) int { return f.rank(place) * block }
}

func halvingReduceScatter(g *Group, op Op) error {
	block := len(op.Recv)
	sum := room(&g.partial, block*len(g.links))
	if err := g.halveBlocks(op.Type, sum, op.Send[:len(sum)]); err != nil {
		return err
	}
	if err := g.flush(); err != nil { // in place, what was sent is about to be replaced
		return err
	}
	place(op.Recv, sum[g.rank*block:(g.rank+1)*block])
	return nil
}

// halveBlocks leaves in sum, on every rank, the sum of its own block.
func (g *Group) halveBlocks(t Type, sum, own []byte) error {
	f, block := folded(g.rank, len(g.links)), len(sum)/len(g.links)
	from, err := g.foldIn(f, t, sum, own)
	if err != nil {
		return err
	}
	if f.place >= 0 {
		if err := g.halve(f, t, sum, from, f.blocksAt(block)); err != nil {
			return err
		}
	}
	switch {
	case !f.paired(g.rank):
		return nil
	case f.place < 0:
		return g.links[g.rank-1].recv(sum[g.rank*block : (g.rank+1)*block])
	}
	return g.links[g.rank+1].send(sum[(g.rank+1)*block : (g.rank+2)*block])
}

func doublingAllGather(g *Group, op Op) error {
	block := len(op.Send)
	all := op.Recv[:block*len(g.links)]
	place(all[g.rank*block:(g.rank+1)*block], op.Send)
	return g.doubleBlocks(all)
}

// doubleBlocks gives every rank the blocks of all; each has its own.
func (g *Group) doubleBlocks(all []byte) error {
	f, block := folded(g.rank, len(g.links)), len(all)/len(g.links)
	if f.paired(g.rank) {
		odd := g.rank | 1
		theirs := all[odd*block : (odd+1)*block]
		if f.place < 0 {
			if err := g.links[g.rank-1].send(theirs); err != nil {
				return err
			}
			if err := g.flush(); err != nil {
				return err
			}
		} else if err := g.links[odd].recv(theirs); err != nil {
			return err
		}
	}
	if f.place >= 0 {
		if err := g.double(f, all, f.blocksAt(block)); err != nil {
			return err
		}
	}
	return g.foldOut(f, all)
}

// share are the bounds of a rank's share of a buffer that has no blocks, in blocks of
// equal size; what is left over at the end is less than an element for each rank.
func share(size, n int, t Type) (block, rest int) {
	block = size / t.bytes / n * t.bytes
	return block, block * n
}

// doublingBroadcast scatters and gathers: every link carries about twice the buffer
// over n, where a tree's root sends it log2 n times.
func doublingBroadcast(g *Group, op Op) error {
	block, rest := share(len(op.Recv), len(g.links), Type{bytes: 1})
	if g.rank == 0 {
		place(op.Recv, op.Send)
	}
	all := op.Recv[:rest]
	if err := directScatter(g, Op{Send: all, Recv: all[g.rank*block : (g.rank+1)*block]}); err != nil {
		return err
	}
	if err := g.flush(); err != nil {
		return err
	}
	if err := g.doubleBlocks(all); err != nil {
		return err
	}
	return g.treeSpread(op.Recv[rest:])
}

// halvingReduce leaves the sum of a share on every rank and gathers them.
func halvingReduce(g *Group, op Op) error {
	block, rest := share(len(op.Send), len(g.links), op.Type)
	sum := room(&g.partial, len(op.Send))
	if err := g.halveBlocks(op.Type, sum[:rest], op.Send[:rest]); err != nil {
		return err
	}
	if err := g.treeSum(op.Type, sum[rest:], op.Send[rest:]); err != nil {
		return err
	}
	if g.rank > 0 {
		return g.links[0].send(sum[g.rank*block : (g.rank+1)*block])
	}
	if err := g.flush(); err != nil { // in place, what was sent is about to be replaced
		return err
	}
	copy(op.Recv[:block], sum[:block])
	copy(op.Recv[rest:], sum[rest:])
	return g.fromAll(op.Recv[:rest], block)
}

// dissemination is the barrier of log2 n rounds: after round k a rank has heard,
// through others, of the 2^k ranks before it.
func dissemination(g *Group, _ Op) error {
	for distance := 1; distance < len(g.links); distance *= 2 {
		if err := g.peer(g.rank + distance).send(token); err != nil {
			return err
		}
		if err := g.peer(g.rank - distance).take(g); err != nil {
			return err
		}
	}
	return nil
}
