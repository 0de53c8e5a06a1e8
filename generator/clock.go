package generator

import (
	"context"
	"fmt"
	"time"

	"assay/record"
)

// When an exchange of stamps was made: before the first point, while a point was under
// way, and after the last one.
const (
	Before  = "before"
	Between = "between"
	After   = "after"
)

// pingEvery keeps exchanges apart, so that one that waited does not make the next wait.
const pingEvery = 2 * time.Millisecond

// Sync exchanges four stamps with each generator, n times, one after the other.
func (l *Leader) Sync(ctx context.Context, when string, n int) error {
	for range n {
		next := time.Now().Add(pingEvery)
		for _, p := range l.peers {
			if err := l.ping(p, when); err != nil {
				return err
			}
			if err := l.awaitPong(ctx, p); err != nil {
				return err
			}
		}
		time.Sleep(time.Until(next))
	}
	return nil
}

// awaitPong waits for the answer of one generator. It looks at nobody else: there are as
// many exchanges as generators, and each would look at all of them.
func (l *Leader) awaitPong(ctx context.Context, p *peer) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		l.mu.Lock()
		answered, err := p.asked == 0, p.lost(record.Mono(), l.o.Hang)
		l.mu.Unlock()
		if answered || err != nil {
			return err
		}
		select {
		case <-l.bell:
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("compare clocks with load generator %d: %w", p.number, context.Cause(ctx))
		}
	}
}

// ping sends one ping; the stamp is taken as late as can be.
func (l *Leader) ping(p *peer, when string) error {
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	now := record.Mono()
	l.mu.Lock()
	p.asked, p.when = now, when
	l.mu.Unlock()
	if err := p.line.write(framePing, stamps(now)); err != nil {
		return p.error(fmt.Errorf("its line broke: %w", err))
	}
	return nil
}

// lookEvery is how far apart the exchanges are while a point is under way: one small
// frame each way and second.
const lookEvery = time.Second

// pingAll asks every generator without waiting for the answers. One that has yet to
// answer is not asked again.
func (l *Leader) pingAll() error {
	for _, p := range l.peers {
		l.mu.Lock()
		out := p.asked != 0
		l.mu.Unlock()
		if out {
			continue
		}
		if err := l.ping(p, Between); err != nil {
			return err
		}
	}
	return nil
}
