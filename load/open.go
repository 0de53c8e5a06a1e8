package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"assay/record"
	"assay/target"
	"assay/workload/arrival"
)

// Open is one point of an open loop: calls go out when they are due, whatever
// became of those before them. A call that is late goes out at once and its due
// time stays the schedule's; one that finds no room is dropped and recorded.
type Open struct {
	Schedule *arrival.Schedule

	// Shard and Shards say which calls are ours: those whose number modulo Shards
	// is Shard. Shards of zero means one.
	Shard, Shards int

	// MaxInFlight is the most calls under way at once, those that wait for
	// PrefillConcurrency among them.
	MaxInFlight int

	// Cooldown is the least time that load goes on after the measurement. It goes
	// on in any case until the last measured call has ended.
	Cooldown time.Duration

	// Pacer waits for the times of calls. Nil means Timers.
	Pacer Pacer

	// Entered is called when the measurement begins (Measure) and ends (Cooldown),
	// with the schedule's own stamps. Nil means that nobody wants to know.
	Entered func(phase record.Phase, at int64)

	Together
	SendPolicy
}

// lead is how long before its first call a point begins, so that the thread
// that sends it is awake and the first calls are ready.
const lead = 10 * time.Millisecond

// Run sends calls until the point is over and passes every exchange to keep, one
// at a time. The thread of the pacer writes the calls itself. calls yields the prepared calls
// of this shard, in the order of the schedule. Run returns early, with the
// cause, when ctx is cancelled; calls in flight are then kept as cut.
func (o Open) Run(ctx context.Context, clock *record.Clock, calls <-chan target.Prepared, do Doer, keep func(*target.Raw)) error {
	if o.MaxInFlight < 1 {
		return fmt.Errorf("at most %d calls in flight: want at least one", o.MaxInFlight)
	}
	o.Shards = max(1, o.Shards)
	if o.Pacer == nil {
		o.Pacer = Timers{clock}
	}
	inner, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	l := &openRun{
		Open: o, clock: clock, sender: newSender(o.SendPolicy, clock, do), results: newResultQueue(keep),
		start: o.from(clock), drained: make(chan struct{}),
	}
	l.pending.Store(int64(o.Schedule.Measured(o.Shard, o.Shards)))
	if l.pending.Load() == 0 {
		close(l.drained)
	}
	var issuer sync.WaitGroup
	issuer.Go(func() {
		o.Pacer.Begin()
		if err := l.issue(inner, calls); err != nil {
			cut(err)
		}
	})
	err := l.direct(inner)
	cut(target.ErrRunEnded)
	issuer.Wait()
	l.work.Wait()
	l.results.close()
	return err
}

// An openRun is an open loop under way.
type openRun struct {
	Open
	clock   *record.Clock
	sender  *sender
	results *resultQueue
	start   int64 // the stamp of the schedule's zero

	work    sync.WaitGroup // every call under way
	room    atomic.Int64   // places in flight that are taken
	pending atomic.Int64   // measured calls that have not ended
	drained chan struct{}  // closed when there are none
}

// direct leads the point through its phases.
func (l *openRun) direct(ctx context.Context) error {
	for _, step := range []struct {
		phase record.Phase
		at    int64
	}{{record.Measure, l.start + l.Schedule.Begin}, {record.Cooldown, l.start + l.Schedule.End}} {
		if err := (Timers{l.clock}).Wait(ctx, step.at); err != nil {
			return err
		}
		if l.Entered != nil {
			l.Entered(step.phase, step.at)
		}
	}
	if err := wait(ctx, l.Cooldown, nil); err != nil {
		return err
	}
	return l.rest(ctx, l.drained)
}

var errCallsRanOut = errors.New("the calls ran out before the schedule: the data set is too short")

// issue begins every call of this shard at its time, until ctx ends. It returns
// an error only when the schedule cannot be carried out.
func (l *openRun) issue(ctx context.Context, calls <-chan target.Prepared) error {
	for k, offset := range l.Schedule.Calls {
		if k%l.Shards != l.Shard {
			continue
		}
		var p target.Prepared
		select {
		case next, ok := <-calls:
			if !ok {
				if ctx.Err() != nil {
					return nil // whoever prepares calls saw the end first
				}
				return errCallsRanOut
			}
			p = next
		case <-ctx.Done():
			return nil
		}
		p.Call.User, p.Call.Shard, p.Call.Phase = -1, int32(l.Shard), l.Schedule.Phase(k)
		due := l.start + offset
		if l.Pacer.Wait(ctx, due) != nil {
			return nil // the end of ctx is the director's to report
		}
		l.begin(ctx, p, due)
	}
	return nil
}

// begin sends one call, or drops it. Run waits for them all. Keeping what came of
// it must delay neither the next call nor whoever reads the answers.
func (l *openRun) begin(ctx context.Context, p target.Prepared, due int64) {
	l.sender.Tally.Begun.Add(1)
	l.work.Add(1)
	phase := p.Call.Phase
	if l.room.Add(1) > int64(l.MaxInFlight) {
		l.room.Add(-1)
		l.sender.Tally.Dropped.Add(1)
		raw := target.Unsent(p, due, l.clock.Now(), target.ErrNoRoom)
		l.results.put(raw, func() { l.over(phase) })
		return
	}
	l.sender.start(ctx, p, due, func(raw *target.Raw) {
		l.results.put(raw, func() {
			l.room.Add(-1) // not before it is kept, or what waits for that had no bound
			l.over(phase)
		})
	})
}

// over counts a call that has been kept.
func (l *openRun) over(phase record.Phase) {
	if phase == record.Measure && l.pending.Add(-1) == 0 {
		close(l.drained)
	}
	l.work.Done()
}
