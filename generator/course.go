package generator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"assay/record"
)

// A Course is a point while the generators measure it. Its functions are called as things
// happen, one at a time; none may be nil.
type Course struct {
	Index   int                                // of the point
	Begun   func()                             // all are prepared, and the start is announced
	Counted func(Tally)                        // calls begun so far, by all of them together
	Entered func(phase record.Phase, at int64) // all have entered Measure, the first one at this stamp; or Cooldown, the last one
}

// An Outcome is how a point ended at all generators together.
type Outcome struct {
	Tally, Probes Tally
	Vitals        Vitals // sums, and of the collector the one that ran most
}

// Point has the generators measure one point and returns when every row of it has
// arrived. When ctx ends, or one of them is lost, the others get the order to stop: what they
// have sent by then is kept.
func (l *Leader) Point(ctx context.Context, c Course) (Outcome, error) {
	l.change(func() {
		for _, p := range l.peers {
			p.stage, p.idle, p.tally, p.done, p.entered = Ready, false, Tally{}, Report{}, map[record.Phase]int64{}
		}
	})
	err := l.measure(ctx, &active{Course: c, told: map[record.Phase]bool{}})
	if err != nil {
		l.cut(err.Error())
	}
	return l.outcome(), err
}

// An active course remembers which phases it has reported.
type active struct {
	Course
	told map[record.Phase]bool
	look time.Time // of the next exchange of stamps
}

func (l *Leader) measure(ctx context.Context, a *active) error {
	if err := l.orderAll(Order{Kind: OrderPoint, Point: a.Index}); err != nil {
		return err
	}
	if err := l.await(ctx, "prepare a point", func(p *peer) bool { return p.stage == Prepared }); err != nil {
		return err
	}
	a.Begun()
	a.look = time.Now().Add(lookEvery)
	if err := l.orderAll(Order{Kind: OrderBegin, Start: record.Mono() - l.o.Epoch + int64(startAhead)}); err != nil {
		return err
	}
	if err := l.follow(ctx, a, Drained); err != nil {
		return err
	}
	if err := l.orderAll(Order{Kind: OrderRest}); err != nil {
		return err
	}
	return l.follow(ctx, a, Done)
}

var errLook = errors.New("one look is over")

// follow tells of the point until every generator has reached a stage.
func (l *Leader) follow(ctx context.Context, a *active, until Stage) error {
	for {
		look, stop := context.WithTimeoutCause(ctx, watchEvery, errLook)
		err := l.await(look, "measure a point", func(p *peer) bool { return p.stage == until || p.stage == Done })
		stop()
		l.tell(a)
		switch {
		case err == nil || !errors.Is(err, errLook):
			return err
		case ctx.Err() != nil: // while the look was ending: the reason is that of the point
			return fmt.Errorf("measure a point: %w", context.Cause(ctx))
		}
		if time.Now().After(a.look) {
			a.look = time.Now().Add(lookEvery)
			if err := l.pingAll(); err != nil {
				return err
			}
		}
	}
}

// tell tells of what has changed. The measured window is from the first generator's begin
// to the last one's end.
func (l *Leader) tell(a *active) {
	l.mu.Lock()
	var sum Tally
	begin, end, begun, ended := int64(0), int64(0), true, true
	first := true
	for _, p := range l.peers {
		sum = sum.add(p.tally)
		if p.idle {
			continue
		}
		in, entered := p.entered[record.Measure]
		out, left := p.entered[record.Cooldown]
		if first || in < begin {
			begin = in
		}
		first = false
		end = max(end, out)
		begun, ended = begun && entered, ended && left
	}
	l.mu.Unlock()
	a.Counted(sum)
	if begun && !a.told[record.Measure] {
		a.told[record.Measure] = true
		a.Entered(record.Measure, begin)
	}
	if ended && !a.told[record.Cooldown] {
		a.told[record.Cooldown] = true
		a.Entered(record.Cooldown, end)
	}
}

func (t Tally) add(other Tally) Tally {
	return Tally{t.Begun + other.Begun, t.Dropped + other.Dropped, t.Most + other.Most}
}

// cutWithin is how long generators may take to send the rest of a point that was cut
// short.
const cutWithin = 20 * time.Second

// cut has every generator that is still there end its point, and waits for their rows.
func (l *Leader) cut(why string) {
	for _, p := range l.peers {
		_ = p.order(Order{Kind: OrderStop, Why: why}) // a broken connection has been reported already
	}
	limit := time.Now().Add(cutWithin)
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for time.Now().Before(limit) {
		waiting := false
		l.mu.Lock()
		for _, p := range l.peers {
			waiting = waiting || p.lost(record.Mono(), l.o.Hang) == nil && p.stage != Done && p.stage != Ready
		}
		l.mu.Unlock()
		if !waiting {
			return
		}
		select {
		case <-l.bell:
		case <-ticker.C:
		}
	}
}

// outcome sums up what the generators said at the end.
func (l *Leader) outcome() (o Outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.peers {
		o.Tally = o.Tally.add(p.tally)
		if p.done.Probes != nil {
			o.Probes = o.Probes.add(*p.done.Probes)
		}
		if v := p.done.Vitals; v != nil {
			o.Vitals.CPU += v.CPU
			o.Vitals.Resident += v.Resident
			o.Vitals.Wall = max(o.Vitals.Wall, v.Wall)
			o.Vitals.Collections = max(o.Vitals.Collections, v.Collections)
			o.Vitals.LongestPause = max(o.Vitals.LongestPause, v.LongestPause)
		}
	}
	return o
}

// End tells the generators that there is nothing more to do; their lines may break now.
func (l *Leader) End() {
	for _, p := range l.peers {
		joined := false
		l.change(func() {
			p.ended = p.fault == nil && p.exit == ""
			joined = p.line != nil // one that joins after this is closed with the leader
		})
		if joined {
			_ = p.order(Order{Kind: OrderEnd}) // one that is gone has ended already
		}
	}
}
