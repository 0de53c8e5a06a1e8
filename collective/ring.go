package collective

// In a ring every rank sends to the next and receives from the one before. Buffers
// are cut into a chunk for each rank and chunks into pieces; a piece is passed on as
// soon as it is complete, so a link is busy in both directions all the time. Every
// link carries 2(n-1)/n of the buffer in an all-reduce, which is the least possible.

// pieces calls visit with the bounds of the pieces of [lo, hi).
func pieces(lo, hi, size int, visit func(lo, hi int) error) error {
	for ; lo < hi; lo += size {
		if err := visit(lo, min(lo+size, hi)); err != nil {
			return err
		}
	}
	return nil
}

// A cut divides a buffer into parts of whole elements that differ by at most one.
type cut struct{ bytes, parts, element int }

func (c cut) part(i int) (lo, hi int) {
	i = ((i % c.parts) + c.parts) % c.parts
	return c.at(i), c.at(i + 1)
}

func (c cut) at(i int) int { return c.bytes / c.element * i / c.parts * c.element }

// addPassed receives what lies at [lo, hi), adds own to it, puts the sum into sum and
// passes it on unless onward is nil.
func (g *Group) addPassed(from, onward *link, t Type, sum, own []byte, lo, hi int) error {
	return pieces(lo, hi, addPiece, func(lo, hi int) error {
		got := g.scratch[:hi-lo]
		if err := from.recv(got); err != nil {
			return err
		}
		t.add(sum[lo:hi], own[lo:hi], got)
		if onward == nil {
			return nil
		}
		return onward.send(sum[lo:hi])
	})
}

// passed receives what lies at [lo, hi) and passes it on unless onward is nil.
func (g *Group) passed(from, onward *link, to []byte, lo, hi int) error {
	return pieces(lo, hi, addPiece, func(lo, hi int) error {
		if err := from.recv(to[lo:hi]); err != nil || onward == nil {
			return err
		}
		return onward.send(to[lo:hi])
	})
}

func ringAllReduce(g *Group, op Op) error {
	n, next, prev := len(g.links), g.peer(g.rank+1), g.peer(g.rank-1)
	chunks := cut{len(op.Send), n, op.Type.bytes}
	lo, hi := chunks.part(g.rank)
	if err := next.send(op.Send[lo:hi]); err != nil {
		return err
	}
	g.marks[0] = next.mark()
	for step := 1; step < n; step++ {
		lo, hi := chunks.part(g.rank - step)
		if err := g.addPassed(prev, next, op.Type, op.Recv, op.Send, lo, hi); err != nil {
			return err
		}
		g.marks[step] = next.mark()
	}
	// The last sums were complete. What comes now is complete too and replaces what was
	// sent before. That has left long ago, being part of the sum: nobody waits here.
	for step := range n - 1 {
		if err := next.left(g.marks[step]); err != nil {
			return err
		}
		onward := next
		if step == n-2 {
			onward = nil
		}
		lo, hi := chunks.part(g.rank - step)
		if err := g.passed(prev, onward, op.Recv, lo, hi); err != nil {
			return err
		}
	}
	return nil
}

func ringReduceScatter(g *Group, op Op) error {
	n, next, prev := len(g.links), g.peer(g.rank+1), g.peer(g.rank-1)
	block := len(op.Recv)
	chunks := cut{block * n, n, block}
	lo, hi := chunks.part(g.rank - 1)
	if err := next.send(op.Send[lo:hi]); err != nil {
		return err
	}
	sums := room(&g.partial, block*n)
	for step := 2; step < n; step++ {
		lo, hi := chunks.part(g.rank - step)
		if err := g.addPassed(prev, next, op.Type, sums, op.Send, lo, hi); err != nil {
			return err
		}
	}
	lo, hi = chunks.part(g.rank)
	return g.addPassed(prev, nil, op.Type, op.Recv, op.Send[lo:hi], 0, block)
}

func ringAllGather(g *Group, op Op) error {
	n, next, prev := len(g.links), g.peer(g.rank+1), g.peer(g.rank-1)
	block := len(op.Send)
	chunks := cut{block * n, n, block}
	if err := next.send(op.Send); err != nil {
		return err
	}
	lo, hi := chunks.part(g.rank)
	place(op.Recv[lo:hi], op.Send)
	for step := 1; step < n; step++ {
		onward := next
		if step == n-1 {
			onward = nil
		}
		lo, hi := chunks.part(g.rank - step)
		if err := g.passed(prev, onward, op.Recv, lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// ringBroadcast is a chain: the ring without its last link.
func ringBroadcast(g *Group, op Op) error {
	n := len(g.links)
	if g.rank == 0 {
		err := g.peer(1).send(op.Send)
		place(op.Recv, op.Send)
		return err
	}
	var onward *link
	if g.rank < n-1 {
		onward = g.peer(g.rank + 1)
	}
	return g.passed(g.peer(g.rank-1), onward, op.Recv, 0, len(op.Recv))
}

func ringReduce(g *Group, op Op) error {
	n, size := len(g.links), len(op.Send)
	switch g.rank {
	case n - 1:
		return g.peer(g.rank - 1).send(op.Send)
	case 0:
		return g.addPassed(g.peer(1), nil, op.Type, op.Recv, op.Send, 0, size)
	}
	return g.addPassed(g.peer(g.rank+1), g.peer(g.rank-1), op.Type, room(&g.partial, size), op.Send, 0, size)
}

// ringAllToAll exchanges with one distance at a time, so no rank is sent to by two.
func ringAllToAll(g *Group, op Op) error {
	n := len(g.links)
	blocks := cut{len(op.Send), n, len(op.Send) / n}
	lo, hi := blocks.part(g.rank)
	copy(op.Recv[lo:hi], op.Send[lo:hi])
	for distance := 1; distance < n; distance++ {
		lo, hi := blocks.part(g.rank + distance)
		to := g.peer(g.rank + distance)
		if err := to.send(op.Send[lo:hi]); err != nil {
			return err
		}
		lo, hi = blocks.part(g.rank - distance)
		if err := g.peer(g.rank - distance).recv(op.Recv[lo:hi]); err != nil {
			return err
		}
		if err := to.flush(); err != nil {
			return err
		}
	}
	return nil
}

// ringBarrier sends a token round twice: the first time everybody has come, the
// second time everybody knows.
func ringBarrier(g *Group, _ Op) error {
	for range 2 {
		if g.rank > 0 {
			if err := g.peer(g.rank - 1).take(g); err != nil {
				return err
			}
		}
		if err := g.peer(g.rank + 1).send(token); err != nil {
			return err
		}
		if g.rank == 0 {
			if err := g.peer(-1).take(g); err != nil {
				return err
			}
		}
	}
	return nil
}

// token is what a barrier sends.
var token = []byte{1}

// take receives a token.
func (l *link) take(g *Group) error { return l.recv(g.scratch[:1]) }
