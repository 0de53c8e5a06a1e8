package load

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"assay/record"
	"assay/target"
	"assay/workload/arrival"
	"assay/workload/session"
)

// Sessions is one point whose calls come in sessions. In a closed loop each of
// a fixed number of users plays one session after the other; in an open loop
// sessions begin when the schedule says so. Inside a session the next step is
// due when those before it have ended and the think time has passed: a session
// is a closed loop of its own, and waits for a slow target.
type Sessions struct {
	Users    int               // closed loop: sessions under way
	Schedule *arrival.Schedule // open loop: when sessions begin; nil means a closed loop

	// Warmup, Measure and Cooldown bound a closed loop as those of Closed do; a
	// schedule has its own. A step belongs to the phase in which it begins, and so
	// does a session as a whole. Most measures so many sessions of a closed loop
	// and ends the measurement early when they have ended; zero means no limit.
	Warmup, Measure, Cooldown time.Duration
	Most                      int

	// End is the number of the first session that there is none of, where each is played
	// once; zero means that there is no end.
	End int64

	// MaxInFlight is the most sessions under way in an open loop. One that finds
	// no room is dropped.
	MaxInFlight int

	// Shard and Shards say which sessions and users are ours, by their number
	// modulo Shards. Shards of zero means one.
	Shard, Shards int

	Pacer   Pacer // of an open loop; nil means Timers
	Entered func(phase record.Phase, at int64)
	Tally   *Tally // nil means that nobody wants to know

	Together
	Script Script
}

// A Script is what sessions are made of and who hears of them. Its functions are
// called by several goroutines at once.
type Script struct {
	// Session is session number n. Only one goroutine asks.
	Session func(n int64) (session.Session, error)

	// Prepare encodes the call of a step, given what the steps before answered.
	Prepare func(n int64, s session.Session, step int, answers []string) (target.Prepared, error)

	// Read decodes an exchange, keeps its records and returns what was said.
	Read func(raw *target.Raw) (answer string, result record.Outcome)

	// Tool is the real tool of a name. Nil, and a name without one, injects the planned
	// time.
	Tool func(name string) Tool

	// Live repeats what was really answered, not what is recorded.
	Live bool

	// Keep takes the record of a step.
	Keep func(row record.SessionStep)
}

// A Tool carries a real tool out, given the answer before it.
type Tool func(ctx context.Context, s session.Session, step int, said string) (answer string, err error)

func (s Script) tool(name string) Tool {
	if s.Tool == nil {
		return nil
	}
	return s.Tool(name)
}

// Run plays sessions until the point is over. It returns early, with the cause,
// when ctx is cancelled; steps under way are then kept as cut.
func (s Sessions) Run(ctx context.Context, clock *record.Clock, do Doer) error {
	s.Shards = max(1, s.Shards)
	if s.Tally == nil {
		s.Tally = &Tally{}
	}
	if s.Pacer == nil {
		s.Pacer = Timers{clock}
	}
	inner, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	p := &sessionRun{Sessions: s, clock: clock, do: do, fail: cut, ready: make(chan readySession), phases: newPhases(s)}
	p.start = s.from(clock)
	if s.Schedule != nil {
		p.begin, p.end = p.start+s.Schedule.Begin, p.start+s.Schedule.End
	}
	var work sync.WaitGroup
	work.Go(func() { p.prepare(inner) })
	if s.Schedule != nil {
		work.Go(func() { p.open(inner) })
	} else {
		for user := range s.Users {
			work.Go(func() { p.user(inner, int32(user*s.Shards+s.Shard)) })
		}
	}
	err := p.direct(inner)
	cut(target.ErrRunEnded)
	work.Wait()
	return err
}

// A sessionRun is a point of sessions under way.
type sessionRun struct {
	Sessions
	clock  *record.Clock
	do     Doer
	fail   context.CancelCauseFunc
	start  int64 // the stamp of the point's beginning
	begin  int64 // open loop: that of the measured window
	end    int64 // open loop: that of its end
	ready  chan readySession
	phases *phases

	underway atomic.Int64 // calls
	room     atomic.Int64 // sessions
}

// A readySession can begin at once: its first calls are encoded.
type readySession struct {
	number int64
	plan   session.Session
	first  map[int]target.Prepared
}

// prepare makes sessions ahead of those who play them.
func (p *sessionRun) prepare(ctx context.Context) {
	for n := int64(p.Shard); p.End == 0 || n < p.End; n += int64(p.Shards) {
		r, err := p.build(n)
		if err != nil {
			p.fail(fmt.Errorf("session %d: %w", n, err))
			return
		}
		select {
		case p.ready <- r:
		case <-ctx.Done():
			return
		}
	}
}

func (p *sessionRun) build(n int64) (readySession, error) {
	plan, err := p.Script.Session(n)
	if err != nil {
		return readySession{}, err
	}
	r := readySession{number: n, plan: plan, first: map[int]target.Prepared{}}
	answers := make([]string, len(plan.Steps))
	for i, step := range plan.Steps {
		if len(step.After) == 0 && step.Kind == session.Generate {
			if r.first[i], err = p.Script.Prepare(n, plan, i, answers); err != nil {
				return r, err
			}
		}
	}
	return r, plan.Check()
}

func (p *sessionRun) next(ctx context.Context) (readySession, bool) {
	select {
	case r := <-p.ready:
		return r, true
	case <-ctx.Done():
		return readySession{}, false
	}
}

// user plays one session after the other.
func (p *sessionRun) user(ctx context.Context, number int32) {
	begin := p.start
	for ctx.Err() == nil {
		r, ok := p.next(ctx)
		if !ok || (Timers{p.clock}).Wait(ctx, begin) != nil {
			return
		}
		phase := p.phases.begin()
		begin = p.play(ctx, r, number, phase, begin)
		p.phases.end(phase)
	}
}

// open begins every session of this shard at its time, until ctx ends, and waits
// for them.
func (p *sessionRun) open(ctx context.Context) {
	var playing sync.WaitGroup
	defer playing.Wait()
	p.Pacer.Begin()
	for k, offset := range p.Schedule.Calls {
		if k%p.Shards != p.Shard {
			continue
		}
		r, ok := p.next(ctx)
		begin, phase := p.start+offset, p.Schedule.Phase(k)
		if !ok || p.Pacer.Wait(ctx, begin) != nil {
			return
		}
		if p.room.Add(1) > int64(p.MaxInFlight) {
			p.room.Add(-1)
			playing.Go(func() { // keeping it must not delay the next one
				p.drop(r, phase, begin)
				p.phases.end(phase)
			})
			continue
		}
		playing.Go(func() {
			p.play(ctx, r, -1, phase, begin)
			p.room.Add(-1)
			p.phases.end(phase)
		})
	}
}

// drop records a session that found no room by its first calls.
func (p *sessionRun) drop(r readySession, phase record.Phase, begin int64) {
	for step, call := range r.first {
		p.Tally.Begun.Add(1)
		p.Tally.Dropped.Add(1)
		due := begin + int64(r.plan.Steps[step].Think)
		p.address(&call, -1, phase)
		_, result := p.Script.Read(target.Unsent(call, due, p.clock.Now(), target.ErrNoRoom))
		row := p.row(r, step, -1, phase, begin, due)
		row.Phase, row.Begun = phase, p.clock.Now()
		row.End, row.Result, row.Request = row.Begun, result, &call.Call.ID
		p.Script.Keep(row)
	}
}

func (p *sessionRun) address(call *target.Prepared, user int32, phase record.Phase) {
	call.Call.User, call.Call.Shard, call.Call.Phase = user, int32(p.Shard), phase
}

// direct leads the point through its phases.
func (p *sessionRun) direct(ctx context.Context) error {
	begin, end := p.begin, p.end
	if p.Schedule == nil {
		begin = p.start + int64(p.Warmup)
		end = begin + int64(p.Measure)
	}
	if err := (Timers{p.clock}).Wait(ctx, begin); err != nil {
		return err
	}
	p.enter(record.Measure, begin)
	if err := wait(ctx, p.clock.Until(end), p.phases.full); err != nil {
		return err
	}
	p.enter(record.Cooldown, min(end, p.clock.Now()))
	if err := wait(ctx, p.Cooldown, nil); err != nil {
		return err
	}
	return p.rest(ctx, p.phases.drained)
}

func (p *sessionRun) enter(phase record.Phase, at int64) {
	if p.Entered != nil {
		p.Entered(phase, at)
	}
	p.phases.enter(phase)
}
