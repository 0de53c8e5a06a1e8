package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"assay/generator"
	"assay/load"
	"assay/plan"
	"assay/record"
)

// measureDealt has the load generators measure a point and records what they send. The
// leader draws the same schedule as they do, and watches the queue of all of them.
func (l *activeLaunch) measureDealt(ctx context.Context, point plan.Point) error {
	if err := l.attachOffer(point); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	events := l.eventLog(point, cancel)
	tally := &load.Tally{}
	l.at.begin()
	var watch *queueWatch
	if l.plan.Workload().Session == nil {
		watch = l.watchQueue(point, tally, events, cancel)
	}
	l.generators.Collect(func(_ int, rows generator.Rows) error { return l.keepRows(point, rows) })
	stopWatching := func() {}
	outcome, runErr := l.generators.Point(ctx, generator.Course{
		Index: point.Index,
		Begun: func() {
			events(record.PointBegin, l.clock.Now(), point.Name)
			l.live.EnterPoint(point, tally)
			stopWatching = watch.start(ctx)
		},
		Counted: func(t generator.Tally) {
			tally.Begun.Store(t.Begun)
			tally.Dropped.Store(t.Dropped)
			tally.Most.Store(t.Most)
		},
		Entered: func(phase record.Phase, at int64) {
			events.window(phase, at)
			watch.entered(phase)
			l.live.EnterPhase(phase)
		},
	})
	stopWatching()
	l.generators.Collect(nil)
	return l.settleDealt(point, events, watch, outcome, runErr)
}

// attachOffer keeps what the generators will offer: the schedule of an open loop, and
// where sessions come from.
func (l *activeLaunch) attachOffer(point plan.Point) error {
	if l.plan.Workload().Session != nil {
		source, err := l.sessions(point)
		if err == nil {
			err = l.attachSessions(point, source)
		}
		if err != nil {
			return err
		}
	}
	if !point.Open() {
		return nil
	}
	_, err := l.attachSchedule(point)
	return err
}

// settleDealt records how the point ended. Calls of a lost generator whose
// end nobody reported are counted as lost: they were sent, and what became of them is not known.
func (l *activeLaunch) settleDealt(point plan.Point, events eventLog, watch *queueWatch, outcome generator.Outcome, runErr error) error {
	var lost *generator.LostError
	if errors.As(runErr, &lost) {
		events(record.GeneratorGone, l.clock.Now(), lost.Error())
	}
	runErr = watch.forgive(runErr, events)
	if v := outcome.Vitals; runErr == nil {
		detail, err := json.Marshal(record.Collector{Collections: v.Collections, LongestPause: v.LongestPause, BudgetBytes: l.collectorBudget})
		if err != nil {
			return err
		}
		events(record.WindowCollector, l.clock.Now(), string(detail))
	}
	b := ended(l.at.outcomes)
	b.Begun, b.MostInFlight = outcome.Tally.Begun, outcome.Tally.Most
	if kept := b.Completed + b.Failed + b.Dropped + b.Cancelled + b.Cut; lost != nil {
		b.Begun = max(b.Begun, kept)
		b.Lost = b.Begun - kept
	}
	probed := l.at.probed
	probed.Begun, probed.MostInFlight = outcome.Probes.Begun, outcome.Probes.Most
	if lost != nil {
		probed.Begun = max(probed.Begun, probed.Completed+probed.Failed+probed.Cut)
	}
	err := l.settle(point, events, b, probed)
	if runErr == nil && err == nil && !point.Open() && l.at.measured == 0 {
		err = errNothingMeasured
	}
	return errors.Join(runErr, err)
}

// keepRows records rows that a generator sent, each request with its chunks.
func (l *activeLaunch) keepRows(point plan.Point, rows generator.Rows) error {
	chunks := rows.Chunks
	for _, r := range rows.Requests {
		n := 0
		for n < len(chunks) && chunks[n].Request == r.ID {
			n++
		}
		if r.Point != int32(point.Index) {
			return fmt.Errorf("request %d is of point %d, and point %d is measured", r.ID, r.Point, point.Index)
		}
		if err := l.keepRow(r, chunks[:n]); err != nil {
			return err
		}
		chunks = chunks[n:]
	}
	if len(chunks) > 0 {
		return fmt.Errorf("%d chunks of no request that came with them", len(chunks))
	}
	for _, step := range rows.Sessions {
		if err := l.to.step(step); err != nil {
			return fmt.Errorf("record step: %w", err)
		}
	}
	for _, event := range rows.Events {
		if err := l.to.event(event); err != nil {
			return fmt.Errorf("record event %s: %w", event.Name, err)
		}
	}
	return nil
}

func (l *activeLaunch) keepRow(r record.Request, chunks []record.Chunk) error {
	if r.Phase != record.Probe {
		return l.keep(r, chunks)
	}
	l.at.probed = l.at.probed.add(ended(map[record.Outcome]int64{r.Result: 1}))
	return l.to.request(r, chunks)
}
