package load

import (
	"context"
	"errors"
	"sync"
	"time"

	"assay/record"
	"assay/target"
)

// Queries is one point in which calls are the samples of queries: a query is all
// of its samples at once and ends with the last of them, and the next begins when
// it has ended. It is how MLPerf LoadGen sends single-stream, multi-stream and
// offline queries. Load therefore follows the target's speed, as in a closed loop.
type Queries struct {
	Samples  int // of one query
	InFlight int // the most samples under way at once; the others of the query wait, and that counts

	// Warmup is how long queries are sent before those that count. WarmupQueries
	// ends it early. Both zero means none.
	Warmup        time.Duration
	WarmupQueries int

	// The point goes on until MinQueries have ended and MinDuration has passed,
	// but begins no query after MaxDuration (zero means no limit). Once means that
	// there is a single query.
	MinQueries  int
	MinDuration time.Duration
	MaxDuration time.Duration
	Once        bool

	// Entered is called when the measurement begins (Measure) and ends (Cooldown).
	// Nil means that nobody wants to know.
	Entered func(phase record.Phase, at int64)

	// Tally counts what is begun. Nil means that nobody wants to know.
	Tally *Tally
}

// Run sends queries until the point is over and passes every exchange to keep,
// which is called by several goroutines at once. The samples of a query are
// successive calls; all of them are due when the query begins. Run returns early,
// with the cause, when ctx is cancelled; calls in flight are then kept as cut.
func (q Queries) Run(ctx context.Context, clock *record.Clock, calls <-chan target.Prepared, do Doer, keep func(*target.Raw)) error {
	if q.Tally == nil {
		q.Tally = &Tally{}
	}
	entered := func(phase record.Phase) int64 {
		at := clock.Now()
		if q.Entered != nil {
			q.Entered(phase, at)
		}
		return at
	}
	begin := clock.Now()
	for n := 0; (q.Warmup > 0 || q.WarmupQueries > 0) &&
		(q.Warmup == 0 || clock.Now()-begin < int64(q.Warmup)) && (q.WarmupQueries == 0 || n < q.WarmupQueries); n++ {
		if err := q.query(ctx, clock, record.Warmup, calls, do, keep); err != nil {
			return err
		}
	}
	begin = entered(record.Measure)
	for n := 0; q.goesOn(n, time.Duration(clock.Now()-begin)); n++ {
		if err := q.query(ctx, clock, record.Measure, calls, do, keep); err != nil {
			return err
		}
	}
	entered(record.Cooldown)
	return nil
}

// goesOn reports whether another query follows n of them after so long.
func (q Queries) goesOn(n int, after time.Duration) bool {
	if q.Once {
		return n == 0
	}
	if q.MaxDuration > 0 && after >= q.MaxDuration {
		return false
	}
	return n < q.MinQueries || after < q.MinDuration
}

var errQueryShort = errors.New("the calls ran out within a query: the data set is too short")

// query sends the samples of one query and waits for the last to end.
func (q Queries) query(ctx context.Context, clock *record.Clock, phase record.Phase, calls <-chan target.Prepared, do Doer, keep func(*target.Raw)) error {
	places := make(chan struct{}, max(1, min(q.InFlight, q.Samples))) // holds the samples under way
	if most := int64(cap(places)); most > q.Tally.Most.Load() {
		q.Tally.Most.Store(most) // queries follow each other: nobody else writes it
	}
	var underway sync.WaitGroup
	defer underway.Wait()
	due := clock.Now()
	for sample := range q.Samples {
		var p target.Prepared
		select {
		case next, ok := <-calls:
			if !ok {
				if ctx.Err() != nil {
					return context.Cause(ctx) // whoever prepares calls saw the end first
				}
				return errQueryShort
			}
			p = next
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		p.Call.User, p.Call.Phase = int32(sample), phase
		q.Tally.Begun.Add(1)
		underway.Go(func() {
			keep(do.Do(ctx, p, due))
			<-places
		})
	}
	underway.Wait()
	return context.Cause(ctx)
}
