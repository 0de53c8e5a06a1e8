package worker

import (
	"context"
	"fmt"

	"assay/plan"
	"assay/record"
)

// A Sink takes what ranks measure, in the order in which it arrives from each. Its
// times are on the launch's clock. Run calls it from its own goroutine.
type Sink interface {
	Step(record.Step)
	Bucket(record.Bucket)
	Collective(record.Collective)
	Memory(record.Memory)
	Trial(record.Trial)
	Sample(rank int, s SysLine)
	Check(rank int, c CheckLine)
	File(rank int, f FileLine)
	Note(rank int, text string)
}

// The phases of barrier and go that the controller itself knows.
const (
	PhaseReady = "ready" // every rank has joined its peers
	PhaseSkip  = "skip"  // in place of ready: a rank could not prepare the point, and nobody measures it
)

// Run measures one point on all ranks. Ranks, Master and Peers of w are filled in.
// It returns when every rank has ended the point and to has all of its records, or
// at once with a *Failure when a rank fails.
func (c *Controller) Run(ctx context.Context, p plan.Point, w WorldLine, to Sink) error {
	if err := c.prepare(&w); err != nil {
		return fmt.Errorf("point %d: %w", p.Index, err)
	}
	defer c.change(func() { c.busy = false })
	if p.Micro != nil {
		w.Turns = c.turns()
	}
	for _, peer := range c.peers {
		if err := c.send(peer, Line{T: PlanT, Point: &p, World: &w}); err != nil {
			return c.explain(ctx, err)
		}
	}
	for {
		var phase string
		var batch []arrival
		over := false
		err := c.await(ctx, fmt.Sprintf("point %d", p.Index), func() bool {
			batch, c.inbox = c.inbox, nil
			phase, over = c.reached()
			return phase != "" || over || len(batch) > 0
		})
		for _, one := range batch {
			c.deliver(one, to)
		}
		switch {
		case err != nil:
			c.drain(to)
			return err
		case over:
			return nil
		case phase != "":
			if err := c.release(phase); err != nil {
				return c.explain(ctx, err)
			}
		}
	}
}

// prepare fills in where the ranks reach each other, and how their clocks differ.
func (c *Controller) prepare(w *WorldLine) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.Ranks, w.Peers, c.offsets = c.o.Ranks, nil, nil
	for _, p := range c.peers {
		if p.hello == nil {
			return fmt.Errorf("rank %d has not greeted: call Gather first", p.rank)
		}
		clock, ok := c.alignment(p)
		if !ok {
			return fmt.Errorf("rank %d on %s has another clock: call Sync first", p.rank, p.hello.Host)
		}
		c.offsets = append(c.offsets, clock.offset)
		w.Peers = append(w.Peers, p.hello.Listen)
		p.barrier, p.ended = "", false
	}
	w.Master, c.busy = w.Peers[0], true
	return nil
}

// turns lets ranks of one machine measure one after the other: a probe at the same time
// as its neighbour's measures the neighbour. Machines are told apart by the boot of their
// kernel, which containers and namespaces share; one that does not say it is a machine of
// its own.
func (c *Controller) turns() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := map[string]int{}
	list := make([]int, len(c.peers))
	for i, p := range c.peers {
		if p.hello.BootID != "" {
			list[i] = taken[p.hello.BootID]
			taken[p.hello.BootID]++
		}
	}
	return list
}

// reached is the phase at which every rank waits, if there is one, and whether all
// have ended the point. Whoever ended before the others were ready takes the point
// away from them: they would wait for it for ever.
func (c *Controller) reached() (phase string, over bool) {
	waiting, ended := 0, 0
	for _, p := range c.peers {
		switch {
		case p.ended:
			ended++
		case p.barrier != "" && (phase == "" || p.barrier == phase):
			phase = p.barrier
			waiting++
		}
	}
	switch {
	case ended == len(c.peers):
		return "", true
	case waiting+ended < len(c.peers):
		return "", false
	case ended > 0 && phase == PhaseReady:
		return PhaseSkip, false
	}
	return phase, false
}

func (c *Controller) release(phase string) error {
	c.mu.Lock()
	var waiting []*peer
	for _, p := range c.peers {
		if p.barrier != "" && !p.ended {
			waiting = append(waiting, p)
		}
		p.barrier = ""
	}
	c.mu.Unlock()
	for _, p := range waiting {
		if err := c.send(p, Line{T: Go, Phase: phase}); err != nil {
			return err
		}
	}
	return nil
}

// drain hands out what arrived before a failure.
func (c *Controller) drain(to Sink) {
	c.mu.Lock()
	batch := c.inbox
	c.inbox = nil
	c.mu.Unlock()
	for _, one := range batch {
		c.deliver(one, to)
	}
}

// explain waits for the reason why a rank could not be written to: its death is told
// by others.
func (c *Controller) explain(ctx context.Context, err error) error {
	limit, stop := context.WithTimeoutCause(ctx, c.o.Hang+deathWithin, err)
	defer stop()
	return c.await(limit, "write", func() bool { return false })
}
