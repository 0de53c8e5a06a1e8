package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/bundle"
	"assay/launch"
	"assay/plan"
	"assay/record"
	"assay/run/watch"
	"assay/spec"
	"assay/telemetry"
)

// launches makes every planned launch that was not carried over; failures are those
// of launches that were. One that fails is recorded and the next
// one is made all the same: a run that hides its failures is no measurement. A
// cancelled run or a bundle that cannot be written ends everything.
func (e *execution) launches(ctx context.Context, failures []error) (bundle.Status, error) {
	defer e.stopServers()
	due := e.due()
	for i, planned := range due {
		turn := turn{first: i == 0, last: i == len(due)-1}
		if err := e.enter(planned.Side); err != nil {
			return bundle.Failed, err
		}
		err := e.launch(ctx, turn, planned, e.side.server)
		if ctx.Err() != nil {
			return bundle.Aborted, fmt.Errorf("run ended in launch %d of %d: %w", planned.Index+1, len(e.plan.Launches), context.Cause(ctx))
		}
		var disk *bundleError
		if errors.As(err, &disk) {
			return bundle.Failed, err
		}
		if err != nil {
			e.report(Progress{Launch: planned.Index, Message: "launch failed: " + err.Error()})
			failures = append(failures, fmt.Errorf("launch %d: %w", planned.Index+1, err))
		}
		if turn.first && errors.Is(err, errNothingMeasured) {
			break // the others would be as short
		}
	}
	if len(failures) > 0 {
		return bundle.Failed, errors.Join(failures...)
	}
	return bundle.Completed, nil
}

// A turn is the place of a launch among those that this run makes itself.
type turn struct{ first, last bool }

// A bundleError says that the bundle itself could not be written.
type bundleError struct{ err error }

func (e *bundleError) Error() string { return e.err.Error() }
func (e *bundleError) Unwrap() error { return e.err }

// launch makes one launch and enters it in the ledger, whatever becomes of it.
func (e *execution) launch(ctx context.Context, turn turn, planned plan.Launch, server *server) error {
	clock, err := record.StartClock()
	if err != nil {
		return err
	}
	out, err := e.out.StartLaunch(bundle.LaunchStart{
		Index: planned.Index, Order: planned.Index, Side: planned.Side, Block: planned.Block, Wall: time.Now(), Clock: record.ClockID, EpochNS: clock.Epoch, Nodes: slices.Clone(spec.SetOf(e.nodeNames(), planned.Set, e.plan.Sets())), Set: planned.Set,
	})
	if err != nil {
		return &bundleError{err}
	}
	e.opts.Live.EnterLaunch(planned)
	l := &activeLaunch{turn: turn, plan: e.plan.Facing(e.side.target), planned: planned, in: e.in, recordings: &e.recordings, clock: clock, out: out, to: tables{out}, live: e.opts.Live, collectorBudget: e.opts.CollectorBudget}
	e.conn.client.Trace, e.conn.client.CountSeed = e.trace(planned), e.runID()
	runErr := errors.Join(e.tellNotes(turn, l), l.keepSheet())
	if runErr == nil {
		runErr = e.calibrateAround(ctx, turn, l, func() error { return e.measureLaunch(ctx, l, server) })
	}
	e.requests += l.counter.ended.Load()
	e.failed += l.counter.failed.Load()
	e.balance = e.balance.add(l.balance)
	e.probed = e.probed.add(l.probed)
	end := bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}
	switch {
	case ctx.Err() != nil:
		end = bundle.LaunchEnd{Outcome: bundle.LaunchAborted, Reason: context.Cause(ctx).Error()}
	case errors.As(runErr, new(*launch.Interference)):
		end = bundle.LaunchEnd{Outcome: bundle.LaunchVoided, Reason: runErr.Error()}
	case runErr != nil:
		end = bundle.LaunchEnd{Outcome: bundle.LaunchFailed, Reason: runErr.Error()}
	}
	if err := out.Close(end); err != nil {
		return &bundleError{errors.Join(runErr, err)}
	}
	return runErr
}

// measureLaunch measures and notes what that cost the client.
func (e *execution) measureLaunch(ctx context.Context, l *activeLaunch, server *server) error {
	begun, err := readVitals()
	if err != nil {
		return err
	}
	err = e.measure(ctx, l, server)
	return errors.Join(err, e.health.spent(begun))
}

// measure starts what must be started and runs every point in its order.
func (e *execution) measure(ctx context.Context, l *activeLaunch, server *server) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// The host is watched through the start of the server; the server itself, whose
	// page is not there yet, only when its cold requests are over.
	sink := l.sink(cancel)
	defer telemetry.Start(ctx, e.opts.Host, l.clock.Now, sink, telemetry.Options{Sources: hostSources(), Interval: e.plan.Sampling()})()
	if err := e.measureApart(ctx, l); err != nil || !serves(e.plan) {
		return errors.Join(err, context.Cause(ctx))
	}
	if e.conn.server != nil || e.conn.client.Program != nil {
		l.live.Enter(watch.Starting)
	}
	leave, err := server.enter(ctx, cancel, l.clock, l.out)
	if err != nil {
		return err
	}
	defer leave()
	if err = errors.Join(e.tellAsked(l), e.newClient(l)); err != nil {
		return err
	}
	defer l.client.Close()
	endProgram, err := startProgram(ctx, cancel, e.conn.client.Program, l)
	if err != nil {
		return err
	}
	defer endProgram()
	l.probes, l.dialect = e.conn.client, e.conn.dialect
	l.probes.Connections, l.probes.Readers, l.probes.Spin = 1, 1, false
	if e.in.kind == spec.TokenizerServer && e.in.tok == nil {
		if err := errors.Join(e.in.learn(ctx, e.conn), e.describeInputs()); err != nil {
			return err
		}
	}
	e.recordings.counter = e.in.words()
	l.live.Enter(watch.Asking)
	if server.fresh {
		// Before anything else asks the server, and before it is watched.
		if err := l.askCold(ctx); err != nil {
			return err
		}
	}
	if err := errors.Join(e.identifySide(ctx), e.side.probeLogprobs(ctx, e.in)); err != nil {
		return err
	}
	defer telemetry.Start(ctx, e.opts.Host, l.clock.Now, sink, telemetry.Options{
		Sources: []telemetry.Source{telemetry.Prometheus},
		Scrape:  e.conn.metrics, ScrapeInterval: l.plan.Target().Metrics.Interval.Std(), ScrapeTLS: e.conn.client.TLS,
	})()
	if err := l.probeCache(ctx); err != nil {
		return err
	}
	endGenerators, err := e.startGenerators(ctx, l)
	if err != nil {
		return err
	}
	visit := e.visitPoints
	if e.plan.Search != nil {
		visit = e.walk
	}
	if err := errors.Join(visit(ctx, l), endGenerators()); err != nil {
		return err
	}
	// A server that died in the last moments has cancelled ctx by now, a program
	// perhaps not yet: its calls fail as fast as they can be made.
	if err := programFailure(l.client, e.conn.client.Program); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// visitPoints runs every point in the order of the launch.
func (e *execution) visitPoints(ctx context.Context, l *activeLaunch) error {
	for _, index := range l.planned.Order {
		point, _ := e.plan.PointByIndex(index)
		if point.Kind() != plan.KindServing {
			continue // measured apart
		}
		e.report(Progress{Launch: l.planned.Index, Point: point.Name})
		if err := l.measurePoint(ctx, point); err != nil {
			return fmt.Errorf("%s: %w", point.Name, err)
		}
		if err := l.hopeless(point); err != nil {
			return err
		}
	}
	return nil
}

// hopeless is an error when no request of any point has succeeded so far.
func (l *activeLaunch) hopeless(point plan.Point) error {
	if b := l.balance; b.Completed == l.apart.Completed && b.Failed+b.Dropped > l.apart.Failed {
		return fmt.Errorf("%s: not one request succeeded; %s", point.Name, l.firstFailure)
	}
	return nil
}

// sink records what is read beside the run.
func (l *activeLaunch) sink(cancel context.CancelCauseFunc) telemetry.Sink {
	keep := func(err error) {
		if err != nil {
			cancel(fmt.Errorf("record samples: %w", err))
		}
	}
	return telemetry.Sink{
		Samples: func(rows []record.Sample) {
			l.live.Sampled(rows)
			keep(l.out.Samples.Append(rows...))
		},
		Event: func(event record.Event) { keep(l.out.Events.Append(event)) },
	}
}
