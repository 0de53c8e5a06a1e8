package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"assay/generator"
	"assay/load"
	"assay/record"
)

// A leader is whom a load generator sends its load for: it takes the rows of a point, as
// a bundle would, and tells when the point begins and ends.
type leader struct {
	member *generator.Member

	start  chan int64    // the stamp at which the point begins; holds 1
	rested chan struct{} // closed when the measured calls of all generators have ended

	mu     sync.Mutex
	tally  *load.Tally
	vitals generator.Vitals
	probes generator.Tally
}

var _ output = (*leader)(nil)

// begin forgets the point before.
func (l *leader) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.start, l.rested = make(chan int64, 1), make(chan struct{})
	l.tally, l.vitals, l.probes = &load.Tally{}, generator.Vitals{}, generator.Tally{}
}

func (l *leader) request(r record.Request, chunks []record.Chunk) error {
	return l.member.Request(r, chunks)
}

func (l *leader) step(row record.SessionStep) error { return l.member.Step(row) }

// attach keeps nothing: the leader draws the same schedule from the same plan.
func (l *leader) attach(string, []byte) error { return nil }

// event passes on what only this process can know. The leader tells of the rest itself,
// once for all generators.
func (l *leader) event(row record.Event) error {
	switch row.Name {
	case record.WindowBegin:
		return l.member.Report(generator.Report{Stage: generator.Entered, Phase: record.Measure, At: row.At})
	case record.WindowEnd:
		return l.member.Report(generator.Report{Stage: generator.Entered, Phase: record.Cooldown, At: row.At})
	case record.WindowCollector:
		var c record.Collector
		if err := json.Unmarshal([]byte(row.Detail), &c); err != nil {
			return err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.vitals.Collections, l.vitals.LongestPause = c.Collections, c.LongestPause
	case record.ConnectionsCold:
		return l.member.Event(row)
	}
	return nil
}

// fail tells the leader that this generator cannot go on.
func (l *leader) fail(err error) error {
	return l.member.Report(generator.Report{Stage: generator.Failed, Error: err.Error()})
}

// spend notes what the point cost, and what became of the probes.
func (l *leader) spend(h Health, probed Balance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.vitals.CPU, l.vitals.Wall, l.vitals.Resident = h.CPUSeconds, h.WallSeconds, h.MaxResidentBytes
	l.probes = generator.Tally{Begun: probed.Begun, Dropped: probed.Dropped, Most: probed.MostInFlight}
}

// done is the report of a point that is over.
func (l *leader) done() generator.Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	vitals, probes := l.vitals, l.probes
	return generator.Report{Stage: generator.Done, Tally: told(l.tally), Vitals: &vitals, Probes: &probes}
}

func told(t *load.Tally) generator.Tally {
	return generator.Tally{Begun: t.Begun.Load(), Dropped: t.Dropped.Load(), Most: t.Most.Load()}
}

// countEvery is how often the leader hears how many calls have begun: as often as it gets
// the rows of those that have ended.
const countEvery = 100 * time.Millisecond

// meet returns when a point is to begin, with what keeps this process in step with the
// other load generators. One that is on its own begins at once.
func (l *activeLaunch) meet(ctx context.Context, tally *load.Tally) (load.Together, error) {
	if l.leader == nil {
		return load.Together{}, nil
	}
	return l.leader.meet(ctx, tally, false)
}

func (l *leader) meet(ctx context.Context, tally *load.Tally, idle bool) (load.Together, error) {
	l.mu.Lock()
	l.tally = tally
	l.mu.Unlock()
	if err := l.member.Report(generator.Report{Stage: generator.Prepared, Idle: idle}); err != nil {
		return load.Together{}, err
	}
	select {
	case at := <-l.start:
		return load.Together{Start: at, Rest: l.rest}, nil
	case <-ctx.Done():
		return load.Together{}, context.Cause(ctx)
	}
}

// counting tells the leader how many calls have begun until stop is called.
func (l *leader) counting() (stop func()) {
	over := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		tick := time.NewTicker(countEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				l.mu.Lock()
				tally := told(l.tally)
				l.mu.Unlock()
				if l.member.Report(generator.Report{Stage: generator.Counted, Tally: tally}) != nil {
					return // whoever sends rows says so
				}
			case <-over:
				return
			}
		}
	})
	return func() {
		close(over)
		work.Wait()
	}
}

// rest tells the leader that no measured call is left here, and returns when none is left
// anywhere.
func (l *leader) rest(ctx context.Context) error {
	if err := l.member.Report(generator.Report{Stage: generator.Drained}); err != nil {
		return err
	}
	select {
	case <-l.rested:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// idle goes through a point at which this generator has nothing to send.
func (l *activeLaunch) idle(ctx context.Context) error {
	t, err := l.leader.meet(ctx, &load.Tally{}, true)
	if err != nil {
		return err
	}
	if err := t.Rest(ctx); err != nil && !errors.Is(err, errStopped) {
		return fmt.Errorf("wait for the others: %w", err)
	}
	return nil
}
