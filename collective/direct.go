package collective

// Directly, every rank sends to every other at once what that one needs: one round,
// whatever the number of ranks, and the most bytes.

// others calls visit with the link of every other rank, beginning with the next, so
// that not all ranks begin with the same one.
func (g *Group) others(visit func(rank int, l *link) error) error {
	n := len(g.links)
	for i := 1; i < n; i++ {
		rank := (g.rank + i) % n
		if err := visit(rank, g.links[rank]); err != nil {
			return err
		}
	}
	return nil
}

// sumOfAll receives a buffer from every other rank and adds them and own in the order
// of ranks, so that all ranks that do so have the same sum to the last bit. Before a
// piece is received, post may send.
func (g *Group) sumOfAll(t Type, sum, own []byte, post func(lo, hi int) error) error {
	n := len(g.links)
	slots := room(&g.slots, n*min(len(own), addPiece))
	return pieces(0, len(own), addPiece, func(lo, hi int) error {
		size := hi - lo
		slot := func(rank int) []byte { return slots[rank*size : (rank+1)*size] }
		if post != nil {
			if err := post(lo, hi); err != nil {
				return err
			}
		}
		if err := g.others(func(rank int, l *link) error { return l.recv(slot(rank)) }); err != nil {
			return err
		}
		copy(slot(g.rank), own[lo:hi])
		if same(sum, own) && post != nil {
			if err := g.flush(); err != nil { // what is sent is about to be replaced
				return err
			}
		}
		t.add(sum[lo:hi], slot(0), slot(1))
		for rank := 2; rank < n; rank++ {
			t.add(sum[lo:hi], sum[lo:hi], slot(rank))
		}
		return nil
	})
}

func directAllReduce(g *Group, op Op) error {
	return g.sumOfAll(op.Type, op.Recv, op.Send, func(lo, hi int) error {
		return g.others(func(_ int, l *link) error { return l.send(op.Send[lo:hi]) })
	})
}

func directReduce(g *Group, op Op) error {
	if g.rank > 0 {
		return g.links[0].send(op.Send)
	}
	return g.sumOfAll(op.Type, op.Recv, op.Send, nil)
}

func directReduceScatter(g *Group, op Op) error {
	block := len(op.Recv)
	err := g.others(func(rank int, l *link) error { return l.send(op.Send[rank*block : (rank+1)*block]) })
	if err != nil {
		return err
	}
	return g.sumOfAll(op.Type, op.Recv, op.Send[g.rank*block:(g.rank+1)*block], nil)
}

func directAllGather(g *Group, op Op) error {
	block := len(op.Send)
	if err := g.others(func(_ int, l *link) error { return l.send(op.Send) }); err != nil {
		return err
	}
	place(op.Recv[g.rank*block:(g.rank+1)*block], op.Send)
	return g.fromAll(op.Recv, block)
}

// fromAll receives the block of every other rank. All are read in turns, so that no
// sender waits for another.
func (g *Group) fromAll(all []byte, block int) error {
	return pieces(0, block, movePiece, func(lo, hi int) error {
		return g.others(func(rank int, l *link) error { return l.recv(all[rank*block+lo : rank*block+hi]) })
	})
}

func directAllToAll(g *Group, op Op) error {
	block := len(op.Send) / len(g.links)
	own := func(b []byte) []byte { return b[g.rank*block : (g.rank+1)*block] }
	err := g.others(func(rank int, l *link) error { return l.send(op.Send[rank*block : (rank+1)*block]) })
	if err != nil {
		return err
	}
	copy(own(op.Recv), own(op.Send))
	return g.fromAll(op.Recv, block)
}

func directBroadcast(g *Group, op Op) error {
	if g.rank > 0 {
		return g.links[0].recv(op.Recv)
	}
	err := g.others(func(_ int, l *link) error { return l.send(op.Send) })
	place(op.Recv, op.Send)
	return err
}

func directGather(g *Group, op Op) error {
	if g.rank > 0 {
		return g.links[0].send(op.Send)
	}
	block := len(op.Send)
	place(op.Recv[:block], op.Send)
	return g.fromAll(op.Recv, block)
}

func directScatter(g *Group, op Op) error {
	if g.rank > 0 {
		return g.links[0].recv(op.Recv)
	}
	block := len(op.Recv)
	err := g.others(func(rank int, l *link) error { return l.send(op.Send[rank*block : (rank+1)*block]) })
	place(op.Recv, op.Send[:block])
	return err
}

// neighbours sends to the next rank while it receives from the one before.
func neighbours(g *Group, op Op) error {
	if err := g.peer(g.rank + 1).send(op.Send); err != nil {
		return err
	}
	return g.peer(g.rank - 1).recv(op.Recv[:len(op.Send)])
}

func directBarrier(g *Group, _ Op) error {
	if err := g.others(func(_ int, l *link) error { return l.send(token) }); err != nil {
		return err
	}
	return g.others(func(_ int, l *link) error { return l.take(g) })
}
