package run

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"assay/load"
	"assay/plan"
	"assay/record"
	"assay/target"
	"assay/workload"
)

// An activeProbes sends the small requests of a point beside its load: on a schedule
// and connection of their own, to be compared with nothing that the load does.
// They are numbered downwards from −1, apart from the calls of the load.
type activeProbes struct {
	launch *activeLaunch
	point  plan.Point
	client *target.Client
	source workload.Source
	cancel context.CancelCauseFunc // ends the point when a probe cannot be recorded

	begun    int64
	work     sync.WaitGroup // probes under way, and the goroutine that sends them
	underway atomic.Int64
	most     atomic.Int64

	mu       sync.Mutex
	outcomes map[record.Outcome]int64
}

// probe begins the probes of a point, where it has any. The returned function
// ends them, cuts those under way and says what became of all of them.
func (l *activeLaunch) probe(ctx context.Context, cancel context.CancelCauseFunc, point plan.Point) (finish func() Balance, err error) {
	if point.Probe == nil {
		return func() Balance { return Balance{} }, nil
	}
	source, err := workload.New(plan.Seed(l.planned.Seed, "probe", int64(point.Index)), workload.Options{
		Lengths: []workload.Length{{InputTokens: int32(point.Probe.InputTokens), OutputTokens: int32(point.Probe.OutputTokens), Weight: 1}},
	})
	if err != nil {
		return nil, fmt.Errorf("load.probe: %w", err)
	}
	client, err := target.New(l.probes, l.dialect, l.clock)
	if err != nil {
		return nil, fmt.Errorf("load.probe: %w", err)
	}
	p := &activeProbes{launch: l, point: point, client: client, source: source, cancel: cancel, outcomes: map[record.Outcome]int64{}}
	inner, end := context.WithCancelCause(ctx)
	// The probe that needs a connection reports it when it cannot be opened.
	_ = client.Warm(inner, 1)
	p.work.Go(func() { p.send(inner) })
	return func() Balance {
		end(target.ErrRunEnded)
		p.work.Wait()
		client.Close()
		return p.balance()
	}, nil
}

// send begins a probe whenever one is due, until ctx ends.
func (p *activeProbes) send(ctx context.Context) {
	start := p.launch.clock.Now()
	pacer := load.Timers{Clock: p.launch.clock}
	for n := int64(0); ; n++ {
		call := p.source.Call(int32(p.point.Index), -1-int64(p.point.Index)*pointStride-n)
		call.Phase, call.User = record.Probe, -1
		prepared, err := p.client.Prepare(call)
		if err != nil {
			p.cancel(fmt.Errorf("load.probe: %w", err))
			return
		}
		due := start + n*int64(p.point.Probe.Every)
		if pacer.Wait(ctx, due) != nil {
			return
		}
		p.begun++
		p.most.Store(max(p.most.Load(), p.underway.Add(1))) // only this goroutine adds
		p.work.Go(func() {
			p.keep(p.client.Do(ctx, prepared, due))
			p.underway.Add(-1)
		})
	}
}

// keep records a probe that has ended.
func (p *activeProbes) keep(raw *target.Raw) {
	request, chunks := p.client.Decode(raw)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.outcomes[request.Result]++
	if err := p.launch.to.request(request, chunks); err != nil {
		p.cancel(fmt.Errorf("record request: %w", err))
	}
}

// balance says what became of every probe, once all have ended.
func (p *activeProbes) balance() Balance {
	tally := &load.Tally{}
	tally.Begun.Store(p.begun)
	tally.Most.Store(p.most.Load())
	return balance(tally, p.outcomes)
}
