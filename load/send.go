package load

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"assay/record"
	"assay/target"
)

// A Doer carries out one call. target.Client is the Doer of real runs.
type Doer interface {
	Do(ctx context.Context, p target.Prepared, due int64) *target.Raw
}

// A Starter is a Doer that can tell of the end of a call instead of returning at
// it; see target.Client. One that cannot gets a goroutine for each call.
type Starter interface {
	Start(ctx context.Context, p target.Prepared, due int64, done func(*target.Raw))
	Inline() bool
}

var _ Starter = (*target.Client)(nil)

// A goroutineStarter starts calls of a Doer that only returns.
type goroutineStarter struct{ Doer }

func (g goroutineStarter) Start(ctx context.Context, p target.Prepared, due int64, done func(*target.Raw)) {
	go func() { done(g.Do(ctx, p, due)) }() // ends with the call, which done tells of
}

func (goroutineStarter) Inline() bool { return false }

// A Cancel gives up some calls on purpose, as impatient users do. The zero value
// gives up none.
type Cancel struct {
	Share float64       // of the calls, 0 to 1
	After time.Duration // from when the call was sent
	Seed  int64         // with the number of a call it decides about that call
}

// picks reports whether call number id is to be given up. It depends on nothing
// but the seed and the number, so every shard and every repetition agree.
func (c Cancel) picks(id int64) bool {
	return c.Share > 0 && rand.New(rand.NewPCG(uint64(c.Seed), uint64(id))).Float64() < c.Share
}

// A SendPolicy is what open and closed loops have in common about sending. The zero
// value sends every call at once and gives up none.
type SendPolicy struct {
	// PrefillConcurrency is the most calls that wait for the first byte of their
	// answer at once. A call beyond it waits, and that counts: it was due. Zero
	// means no limit.
	PrefillConcurrency int

	Cancel Cancel

	// Tally counts what is begun. Nil means that nobody wants to know.
	Tally *Tally
}

// A Tally counts the calls of a point as they are begun, apart from those who
// count what became of them, so that the two can be compared.
type Tally struct {
	Begun   atomic.Int64 // calls taken up, dropped ones too
	Dropped atomic.Int64 // calls that found no room
	Most    atomic.Int64 // the most calls under way at once
}

// under notes that n calls are under way.
func (t *Tally) under(n int64) {
	for most := t.Most.Load(); n > most && !t.Most.CompareAndSwap(most, n); most = t.Most.Load() {
	}
}

// A sender carries out calls by the policy of a point.
type sender struct {
	SendPolicy
	clock    *record.Clock
	do       Doer
	to       Starter       // the same
	prefill  chan struct{} // holds as many as may wait for their first byte; nil means any number
	underway atomic.Int64
}

func newSender(p SendPolicy, clock *record.Clock, do Doer) *sender {
	s := &sender{SendPolicy: p, clock: clock, do: do}
	if starter, ok := do.(Starter); ok {
		s.to = starter
	} else {
		s.to = goroutineStarter{do}
	}
	if s.Tally == nil {
		s.Tally = &Tally{}
	}
	if p.PrefillConcurrency > 0 {
		s.prefill = make(chan struct{}, p.PrefillConcurrency)
	}
	return s
}

// send carries out one call that was due at due, on the caller's goroutine.
func (s *sender) send(ctx context.Context, p target.Prepared, due int64) *target.Raw {
	s.Tally.under(s.underway.Add(1))
	defer s.underway.Add(-1)
	if s.prefill != nil {
		if !s.admit(ctx, &p) {
			return target.Unsent(p, due, s.clock.Now(), context.Cause(ctx))
		}
		defer p.FirstByte() // an answer may end before its first byte
	}
	ctx, giveUp := s.limit(ctx, p)
	defer giveUp()
	return s.do.Do(ctx, p, due)
}

// start is send that never blocks: it tells done, which may not block either. Only
// a call that must wait for PrefillConcurrency needs a goroutine.
func (s *sender) start(ctx context.Context, p target.Prepared, due int64, done func(*target.Raw)) {
	s.Tally.under(s.underway.Add(1))
	if s.prefill == nil {
		s.begin(ctx, p, due, done)
		return
	}
	select {
	case s.prefill <- struct{}{}:
		p.FirstByte = s.leave()
		s.begin(ctx, p, due, done)
	default:
		go func() { // ends when the call is admitted or ctx has ended
			if s.admit(ctx, &p) {
				s.begin(ctx, p, due, done)
				return
			}
			s.underway.Add(-1)
			done(target.Unsent(p, due, s.clock.Now(), context.Cause(ctx)))
		}()
	}
}

// admit waits for a place among the calls that wait for their first byte, which
// p.FirstByte then leaves. It is false when ctx ended first.
func (s *sender) admit(ctx context.Context, p *target.Prepared) bool {
	select {
	case s.prefill <- struct{}{}:
		p.FirstByte = s.leave()
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *sender) leave() func() { return sync.OnceFunc(func() { <-s.prefill }) }

// begin starts a call that nothing holds back.
func (s *sender) begin(ctx context.Context, p target.Prepared, due int64, done func(*target.Raw)) {
	ctx, giveUp := s.limit(ctx, p)
	s.to.Start(ctx, p, due, func(raw *target.Raw) {
		giveUp()
		if p.FirstByte != nil {
			p.FirstByte() // an answer may end before it
		}
		s.underway.Add(-1)
		done(raw)
	})
}

// limit is the context of p, which ends early if p is to be given up. stop must be
// called when p has ended.
func (s *sender) limit(ctx context.Context, p target.Prepared) (limited context.Context, stop func()) {
	if !s.Cancel.picks(p.Call.ID) {
		return ctx, func() {}
	}
	limited, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(s.Cancel.After, func() { cancel(target.ErrGivenUp) })
	return limited, func() { timer.Stop(); cancel(nil) }
}
