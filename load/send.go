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

// Manners are what open and closed loops have in common about sending. The zero
// value sends every call at once and gives up none.
type Manners struct {
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

// A sender carries out calls with the manners of a point.
type sender struct {
	Manners
	clock    *record.Clock
	do       Doer
	prefill  chan struct{} // holds as many as may wait for their first byte; nil means any number
	underway atomic.Int64
}

func newSender(m Manners, clock *record.Clock, do Doer) *sender {
	s := &sender{Manners: m, clock: clock, do: do}
	if s.Tally == nil {
		s.Tally = &Tally{}
	}
	if m.PrefillConcurrency > 0 {
		s.prefill = make(chan struct{}, m.PrefillConcurrency)
	}
	return s
}

// send carries out one call that was due at due.
func (s *sender) send(ctx context.Context, p target.Prepared, due int64) *target.Raw {
	s.Tally.under(s.underway.Add(1))
	defer s.underway.Add(-1)
	if s.prefill != nil {
		select {
		case s.prefill <- struct{}{}:
		case <-ctx.Done():
			return target.Unsent(p, due, s.clock.Now(), context.Cause(ctx))
		}
		leave := sync.OnceFunc(func() { <-s.prefill })
		defer leave() // an answer may end before its first byte
		p.FirstByte = leave
	}
	if s.Cancel.picks(p.Call.ID) {
		inner, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		timer := time.AfterFunc(s.Cancel.After, func() { cancel(target.ErrGivenUp) })
		defer timer.Stop()
		ctx = inner
	}
	return s.do.Do(ctx, p, due)
}
