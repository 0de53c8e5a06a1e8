package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"assay/load"
	"assay/plan"
	"assay/record"
	"assay/run/watch"
	"assay/target"
	"assay/target/fidelity"
	"assay/workload/arrival"
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
	if !calibrates(e.plan) {
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
	found := demandOf(e.plan).calibration()
	found.NotCovered = notCovered(e.plan.Decided(), e.conn.client)
	found.When, found.BeginNS = when, l.clock.Now()
	if err := e.measureClient(ctx, l.clock, &found); err != nil {
		found.Unavailable = err.Error()
	}
	found.EndNS = l.clock.Now()
	if ctx.Err() != nil {
		return nil // the launch ends as aborted; half a calibration would mislead
	}
	data, err := json.MarshalIndent(found, "", "  ")
	if err == nil {
		err = l.out.Attach(record.CalibrationFile(when), data)
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
	truth := fidelity.Schedule{TTFT: time.Duration(found.Truth.TTFTNS), ITL: time.Duration(found.Truth.ITLNS), Tokens: found.Truth.Tokens}
	// Should the simulator hang, the run must go on.
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second+10*answerTime(found.Truth))
	defer cancel()
	simulation, err := e.opts.Simulate(ctx, truth)
	if err != nil {
		return err
	}
	seen, runErr := e.observe(ctx, clock, simulation.URL, found)
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

// observe sends the load with the run's own loop and client. The exchanges are
// decoded while others are under way, as in a run.
func (e *execution) observe(ctx context.Context, clock *record.Clock, url string, found *record.Calibration) (seen fidelity.Observed, err error) {
	dialect, err := target.Find(knownAPI)
	if err != nil {
		return seen, err
	}
	places := max(found.Streams, 1+int(found.Rate))
	client, err := target.New(target.Config{
		URLs: []string{url}, Reader: readerFor(e.conn.client), Connections: places,
		Ask: target.Ask{Model: "sim", Stream: true}, Timeout: time.Minute,
	}, dialect, clock)
	if err != nil {
		return seen, err
	}
	defer client.Close()
	defer holdCollector(e.opts.CollectorBudget)() // as in the points of the run
	if err := client.Warm(ctx, min(mostWarm, places)); err != nil {
		return seen, err
	}
	var work sync.WaitGroup
	defer work.Wait()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil) // ends the preparation, which is then waited for
	calls := make(chan target.Prepared, min(places, 256))
	work.Go(func() { knownCalls(ctx, cancel, calls, client, found.Truth.Tokens) })
	raws := make(chan *target.Raw, places)
	decoded := make(chan struct{})
	go func() { // ends when raws is closed
		defer close(decoded)
		for raw := range raws {
			request, chunks := client.Decode(raw)
			seen.Add(request, chunks, clock)
		}
	}()
	err = offerKnown(ctx, clock, client, found, demandOf(e.plan).together, calls, func(raw *target.Raw) { raws <- raw })
	close(raws)
	<-decoded
	return seen, err
}

// readerFor is how the run reads its target: Go's own client as soon as one of
// the URLs is not plain HTTP.
func readerFor(cfg target.Config) string {
	for _, url := range cfg.URLs {
		if !strings.HasPrefix(url, "http://") {
			return target.ReadNetHTTP
		}
	}
	return cfg.Reader
}

// knownCalls prepares calls until ctx ends. The prompt is short: how long a long
// one takes to write depends on the network, not on this host.
func knownCalls(ctx context.Context, cancel context.CancelCauseFunc, calls chan<- target.Prepared, client *target.Client, tokens int) {
	defer close(calls)
	for n := int64(0); ; n++ {
		p, err := client.Prepare(record.Call{ID: n, Prompt: "hello", OutputTokens: int32(tokens)})
		if err != nil {
			cancel(err)
			return
		}
		select {
		case calls <- p:
		case <-ctx.Done():
			return
		}
	}
}

// calibrationTime is how long calls are judged. With the answers before and after
// it a calibration takes about one and a half seconds at 16 streams, two at 1,000.
const calibrationTime = time.Second

// offerKnown runs the loop of the demand against the simulator. Its users begin as those
// of the run do: all at once, or spread, here over the time of one answer.
func offerKnown(ctx context.Context, clock *record.Clock, do load.Doer, found *record.Calibration, together bool, calls <-chan target.Prepared, keep func(*target.Raw)) error {
	answer := answerTime(found.Truth)
	policy := load.SendPolicy{Tally: &load.Tally{}}
	if found.Streams > 0 {
		loop := load.Closed{Users: found.Streams, Warmup: answer, Measure: calibrationTime, Spread: answer, SpreadSeed: calibrationSeed, SendPolicy: policy}
		if together {
			loop.Spread = 0
		}
		return loop.Run(ctx, clock, calls, do, keep)
	}
	series, err := arrival.NewSeries(arrival.Poisson.Name, 1, calibrationSeed, arrival.Steady(found.Rate))
	if err != nil {
		return err
	}
	// A slow rate needs time for some calls at all: ten of them, in at most 2 s.
	judged := max(calibrationTime, min(2*calibrationTime, time.Duration(10/found.Rate*float64(time.Second))))
	schedule, err := arrival.New(series, arrival.Limits{Warmup: answer, Measure: judged})
	if err != nil {
		return err
	}
	return load.Open{
		Schedule: schedule, MaxInFlight: math.MaxInt32, Pacer: load.Exact{Clock: clock}, SendPolicy: policy,
	}.Run(ctx, clock, calls, do, keep)
}

// calibrationSeed is that of the arrivals of a calibration: the same in every run, so
// that two of them can be compared.
const calibrationSeed = 1
