package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"assay/bundle"
	"assay/load"
	"assay/plan"
	"assay/record"
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
func (l *launching) measurePoint(ctx context.Context, point plan.Point) error {
	source, err := newSource(l.plan, plan.Seed(l.planned.Seed, "workload", int64(point.Index)))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	calls := prepareCalls(ctx, cancel, l.client, source, point)
	keep, finish := l.collect(cancel, point.Concurrency)

	var events eventLog = func(name string, at int64, detail string) {
		row := record.Event{At: at, Name: name, Point: int32(point.Index), Detail: detail}
		if err := l.out.Events.Append(row); err != nil {
			cancel(fmt.Errorf("record event %s: %w", name, err))
		}
	}
	events(record.PointBegin, l.clock.Now(), point.Name)
	runErr := load.Closed{
		Users: point.Concurrency, ThinkTime: point.ThinkTime.Std(),
		Warmup: warmup(point), WarmupCalls: point.WarmupRequests,
		Measure: point.Duration.Std(), MeasureCalls: point.Requests,
		Cooldown: point.Cooldown.Std(),
		Entered:  events.window,
	}.Run(ctx, l.clock, calls, l.client, keep)
	events(record.PointEnd, l.clock.Now(), "")
	return errors.Join(runErr, finish())
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

// window records the bounds of the measured window as they pass.
func (e eventLog) window(phase record.Phase, at int64) {
	switch phase {
	case record.Measure:
		e(record.WindowBegin, at, "")
	case record.Cooldown:
		e(record.WindowEnd, at, "")
	}
}

// prepareCalls encodes calls ahead of the users who send them. The channel is as
// deep as there are users: each finds its next call ready whatever the others
// do, and no more than that is held in memory.
func prepareCalls(ctx context.Context, cancel context.CancelCauseFunc, client *target.Client, source workload.Source, point plan.Point) <-chan target.Prepared {
	calls := make(chan target.Prepared, point.Concurrency)
	go func() { // ends with ctx, which measurePoint cancels
		defer close(calls)
		for n := int64(0); ; n++ {
			prepared, err := client.Prepare(source.Call(int32(point.Index), int64(point.Index)*pointStride+n))
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
	}()
	return calls
}

// collect decodes finished exchanges and appends them to the bundle, off the
// measured path. keep may be called concurrently; finish waits for the last one
// and returns the first error. A bundle that cannot be written ends the point:
// a measurement that leaves no record is none.
func (l *launching) collect(cancel context.CancelCauseFunc, users int) (keep func(*target.Raw), finish func() error) {
	// One place per user: a user's next result comes at least a request later.
	results := make(chan *target.Raw, users)
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

func (l *launching) write(raw *target.Raw) error {
	request, chunks := l.client.Decode(raw)
	l.counter.ended.Add(1)
	if request.Result != record.OK && request.Result != record.Cut {
		l.counter.failed.Add(1)
	}
	if err := l.out.Chunks.Append(chunks...); err != nil {
		return fmt.Errorf("record chunks: %w", err)
	}
	if err := l.out.Requests.Append(request); err != nil {
		return fmt.Errorf("record request: %w", err)
	}
	return nil
}

func lengths(p plan.Plan) []workload.Length {
	var list []workload.Length
	for _, l := range p.Run.Spec.Workload.SequenceLengthMix {
		list = append(list, workload.Length{
			InputTokens: int32(l.InputTokens), OutputTokens: int32(l.OutputTokens), Weight: l.Weight,
		})
	}
	return list
}

// A launching is one launch while it goes on.
type launching struct {
	plan    plan.Plan
	planned plan.Launch
	clock   *record.Clock
	client  *target.Client
	out     *bundle.Launch
	counter counter
}
