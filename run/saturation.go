package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"assay/load"
	"assay/plan"
	"assay/record"
	"assay/stats"
	"assay/target"
)

// errSaturated ends a point whose queue grows without bound. It is a way to end,
// not a fault: what is in flight is cut as by any other end.
var errSaturated = fmt.Errorf("the queue grows without bound: %w", target.ErrRunEnded)

// saturationAlpha is the chance that all looks at one point may take to see a
// trend where there is none. Look number k takes 1/(k(k+1)) of it.
const saturationAlpha = 0.01

// A queueWatch looks at an open point from beside: it samples how many calls are
// under way and, at ever longer distances, tests whether they grow without bound.
// It takes nothing from the measured path but two counters.
type queueWatch struct {
	clock *record.Clock
	tally *load.Tally
	ended *atomic.Int64 // calls of the launch that have ended
	base  int64         // those that had before the point
	every time.Duration
	grew  func(stats.QueueGrowth) // called once

	mu       sync.Mutex
	open     bool
	closed   bool      // the window has ended; load goes on
	begun    int64     // calls begun before the window
	ticks    int       // since the last sample
	stride   int       // ticks to a sample
	at       []int64   // when each sample was taken
	inFlight []float64 // calls under way
	response []float64 // the median of those that ended since the sample before; NaN for none
	answers  []float64 // response times since the last sample
	looks    int
	next     int   // samples at which to look again
	found    int64 // when the growth was seen; 0 for not yet
}

const (
	// mostSamples bounds what a look costs: pairs of samples are compared. A
	// longer point keeps every second one and goes on at half the pace.
	mostSamples = 320

	// mostAnswers bounds what one median is taken of.
	mostAnswers = 256
)

// watchQueue makes the watch of a point, nil when it is no open loop, and in a load
// generator, whose leader watches the queue of all of them. What it finds becomes an
// event, and ends the point where the plan says so.
func (l *activeLaunch) watchQueue(point plan.Point, tally *load.Tally, events eventLog, cancel context.CancelCauseFunc) *queueWatch {
	l.at.queue, l.at.saturated = nil, false
	if !point.Open() || l.leader != nil {
		return nil
	}
	stop := l.plan.Search != nil || l.plan.Load().StopWhenSaturated
	grew := func(g stats.QueueGrowth) {
		l.at.saturated = true
		events(record.PointSaturated, l.clock.Now(), growthDetail(g))
		if stop {
			cancel(errSaturated)
		}
	}
	l.at.queue = &queueWatch{
		clock: l.clock, tally: tally, ended: &l.counter.ended, base: l.counter.ended.Load(),
		every: min(time.Second, max(50*time.Millisecond, point.Duration.Std()/60)),
		grew:  grew, next: 20, stride: 1,
	}
	return l.at.queue
}

// start watches until the returned function is called, which looks once more.
func (w *queueWatch) start(ctx context.Context) (stop func()) {
	if w == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { w.watch(ctx) })
	return func() {
		cancel()
		watching.Wait()
		w.finish()
	}
}

// entered notes the bounds of the window.
func (w *queueWatch) entered(phase record.Phase) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch phase {
	case record.Measure:
		w.open, w.begun = true, w.tally.Begun.Load()
	case record.Cooldown:
		w.closed = true
	}
}

// cutShort reports whether the measured window was open when growth was seen, and
// when that was.
func (w *queueWatch) cutShort() (at int64, open bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.found, w.open && !w.closed
}

// forgive turns the end of a saturated point into an end like any other, and closes its
// window.
func (w *queueWatch) forgive(err error, events eventLog) error {
	if !errors.Is(err, errSaturated) {
		return err
	}
	if at, open := w.cutShort(); open {
		events.window(record.Cooldown, at)
	}
	return nil
}

// answered takes in a call that ended; the collector calls it.
func (w *queueWatch) answered(r *record.Request) {
	if w == nil || r.Result == record.Dropped {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open && len(w.answers) < mostAnswers {
		w.answers = append(w.answers, float64(r.Done-r.Origin())/1e9)
	}
}

// watch samples until ctx ends.
func (w *queueWatch) watch(ctx context.Context) {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.sample()
		}
	}
}

func (w *queueWatch) sample() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ticks++; !w.open || w.ticks < w.stride {
		return
	}
	w.ticks = 0
	w.at = append(w.at, w.clock.Now())
	// A dropped call is begun and ends, as every other.
	w.inFlight = append(w.inFlight, float64(w.tally.Begun.Load()-(w.ended.Load()-w.base)))
	slices.Sort(w.answers)
	middle := math.NaN()
	if n := len(w.answers); n > 0 {
		middle = w.answers[n/2]
	}
	w.response, w.answers = append(w.response, middle), w.answers[:0]
	if len(w.at) == w.next {
		w.look()
		w.next = min(2*w.next, mostSamples)
	}
	if len(w.at) == mostSamples {
		w.at, w.inFlight, w.response = halved(w.at), halved(w.inFlight), halved(w.response)
		w.stride *= 2
	}
}

// halved keeps every second element.
func halved[T any](xs []T) []T {
	for i := range len(xs) / 2 {
		xs[i] = xs[2*i]
	}
	return xs[:len(xs)/2]
}

// finish looks once more at all there is.
func (w *queueWatch) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.look()
}

func (w *queueWatch) look() {
	if w.found != 0 || len(w.at) < 2 {
		return
	}
	w.looks++
	alpha := saturationAlpha / float64(w.looks*(w.looks+1))
	n := len(w.at)
	step := float64(w.at[n-1]-w.at[0]) / 1e9 / float64(n-1) // a busy host ticks late
	growth, growing := stats.GrowingQueue(w.inFlight, w.response, step, int(w.tally.Begun.Load()-w.begun), alpha)
	if growing {
		w.found = w.clock.Now()
		w.grew(growth)
	}
}

// growthDetail is the evidence as the event record.PointSaturated keeps it.
func growthDetail(g stats.QueueGrowth) string {
	text, err := json.Marshal(g)
	if err != nil {
		return err.Error() // cannot happen: it holds finite numbers only
	}
	return string(text)
}
