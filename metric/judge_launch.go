package metric

import (
	"sync"
	"sync/atomic"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// A judgedLaunch is what a launch gave, without its records.
type judgedLaunch struct {
	index  int
	side   string
	once   []metricResult // by place in All
	points []judgedPoint
}

// A judgedPoint is what one point of a launch gave.
type judgedPoint struct {
	launch   int
	point    *Point         // its window and what was read beside it; its requests are let go
	results  []metricResult // by place in All
	outcomes map[record.Outcome]int
	counts   []Count // sums, not yet means
	job      *Job    // of training; nil where it is not known
	calls    []callSums
}

// A metricResult is what one metric gave.
type metricResult struct {
	known        bool
	value        float64 // of Whole and Once
	hits, trials int     // of Share
	distribution         // of Each and Many
}

// prepare reads what estimates need beside the requests and gives points what the
// spec declares.
func (r *launchReader) prepare(p plan.Plan, side string) error {
	if err := r.besides(); err != nil {
		return err
	}
	for _, s := range sidesOf(p) {
		if s.Name == side && p.Load() != nil && !Here(s.Target) {
			r.launch.Samples.leaveHost()
		}
	}
	if err := r.ranked(p); err != nil {
		return err
	}
	fromSpec := declared(p.Run)
	for _, point := range r.launch.Points {
		point.Declared = fromSpec
	}
	return nil
}

// sidesOf lists the sides of a run; a plan without a target has one nameless one.
func sidesOf(p plan.Plan) []spec.Side {
	if sides := p.Sides(); len(sides) > 0 {
		return sides
	}
	return []spec.Side{{}}
}

// A launchCollector gathers the values of every metric with Each while the requests of
// a launch go by.
type launchCollector struct {
	reader   *launchReader
	workload spec.Workload
	watchers watchers
	points   map[*Point][]*collector // by place in All; nil for other metrics
}

func newLaunchCollector(p plan.Plan, r *launchReader, w watchers) *launchCollector {
	c := &launchCollector{reader: r, workload: p.Workload(), watchers: w, points: map[*Point][]*collector{}}
	for _, point := range r.launch.Points {
		list := make([]*collector, len(All))
		for i, m := range All {
			if m.each() == nil || !m.About(point.Kind) || !m.Has(c.workload) {
				continue
			}
			requests := len(point.Requests)
			if m.Only(Probes) {
				requests = len(point.Probes)
			}
			list[i] = newCollector(m, requests, r.workers)
		}
		c.points[point] = list
	}
	return c
}

// see asks a request that ended well everything that needs its events.
func (c *launchCollector) see(worker int, t *Timeline) {
	for _, one := range c.points[t.in] {
		if one != nil && one.counts(t) {
			one.see(worker, t)
		}
	}
	if t.in != nil && t.Phase == record.Measure && t.Result == record.OK {
		t.judge(t.in.limits())
	}
}

// end asks what is left to ask of the launch when every request was seen.
func (c *launchCollector) end(info bundle.LaunchInfo) judgedLaunch {
	l := judgedLaunch{index: info.Index, side: info.Side, once: make([]metricResult, len(All))}
	for i, m := range All {
		if once, ok := m.Of.(Once); ok {
			l.once[i].value, l.once[i].known = once(&c.reader.launch)
		}
	}
	for _, point := range c.reader.launch.Points {
		judged := judgedPoint{
			launch: info.Index, results: make([]metricResult, len(All)),
			outcomes: point.outcomes(), counts: point.tokenCounts(), calls: point.calls(),
		}
		inParallel(c.reader.workers, len(All), func(i int) {
			if All[i].About(point.Kind) && All[i].Has(c.workload) {
				judged.results[i] = All[i].ask(point, c.points[point][i], c.watchers.draws(All[i]))
			}
		})
		if job, ok := point.job(); ok {
			job.Launch, job.Side = info.Index, info.Side
			judged.job = &job
		}
		judged.point = &Point{Index: point.Index, Begin: point.Begin, End: point.End, Samples: point.Samples, Declared: point.Declared}
		l.points = append(l.points, judged)
	}
	return l
}

// ask is what m says about a point; values are those of a metric of requests. Where
// draw is set the curve of a distribution stays.
func (m Metric) ask(p *Point, values *collector, draw bool) (s metricResult) {
	switch of := m.Of.(type) {
	case Share:
		s.hits, s.trials = of(p)
		s.known = s.trials > 0
	case Whole:
		s.value, s.known = of(p)
	case Many:
		xs := append([]float64(nil), of(p)...)
		if s.distribution = summarise(xs, draw); m.Spread {
			s.distribution = s.distribution.withSpread(xs) // which summarise sorted
		}
	case Each, Values:
		s.distribution = values.end(draw)
	}
	return s
}

// inParallel calls do with the numbers below n, some at a time.
func inParallel(workers, n int, do func(i int)) {
	var next atomic.Int64
	var work sync.WaitGroup
	for range max(1, workers) {
		work.Go(func() { // ends with the numbers
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	work.Wait()
}
