package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/run/watch"
	"assay/target"
	"assay/target/fidelity"
	"assay/telemetry"
)

// calibrates reports whether the run is to measure its own client.
func calibrates(p plan.Plan) bool {
	if !serves(p) {
		return false // nothing is asked, so no error of asking
	}
	wanted := p.Load().Calibrate
	return wanted == nil || *wanted
}

// calibrateAround measures the client before the first launch and after the last
// one, with measure between. Once for the run and not for each launch: the client
// is one process with one configuration throughout, and what changes is the host
// around it, which before and after show. A client that cannot be calibrated
// still measures; the record says why the error is unknown.
func (e *execution) calibrateAround(ctx context.Context, turn turn, l *activeLaunch, measure func() error) error {
	if !calibrates(e.plan) || e.plan.Generators() > 1 { // generators calibrate themselves
		return measure()
	}
	if turn.first {
		if err := e.calibrate(ctx, l, record.CalibrationBefore); err != nil {
			return err
		}
	}
	err := measure()
	if turn.last && ctx.Err() == nil {
		err = errors.Join(err, e.calibrate(ctx, l, record.CalibrationAfter))
	}
	return err
}

// calibrate measures the client and attaches what it found to the launch. Only a
// bundle that cannot be written is an error.
func (e *execution) calibrate(ctx context.Context, l *activeLaunch, when string) error {
	e.report(Progress{Launch: l.planned.Index, Message: "measuring the client's own error, " + when + " the run"})
	l.live.Enter(watch.Calibrating)
	defer l.live.Enter(watch.Preparing)
	found := e.calibration(ctx, l.clock, when)
	if ctx.Err() != nil {
		return nil // the launch ends as aborted; half a calibration would mislead
	}
	return l.attachCalibration(record.CalibrationFile(when), found)
}

// calibration measures the client, or says why that could not be done.
func (e *execution) calibration(ctx context.Context, clock *record.Clock, when string) record.Calibration {
	found := demandOf(e.plan).calibration(e.opts.Senders)
	found.NotCovered = notCovered(e.plan.Decided(), e.conn.client)
	found.When, found.BeginNS = when, clock.Now()
	if err := e.measureClient(ctx, clock, &found); err != nil {
		found.Unavailable = err.Error()
	}
	found.EndNS = clock.Now()
	return found
}

func (l *activeLaunch) attachCalibration(name string, found record.Calibration) error {
	data, err := json.MarshalIndent(found, "", "  ")
	if err == nil {
		err = l.to.attach(name, data)
	}
	if err != nil {
		return &bundleError{err}
	}
	return nil
}

// measureClient puts the demand on a simulator that runs as a process of its own
// and compares the stamps of both.
func (e *execution) measureClient(ctx context.Context, clock *record.Clock, found *record.Calibration) error {
	if e.opts.Simulate == nil {
		return errors.New("this program cannot start a simulator")
	}
	found.Truth.Over = e.conn.way()
	truth := fidelity.Schedule{
		TTFT: time.Duration(found.Truth.TTFTNS), ITL: time.Duration(found.Truth.ITLNS), Tokens: found.Truth.Tokens, Over: found.Truth.Over,
	}
	// Should the simulator hang, the run must go on.
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second+10*answerTime(found.Truth))
	defer cancel()
	simulation, err := e.opts.Simulate(ctx, truth)
	if err != nil {
		return err
	}
	seen, runErr := e.observe(ctx, clock, simulation.Reach, found)
	result, err := simulation.Judge(seen)
	if err := errors.Join(runErr, err); err != nil {
		return err
	}
	if result.TTFT.N == 0 {
		return fmt.Errorf("no answer of the simulator could be judged; %d failed, the first with %q", result.Failed, result.Error)
	}
	found.Stamps = result.Stamps
	found.TTFT, found.Gap, found.Stamp = result.TTFT.Record(), result.Gap.Record(), result.Stamp.Record()
	found.Lag, found.Late = result.Lag.Record(), result.Late.Record()
	found.Requests, found.Events = result.TTFT.N, result.Events
	found.Lost, found.Failed, found.SharedReads = result.Lost, result.Failed, result.Shared
	return nil
}

// observe measures the simulator as a launch measures its target: the same point, with a
// client, recorder, telemetry, collector and counters of a live view as in the run. What
// is recorded goes into a bundle of its own, which is thrown away. Reach makes a client's
// configuration lead to the simulator.
func (e *execution) observe(ctx context.Context, clock *record.Clock, reach func(*target.Config) error, found *record.Calibration) (seen fidelity.Observed, err error) {
	out, discard, err := e.scratch(clock)
	if err != nil {
		return seen, err
	}
	defer func() { err = errors.Join(err, discard()) }()
	asked, err := e.knownCalls(found.Truth.Tokens)
	if err != nil {
		return seen, err
	}
	point := demandOf(e.plan).known(found.Truth)
	l := &activeLaunch{
		plan: e.plan.Known(), planned: plan.Launch{Seed: calibrationSeed}, in: e.in.ready(), calls: asked, clock: clock, out: out, to: tables{out},
		live: e.shadow(), collectorBudget: e.opts.CollectorBudget,
	}
	l.at.judge = observer{&seen, clock}
	dialect, err := target.Find(knownAPI)
	if err != nil {
		return seen, err
	}
	cfg := knownClient(e.conn.client, point)
	if err := reach(&cfg); err != nil {
		return seen, err
	}
	if l.client, err = target.New(cfg, dialect, clock); err != nil {
		return seen, err
	}
	defer l.client.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer telemetry.Start(ctx, e.opts.Host, clock.Now, l.sink(cancel), telemetry.Options{Sources: hostSources(), Interval: e.plan.Sampling()})()
	err = l.measurePoint(ctx, point) // fills seen
	return seen, err
}

// An observer keeps what the recorder of a calibration records.
type observer struct {
	seen  *fidelity.Observed
	clock *record.Clock
}

// Add implements requestJudge.
func (o observer) Add(r *record.Request, chunks []record.Chunk) { o.seen.Add(*r, chunks, o.clock) }

// scratch begins a bundle that nobody keeps, on the disk of the run's own.
func (e *execution) scratch(clock *record.Clock) (out *bundle.Launch, discard func() error, err error) {
	dir, err := os.MkdirTemp(e.opts.Out, ".calibration-")
	if err != nil {
		return nil, nil, err
	}
	w, err := bundle.Create(filepath.Join(dir, "bundle"), bundle.Header{
		RunID: "calibration", Spec: []byte("a calibration"), Plan: []byte("{}"), Tool: e.opts.Tool, Redactor: e.redactor,
	})
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	out, err = w.StartLaunch(bundle.LaunchStart{Wall: time.Now(), Clock: record.ClockID, EpochNS: clock.Epoch})
	if err != nil {
		return nil, nil, errors.Join(err, w.Abandon(), os.RemoveAll(dir))
	}
	return out, func() error {
		return errors.Join(out.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}), w.Abandon(), os.RemoveAll(dir))
	}, nil
}

// shadow counts the known stream as a live view counts the run's requests, which are
// not to be mixed; nil when nobody watches.
func (e *execution) shadow() *watch.Live {
	if e.opts.Live == nil {
		return nil
	}
	live := &watch.Live{}
	live.Begin(e.plan, e.redactor.String)
	return live
}
