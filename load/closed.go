// Package load sends calls and keeps what happened. It makes timelines and no
// statistics.
//
// A closed loop holds a fixed number of users, each of whom asks again as soon
// as the last answer has ended and the think time has passed. It therefore
// offers less load to a slower system, and every face says that it was closed.
//
// An open loop sends each call when its schedule says so, whatever became of the
// calls before it. Its schedule is drawn beforehand by package arrival; a Pacer
// waits for the times.
package load

import (
	"context"
	"sync"
	"time"

	"assay/record"
	"assay/target"
)

// Closed is one point of a closed loop.
type Closed struct {
	Users     int
	ThinkTime time.Duration

	// Levels change the number of users over time, up to Users in this shard. None
	// means Users throughout.
	Levels []Level

	// Warmup and Measure are how long each phase lasts; the warm-up hands over
	// to the measurement without draining. A warm-up of zero is none.
	Warmup, Measure time.Duration

	// WarmupCalls and MeasureCalls end a phase early when that many calls have
	// been sent in it. Zero means no limit.
	WarmupCalls, MeasureCalls int

	// Cooldown is the least time that load goes on after the measurement. It goes
	// on in any case until the last measured call has ended, so that every
	// measured call saw the full load.
	Cooldown time.Duration

	// Spread is the time over which the first users begin, each at a moment drawn from
	// SpreadSeed. Users who begin together and get answers of one length stay in step:
	// they queue for each other at every turn, and whole cohorts end in or out of the
	// window. Zero means that all begin at once.
	Spread     time.Duration
	SpreadSeed int64

	// Entered is called when the measurement begins (Measure) and ends (Cooldown),
	// as it happens. Nil means that nobody wants to know.
	Entered func(phase record.Phase, at int64)

	// Shard and Shards number the users of one load generator among several:
	// ours are Shard, Shard + Shards and so on. Shards of zero means one.
	Shard, Shards int

	Together
	SendPolicy
}

// Run sends calls until the point is over and passes every exchange to keep, one
// at a time. It returns early, with the cause, when ctx is cancelled; calls in
// flight are then kept as cut.
//
// With a target that reads inline, a user's next call goes out from the thread
// that saw the end of its answer: no goroutine is woken in between. Only what may
// have to wait (for think time, for a call to be prepared, for keep when it falls
// behind) is left to one. With any other target each user is a goroutine.
func (c Closed) Run(ctx context.Context, clock *record.Clock, calls <-chan target.Prepared, do Doer, keep func(*target.Raw)) error {
	inner, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	l := &closedRun{
		Closed: c, clock: clock, gate: newGate(c), calls: calls,
		send: newSender(c.SendPolicy, clock, do), results: newResultQueue(keep),
	}
	l.pool = newUserPool(c, func(number int32, due int64) { l.join(inner, number, due) })
	err := l.direct(inner)
	cut(target.ErrRunEnded)
	l.pool.wait()
	l.results.close()
	return err
}

// A closedRun is a closed loop under way.
type closedRun struct {
	Closed
	clock   *record.Clock
	gate    *gate
	calls   <-chan target.Prepared
	send    *sender
	results *resultQueue
	pool    *userPool
}

// direct leads the point through its phases.
func (l *closedRun) direct(ctx context.Context) error {
	if err := l.begin(ctx, l.clock); err != nil {
		return err
	}
	l.pool.start(l.clock.Now())
	if l.Warmup > 0 {
		if err := wait(ctx, l.Warmup, l.gate.full[record.Warmup]); err != nil {
			return err
		}
		l.gate.enter(record.Measure)
	}
	begin := l.clock.Now()
	l.entered(record.Measure, begin)
	l.pool.follow(ctx, l.clock, begin)
	if err := wait(ctx, l.Measure, l.gate.full[record.Measure]); err != nil {
		return err
	}
	l.entered(record.Cooldown, l.clock.Now())
	l.gate.enter(record.Cooldown)
	if err := wait(ctx, l.Cooldown, nil); err != nil {
		return err
	}
	return l.rest(ctx, l.gate.drained)
}

func (c Closed) entered(phase record.Phase, at int64) {
	if c.Entered != nil {
		c.Entered(phase, at)
	}
}

// wait returns after d, or when early is closed, or with the cause of ctx's end.
func wait(ctx context.Context, d time.Duration, early <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-early:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// A gate tells users which phase it is and counts the calls of each.
type gate struct {
	full    map[record.Phase]chan struct{} // closed when a phase has had its calls
	drained chan struct{}                  // closed when the last measured call has ended

	mu       sync.Mutex
	phase    record.Phase
	sent     map[record.Phase]int
	limit    map[record.Phase]int
	measured int // measured calls in flight
}

func newGate(c Closed) *gate {
	first := record.Warmup
	if c.Warmup == 0 {
		first = record.Measure
	}
	return &gate{
		full:    map[record.Phase]chan struct{}{record.Warmup: make(chan struct{}), record.Measure: make(chan struct{})},
		drained: make(chan struct{}),
		phase:   first,
		sent:    map[record.Phase]int{},
		limit:   map[record.Phase]int{record.Warmup: c.WarmupCalls, record.Measure: c.MeasureCalls},
	}
}

// enter begins a phase.
func (g *gate) enter(phase record.Phase) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.phase = phase
	if phase == record.Cooldown && g.measured == 0 {
		close(g.drained)
	}
}

// begin counts one more call and returns the phase it belongs to. A call beyond
// a phase's limit belongs to the next phase, although the director may not have
// entered it yet.
func (g *gate) begin() record.Phase {
	g.mu.Lock()
	defer g.mu.Unlock()
	phase := g.phase
	if g.spent(phase) {
		if phase == record.Measure {
			return record.Cooldown
		}
		return phase
	}
	g.sent[phase]++
	if phase == record.Measure {
		g.measured++
	}
	if g.spent(phase) {
		close(g.full[phase])
	}
	return phase
}

func (g *gate) spent(phase record.Phase) bool {
	return g.limit[phase] > 0 && g.sent[phase] >= g.limit[phase]
}

// end counts a call of phase as over.
func (g *gate) end(phase record.Phase) {
	if phase != record.Measure {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.measured--
	if g.measured == 0 && g.phase == record.Cooldown {
		close(g.drained)
	}
}
