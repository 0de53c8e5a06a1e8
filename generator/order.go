package generator

import (
	"context"
	"fmt"
	"time"

	"assay/record"
)

// Exited tells that the process of a generator has ended, and how.
func (l *Leader) Exited(number int, how string) {
	l.change(func() {
		if number >= 0 && number < len(l.peers) {
			l.peers[number].exit = how
		}
	})
}

// Launch gives every generator its part of a launch and waits until all are ready. The
// part of each carries the launch's epoch in the time of the generator's own host, so
// that the stamps it makes are the launch's.
func (l *Leader) Launch(ctx context.Context, part func(number int) (Part, error)) error {
	for _, p := range l.peers {
		own, err := part(p.number)
		if err != nil {
			return err
		}
		l.mu.Lock()
		offset, _, ok := p.alignment()
		l.mu.Unlock()
		if !ok {
			return fmt.Errorf("load generator %d: no exchange of stamps came through", p.number)
		}
		// Pings hold t1 and t4 since the epoch and t2 and t3 on the other host's clock, so
		// the offset is that host's time at the epoch.
		own.Epoch = offset
		if err := p.order(Order{Kind: OrderLaunch, Launch: &own}); err != nil {
			return err
		}
	}
	return l.await(ctx, "read the plan", func(p *peer) bool {
		if p.stage == Ready && p.ready == 0 {
			p.ready = p.heard - l.o.Epoch
		}
		return p.stage == Ready
	})
}

func (p *peer) order(o Order) error {
	if err := p.line.sendJSON(frameOrder, o); err != nil {
		return p.error(fmt.Errorf("its line broke: %w", err))
	}
	return nil
}

func (l *Leader) orderAll(o Order) error {
	for _, p := range l.peers {
		if err := p.order(o); err != nil {
			return err
		}
	}
	return nil
}

// startAhead is how far ahead of its begin a point is announced: far above the way to any
// host, so that all have heard of it.
const startAhead = 250 * time.Millisecond

// Calibrate has every generator measure its own error, all at once as they work later,
// and returns what each found.
func (l *Leader) Calibrate(ctx context.Context, when string) ([]record.Calibration, error) {
	l.change(func() {
		for _, p := range l.peers {
			p.stage, p.calibration = Ready, nil
		}
	})
	if err := l.orderAll(Order{Kind: OrderCalibrate, Why: when}); err != nil {
		return nil, err
	}
	if err := l.await(ctx, "measure their own error", func(p *peer) bool { return p.calibration != nil }); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []record.Calibration
	for _, p := range l.peers {
		list = append(list, *p.calibration)
	}
	return list, nil
}
