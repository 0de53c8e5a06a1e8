package collective

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"assay/door"
)

// A Group is a rank's connections to all others. One goroutine uses it at a time.
type Group struct {
	rank  int
	links []*link // by rank; that of the rank itself is nil

	scratch []byte // what was received and is to be added
	partial []byte // sums that are passed on
	slots   []byte // what every rank sent, of one piece
	marks   []int  // when a chunk has left

	mu   sync.Mutex
	err  error
	done sync.WaitGroup // the senders
}

// Rank is this process's place among its peers.
func (g *Group) Rank() int { return g.rank }

// Ranks is how many take part.
func (g *Group) Ranks() int { return len(g.links) }

// Join connects rank with all others: it dials those below itself and is dialled by
// those above, so peers[rank] must be where listener is reached. Both sides of every
// connection prove that they know secret, which all ranks of a world share and nobody
// else has; what comes after is neither secret nor sealed, for that would be measured
// too. An operation in which nothing moves for timeout fails. The listener stays the
// caller's.
func Join(ctx context.Context, rank int, listener net.Listener, peers []string, secret string, timeout time.Duration) (*Group, error) {
	if rank < 0 || rank >= len(peers) {
		return nil, fmt.Errorf("got rank %d of %d peers", rank, len(peers))
	}
	if timeout <= 0 {
		return nil, fmt.Errorf("got a timeout of %v, want some time", timeout)
	}
	if err := door.CheckSecret(secret); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conns := make([]*net.TCPConn, len(peers))
	own := member{rank: rank, peers: peers, secret: secret}

	var accepted, dialled error
	var both sync.WaitGroup
	both.Go(func() {
		if accepted = own.acceptAll(ctx, listener, conns[rank+1:]); accepted != nil {
			cancel()
		}
	})
	both.Go(func() {
		if dialled = own.dialAll(ctx, listener, conns); dialled != nil {
			cancel()
		}
	})
	both.Wait()
	if err := firstOf(dialled, accepted); err != nil {
		for _, conn := range conns {
			if conn != nil {
				conn.Close()
			}
		}
		return nil, err
	}
	g := &Group{rank: rank, links: make([]*link, len(peers)), scratch: make([]byte, addPiece), marks: make([]int, len(peers))}
	for peer, conn := range conns {
		if conn != nil {
			l := newLink(peer, peers[peer], conn, timeout)
			g.links[peer] = l
			g.done.Go(func() { l.serve(g.fail) })
		}
	}
	return g, nil
}

// firstOf prefers the error that is not the other's consequence.
func firstOf(a, b error) error {
	if a != nil && (b == nil || !errors.Is(a, context.Canceled)) {
		return a
	}
	return b
}

// fail ends the group: every operation, under way or later, returns the first error,
// and peers see their connections close.
func (g *Group) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return
	}
	g.err = err
	for _, l := range g.links {
		if l != nil {
			l.close()
		}
	}
}

func (g *Group) failed() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// Close disconnects. An operation under way, which another goroutine waits for,
// returns an error.
func (g *Group) Close() error {
	g.fail(errors.New("the group was closed"))
	g.done.Wait()
	return nil
}

// flush returns when all that was sent is with the kernel.
func (g *Group) flush() error {
	for _, l := range g.links {
		if l != nil {
			if err := l.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// peer is the link to a rank counted round the ring.
func (g *Group) peer(rank int) *link {
	n := len(g.links)
	return g.links[((rank%n)+n)%n]
}

// room is a buffer of n bytes that is kept from call to call.
func room(keep *[]byte, n int) []byte {
	if cap(*keep) < n {
		*keep = make([]byte, n)
	}
	return (*keep)[:n]
}
