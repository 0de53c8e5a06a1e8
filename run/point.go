package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"assay/bundle"
	"assay/generator"
	"assay/load"
	"assay/plan"
	"assay/record"
	"assay/run/watch"
	"assay/spec"
	"assay/target"
	"assay/workload"
)

// pointStride separates the request numbers of two points of a launch, so that
// call n of a point has the same number in every launch.
const pointStride = 1_000_000_000

// A counter counts the requests of a launch as they end, for the progress line.
// It is read while the launch runs and costs one addition per request.
type counter struct{ ended, failed atomic.Int64 }

// measurePoint runs one point of a launch and records it.
func (l *activeLaunch) measurePoint(ctx context.Context, point plan.Point) error {
	point, err := l.paced(l.examined(point))
	if err != nil {
		return err
	}
	if l.generators != nil {
		return l.measureDealt(ctx, point)
	}
	if l.plan.Workload().Session != nil {
		return l.measureSessions(ctx, point)
	}
	if point.Idle {
		return nil // other parts of the plan are at work
	}
	return l.measureRequests(ctx, point)
}

// measureRequests sends the requests of one point from this process and records them.
func (l *activeLaunch) measureRequests(ctx context.Context, point plan.Point) error {
	tally := &load.Tally{}
	offer, err := l.loop(point, tally)
	if err != nil {
		return err
	}
	source, err := l.source(point)
	if err != nil {
		return err
	}
	var preparing sync.WaitGroup
	defer preparing.Wait()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil) // ends the preparation, which is then waited for
	events := l.eventLog(point, cancel)
	if err := l.warm(ctx, point); err != nil {
		events(record.ConnectionsCold, l.clock.Now(), err.Error()) // the calls will tell how bad it is
	}
	defer holdCollector(l.collectorBudget)()
	collector := windowCollector{budget: l.collectorBudget}
	l.at.begin()
	watch := l.watchQueue(point, tally, events, cancel)
	calls := make(chan target.Prepared, places(point))
	preparing.Go(func() { prepareCalls(ctx, cancel, calls, l.in, l.client, source, point, l.plan.Share(), l.lastCall()) })
	keep, finish := l.collect(cancel, places(point))
	endProbes, err := l.probe(ctx, cancel, point)
	if err != nil {
		return errors.Join(err, finish())
	}
	if l.at.together, err = l.meet(ctx, tally); err != nil {
		endProbes()
		return errors.Join(err, finish())
	}

	events(record.PointBegin, l.clock.Now(), point.Name)
	l.live.EnterPoint(point, tally)
	stopWatching := watch.start(ctx)
	runErr := offer(ctx, calls, keep, func(phase record.Phase, at int64) {
		events.window(phase, at)
		collector.entered(phase, at, events)
		watch.entered(phase)
		l.live.EnterPhase(phase)
	})
	stopWatching()
	l.at.probed = endProbes()
	finishErr := finish()
	runErr = watch.forgive(runErr, events)
	balanceErr := l.settle(point, events, balance(tally, l.at.outcomes), l.at.probed)
	if finishErr == nil {
		finishErr = balanceErr
	}
	if runErr == nil && finishErr == nil && !point.Open() && l.at.measured == 0 && l.leader == nil {
		finishErr = errNothingMeasured
	}
	return errors.Join(runErr, finishErr)
}

// settle records how a point ended, and says whether what was sent and what was
// kept agree.
func (l *activeLaunch) settle(point plan.Point, events eventLog, balance, probed Balance) error {
	l.balance = l.balance.add(balance)
	events(record.PointBalance, l.clock.Now(), balance.detail())
	if point.Probe != nil {
		l.probed = l.probed.add(probed)
		events(record.ProbeBalance, l.clock.Now(), probed.detail())
	}
	events(record.PointEnd, l.clock.Now(), "")
	return errors.Join(balance.check(), probed.check())
}

// source yields the calls of a point: of its workload, or of the trace that it
// replays.
func (l *activeLaunch) source(point plan.Point) (workload.Source, error) {
	if l.calls != nil {
		return l.calls, nil
	}
	if l.in.sheet != nil {
		return l.in.sheet.Calls(pointStride), nil
	}
	if point.TraceRef != "" {
		return l.replaySource(point)
	}
	return newSource(l.plan.WorkloadOf(point), l.in, plan.Seed(l.planned.Seed, "workload", int64(point.Index)))
}

// errNothingMeasured is the error of a closed loop whose users all still waited for
// answers of the warm-up when the window ended.
var errNothingMeasured = errors.New("not one request began in the measured window, since one answer takes longer than warm-up and window together: measure longer (--duration, or load.duration in a spec)")

// An offer sends the calls of one point and passes every exchange to keep.
type offer func(ctx context.Context, calls <-chan target.Prepared, keep func(*target.Raw), entered func(record.Phase, int64)) error

// loop readies the closed or open loop of a point.
func (l *activeLaunch) loop(point plan.Point, tally *load.Tally) (offer, error) {
	part := l.plan.Share()
	policy := load.SendPolicy{PrefillConcurrency: point.PrefillConcurrency, Tally: tally}
	if c := point.Cancel; c != nil {
		policy.Cancel = load.Cancel{Share: c.Share, After: c.After.Std(), Seed: plan.Seed(l.planned.Seed, "cancel", int64(point.Index))}
	}
	if point.Query != nil {
		return l.queries(point, tally), nil
	}
	if !point.Open() {
		return func(ctx context.Context, calls <-chan target.Prepared, keep func(*target.Raw), entered func(record.Phase, int64)) error {
			return load.Closed{
				Users: point.Concurrency, Levels: levels(point), ThinkTime: point.ThinkTime.Std(),
				Warmup: warmup(point), WarmupCalls: point.WarmupRequests,
				Measure: point.Duration.Std(), MeasureCalls: point.Requests,
				Cooldown: point.Cooldown.Std(), Entered: entered,
				Spread: spread(point), SpreadSeed: plan.Seed(l.planned.Seed, "start", int64(point.Index)),
				Shard: part.Index, Shards: part.Count, Together: l.at.together, SendPolicy: policy,
			}.Run(ctx, l.clock, calls, l.client, keep)
		}, nil
	}
	schedule, err := l.attachSchedule(point)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, calls <-chan target.Prepared, keep func(*target.Raw), entered func(record.Phase, int64)) error {
		return load.Open{
			Schedule: schedule, Shard: part.Index, Shards: part.Count,
			MaxInFlight: point.MaxInFlight, Cooldown: point.Cooldown.Std(), Entered: entered,
			Pacer: load.Exact{Clock: l.clock}, Together: l.at.together, SendPolicy: policy,
		}.Run(ctx, l.clock, calls, l.client, keep)
	}, nil
}

// mostWarm bounds the connections opened beforehand well below the usual limit
// of open files.
const mostWarm = 500

// warm opens the connections that a point will need, as far as that can be
// known: one for each user, or for each call that is due within a second.
func (l *activeLaunch) warm(ctx context.Context, point plan.Point) error {
	want := min(mostWarm, point.Concurrency)
	if point.Open() {
		want = min(mostWarm, point.MaxInFlight, 1+int(fastest(point))/l.plan.Share().Count)
	}
	if want <= l.warmed {
		return nil // those of the points before are still open
	}
	more := want - l.warmed
	l.warmed = want
	return l.client.Warm(ctx, more)
}

// places is how many calls of a point may be prepared ahead and how many ended
// ones may wait to be recorded: one for each user, who finds the next call ready
// whatever the others do; in an open loop a quarter of a second's calls, at most
// 256, for prompts may be large.
func places(point plan.Point) int {
	if !point.Open() {
		return point.Concurrency
	}
	return min(256, 1+int(fastest(point)/4))
}

// spread is the time over which the users of a point begin.
func spread(point plan.Point) time.Duration {
	if point.Start == spec.StartTogether {
		return 0
	}
	return point.Warmup.Std() / 2
}

// warmup is how long the warm-up may last: one that is counted in requests alone
// has no limit in time.
func warmup(point plan.Point) time.Duration {
	if point.Warmup == 0 && point.WarmupRequests > 0 {
		return math.MaxInt64
	}
	return point.Warmup.Std()
}

// An eventLog records one event of a point.
type eventLog func(name string, at int64, detail string)

// eventLog records the events of a point; one that cannot be recorded ends the point.
func (l *activeLaunch) eventLog(point plan.Point, cancel context.CancelCauseFunc) eventLog {
	return func(name string, at int64, detail string) {
		row := record.Event{At: at, Name: name, Point: int32(point.Index), Detail: detail}
		if err := l.to.event(row); err != nil {
			cancel(fmt.Errorf("record event %s: %w", name, err))
		}
	}
}

// window records the bounds of the measured window as they pass.
func (e eventLog) window(phase record.Phase, at int64) {
	switch phase {
	case record.Measure:
		e(record.WindowBegin, at, "")
	case record.Cooldown:
		e(record.WindowEnd, at, "")
	}
}

// prepareCalls encodes the calls of one part ahead of those who send them, with
// the numbers that they have in the whole, until ctx ends or all of them are there.
func prepareCalls(ctx context.Context, cancel context.CancelCauseFunc, calls chan<- target.Prepared, in *inputs, client *target.Client, source workload.Source, point plan.Point, part plan.Part, all int64) {
	defer close(calls)
	for n := int64(part.Index); n < all; n += int64(part.Count) {
		prepared, err := in.prepare(client, source, int32(point.Index), int64(point.Index)*pointStride+n)
		if err != nil {
			cancel(err)
			return
		}
		select {
		case calls <- prepared:
		case <-ctx.Done():
			return
		}
	}
}

// collect decodes finished exchanges and appends them to the bundle, off the
// measured path. keep may be called concurrently; finish waits for the last one
// and returns the first error. A bundle that cannot be written ends the point:
// a measurement that leaves no record is none.
func (l *activeLaunch) collect(cancel context.CancelCauseFunc, places int) (keep func(*target.Raw), finish func() error) {
	results := make(chan *target.Raw, places)
	done := make(chan error, 1)
	go func() { // ends when finish closes results
		var first error
		for raw := range results {
			if first != nil {
				continue // keep draining, or users would block
			}
			if first = l.write(raw); first != nil {
				cancel(first)
			}
		}
		done <- first
	}()
	return func(raw *target.Raw) { results <- raw }, func() error {
		close(results)
		return <-done
	}
}

func (l *activeLaunch) write(raw *target.Raw) error {
	request, chunks, _ := l.decode(raw)
	return l.keep(request, chunks)
}

// decode interprets an exchange and counts the tokens of its text, which stays
// in the record only where the plan keeps answers.
func (l *activeLaunch) decode(raw *target.Raw) (request record.Request, chunks []record.Chunk, text string) {
	request, chunks = l.client.Decode(raw)
	l.in.countAnswer(&request, chunks)
	text = request.Text
	if !l.plan.Load().KeepAnswers {
		request.Text = ""
	}
	return request, chunks, text
}

// keep appends what became of a request. It is called by one goroutine at a time.
func (l *activeLaunch) keep(request record.Request, chunks []record.Chunk) error {
	l.counter.ended.Add(1)
	l.at.outcomes[request.Result]++
	l.at.queue.answered(&request)
	l.live.Ended(&request, chunks)
	if l.at.judge != nil {
		l.at.judge.Add(&request, chunks)
	}
	if request.Phase == record.Measure {
		l.at.measured++
	}
	if request.Result.Failure() {
		l.counter.failed.Add(1)
		if err := l.tellFailure(request); err != nil {
			return err
		}
	}
	if err := l.to.request(request, chunks); err != nil {
		return fmt.Errorf("record request: %w", err)
	}
	return nil
}

func lengths(w spec.Workload) []workload.Length {
	var list []workload.Length
	for _, l := range w.SequenceLengthMix {
		list = append(list, workload.Length{
			InputTokens: int32(l.InputTokens), OutputTokens: int32(l.OutputTokens), Weight: l.Weight,
		})
	}
	return list
}

// An activeLaunch is one launch while it goes on.
type activeLaunch struct {
	plan    plan.Plan
	planned plan.Launch
	in      *inputs
	clock   *record.Clock
	client  *target.Client
	out     *bundle.Launch // nil in a load generator
	to      output         // where points are recorded
	counter counter

	recordings *recordings     // of the run
	calls      workload.Source // in place of those of the plan; nil means the plan's

	collectorBudget int64 // bytes that a point may allocate before the collector runs in it

	warmed  int     // connections opened beforehand
	balance Balance // of the points that have ended, and of the requests outside of points
	apart   Balance // of the latter alone

	firstFailure string // the first of the launch, with what to do

	probes  target.Config // how probes reach the target
	dialect target.Dialect
	probed  Balance // of the probes of the points that have ended

	turn       turn
	generators *generator.Leader // who send the load; nil where this process does
	leader     *leader           // whom this process sends it for; nil where it is on its own

	at   activePoint
	live *watch.Live // what people watch; nil when nobody does
}

// An activePoint is the point of a launch that is measured, as its collector sees it.
type activePoint struct {
	outcomes map[record.Outcome]int64
	measured int64 // requests of its window
	together load.Together
	probed   Balance // of its probes

	queue     *queueWatch  // nil in a closed loop
	saturated bool         // whether its queue grew without bound
	judge     requestJudge // of a search's probe or a calibration; nil without one
}

// A requestJudge takes in the requests of a point as they are recorded.
type requestJudge interface {
	Add(r *record.Request, chunks []record.Chunk)
}

// begin forgets what the point before it left. The judge is chosen before the point
// begins.
func (p *activePoint) begin() { *p = activePoint{outcomes: map[record.Outcome]int64{}, judge: p.judge} }
