package worker

import (
	"context"
	"fmt"
	"time"

	"assay/record"
)

// The exchanges that Sync is called for.
const (
	Before  = "before"
	Between = "between"
	After   = "after"
)

// pingEvery keeps exchanges apart, so that one that waited does not make the next
// wait.
const pingEvery = 2 * time.Millisecond

// Sync exchanges four stamps with each rank, n times, one rank after the other.
// When says where in the measurement that is: Before, Between or After.
func (c *Controller) Sync(ctx context.Context, when string, n int) error {
	for range n {
		next := time.Now().Add(pingEvery)
		for _, p := range c.peers {
			if err := c.ping(ctx, p, when); err != nil {
				return err
			}
		}
		time.Sleep(time.Until(next))
	}
	return nil
}

func (c *Controller) ping(ctx context.Context, p *peer, when string) error {
	c.mu.Lock()
	p.pong = nil
	c.mu.Unlock()
	asked, err := c.stamp(p)
	if err != nil {
		return c.explain(ctx, err)
	}
	limit, stop := context.WithTimeoutCause(ctx, c.o.Hang+time.Second, fmt.Errorf("rank %d lives and answers no ping", p.rank))
	defer stop()
	return c.awaitPong(limit, p, asked, when)
}

// awaitPong waits for the answer of one rank. It looks at the others only when nothing has
// arrived for a while: there are as many exchanges as ranks, and each would look at all of
// them.
func (c *Controller) awaitPong(ctx context.Context, p *peer, asked int64, when string) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for look := false; ; {
		c.mu.Lock()
		if p.pong != nil && p.pong.T1 == asked {
			p.pong.When = when
			p.pings = append(p.pings, *p.pong)
			c.mu.Unlock()
			return nil
		}
		failure := c.failure
		if look {
			failure = c.judge(c.now())
		}
		c.mu.Unlock()
		if failure != nil {
			return failure
		}
		select {
		case <-c.bell:
			look = false
		case <-ticker.C:
			look = true
		case <-ctx.Done():
			c.mu.Lock()
			defer c.mu.Unlock()
			return fmt.Errorf("compare clocks: %s: %w", c.whereabouts(), context.Cause(ctx))
		}
	}
}

// stamp sends one ping; the stamp is taken as late as can be.
func (c *Controller) stamp(p *peer) (int64, error) {
	now := c.now()
	return now, p.write(fmt.Appendf(nil, `{"t":"ping","v":%d,"rank":%d,"seq":%d,"mono":%d,"t1":%d}`+"\n",
		ProtocolVersion, p.rank, p.sent, now+c.o.Epoch, now), c.o.Hang)
}

// An alignment puts the stamps of a rank on the launch's clock.
type alignment struct {
	offset int64 // subtracted from the rank's own stamps
	bound  int64 // how far that may be off
}

// align takes the exchange with the shortest way there and back: of all of them it
// waited least, and its error is at most half of that way.
func align(pings []record.Ping, when string) (a alignment, ok bool) {
	var least int64
	for _, p := range pings {
		way := (p.T4 - p.T1) - (p.T3 - p.T2)
		if p.When != when || way < 0 || ok && way >= least {
			continue
		}
		least, ok = way, true
		a = alignment{((p.T2 - p.T1) + (p.T3 - p.T4)) / 2, (way + 1) / 2}
	}
	return a, ok
}

// alignment of the rank's stamps. Processes of one kernel and one time namespace
// share their clock, so nothing is estimated for them. For the others stamps are put
// right by the exchange before the measurement, and what the clocks drifted apart
// until the one after it widens the bound.
func (c *Controller) alignment(p *peer) (alignment, bool) {
	if p.local {
		return alignment{c.o.Epoch, 0}, true
	}
	before, ok := align(p.pings, Before)
	if !ok {
		return alignment{}, false
	}
	for _, when := range []string{Between, After} {
		if later, ok := align(p.pings, when); ok {
			before.bound = max(before.bound, distance(later.offset, before.offset)+later.bound)
		}
	}
	return before, true
}

func distance(a, b int64) int64 { return max(a-b, b-a) }
