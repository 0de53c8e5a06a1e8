package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/target"
	"assay/telemetry"
)

// launches makes every planned launch. One that fails is recorded and the next
// one is made all the same: a run that hides its failures is no measurement. A
// cancelled run or a bundle that cannot be written ends everything.
func (e *execution) launches(ctx context.Context) (bundle.Status, error) {
	server := newServer(e.conn.server, e.plan.Run.Spec.Target)
	defer server.stop()
	var failures []error
	for order, planned := range e.plan.Launches {
		err := e.launch(ctx, order, planned, server)
		if ctx.Err() != nil {
			return bundle.Aborted, fmt.Errorf("run ended in launch %d: %w", planned.Index, context.Cause(ctx))
		}
		var disk *bundleError
		if errors.As(err, &disk) {
			return bundle.Failed, err
		}
		if err != nil {
			e.report(Progress{Launch: planned.Index, Message: "launch failed: " + err.Error()})
			failures = append(failures, fmt.Errorf("launch %d: %w", planned.Index, err))
		}
	}
	if len(failures) > 0 {
		return bundle.Failed, errors.Join(failures...)
	}
	return bundle.Completed, nil
}

// A bundleError says that the bundle itself could not be written.
type bundleError struct{ err error }

func (e *bundleError) Error() string { return e.err.Error() }
func (e *bundleError) Unwrap() error { return e.err }

// launch makes one launch and enters it in the ledger, whatever becomes of it.
func (e *execution) launch(ctx context.Context, order int, planned plan.Launch, server *server) error {
	clock, err := record.StartClock()
	if err != nil {
		return err
	}
	out, err := e.out.StartLaunch(bundle.LaunchStart{
		Index: planned.Index, Order: order, Wall: time.Now(), Clock: record.ClockID, EpochNS: clock.Epoch,
	})
	if err != nil {
		return &bundleError{err}
	}
	l := &launching{plan: e.plan, planned: planned, clock: clock, out: out}
	runErr := e.measure(ctx, l, server)
	e.requests += l.counter.ended.Load()
	e.failed += l.counter.failed.Load()
	e.balance = e.balance.add(l.balance)
	end := bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}
	switch {
	case ctx.Err() != nil:
		end = bundle.LaunchEnd{Outcome: bundle.LaunchAborted, Reason: context.Cause(ctx).Error()}
	case runErr != nil:
		end = bundle.LaunchEnd{Outcome: bundle.LaunchFailed, Reason: runErr.Error()}
	}
	if err := out.Close(end); err != nil {
		return &bundleError{errors.Join(runErr, err)}
	}
	return runErr
}

// measure starts what must be started and runs every point in its order.
func (e *execution) measure(ctx context.Context, l *launching, server *server) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	leave, err := server.enter(ctx, cancel, l.out)
	if err != nil {
		return err
	}
	defer leave()
	if !e.identified {
		e.identify(ctx, e.env)
		e.identified = true
		if err := e.out.SetEnvironment(e.env); err != nil {
			return err
		}
	}
	if l.client, err = target.New(e.conn.client, e.conn.dialect, l.clock); err != nil {
		return err
	}
	defer l.client.Close()
	endProgram, err := startProgram(ctx, cancel, e.conn.client.Program, l)
	if err != nil {
		return err
	}
	defer endProgram()
	defer telemetry.Start(ctx, e.opts.Host, l.clock.Now, l.sink(cancel), telemetry.Options{Scrape: e.conn.metrics})()
	for _, index := range l.planned.Order {
		point, _ := e.plan.PointByIndex(index)
		e.report(Progress{Launch: l.planned.Index, Point: point.Name})
		if err := l.measurePoint(ctx, point); err != nil {
			return fmt.Errorf("%s: %w", point.Name, err)
		}
		if ended := l.counter.ended.Load(); ended > 0 && ended == l.counter.failed.Load() {
			return fmt.Errorf("%s: not one request succeeded; the first errors are in the bundle's table requests", point.Name)
		}
	}
	return nil
}

// sink records what is read beside the run.
func (l *launching) sink(cancel context.CancelCauseFunc) telemetry.Sink {
	keep := func(err error) {
		if err != nil {
			cancel(fmt.Errorf("record samples: %w", err))
		}
	}
	return telemetry.Sink{
		Samples: func(rows []record.Sample) { keep(l.out.Samples.Append(rows...)) },
		Event:   func(event record.Event) { keep(l.out.Events.Append(event)) },
	}
}
