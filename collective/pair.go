package collective

import "fmt"

// Send hands b to one peer and returns when it may be changed. The peer receives it
// by Recv, between operations of the whole group.
func (g *Group) Send(to int, b []byte) error {
	return g.with(to, func(l *link) error {
		if err := l.send(b); err != nil {
			return err
		}
		return l.flush()
	})
}

// Recv fills b with what one peer sends.
func (g *Group) Recv(from int, b []byte) error {
	return g.with(from, func(l *link) error { return l.recv(b) })
}

func (g *Group) with(peer int, do func(*link) error) error {
	if peer < 0 || peer >= len(g.links) || peer == g.rank {
		return fmt.Errorf("rank %d has no connection to rank %d of %d", g.rank, peer, len(g.links))
	}
	if err := g.failed(); err != nil {
		return err
	}
	if err := do(g.links[peer]); err != nil {
		g.fail(err)
		return g.failed()
	}
	return nil
}
