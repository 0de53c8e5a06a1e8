package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"time"

	"assay/claim"
	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/record"
)

// A state is what else the host does while a run is made.
type state struct {
	name string
	busy func(cores int) int // processes that never sleep
}

// states are the hosts that people have.
var states = []state{
	{"quiet", func(int) int { return 0 }},
	{"one core busy", func(int) int { return 1 }},
	{"every core busy", func(cores int) int { return cores }},
}

// occupy keeps processors busy until the returned function is called.
func (s state) occupy(ctx context.Context, p place) (release func() error, err error) {
	ctx, cancel := context.WithCancel(ctx)
	var spinning []*exec.Cmd
	release = func() error {
		cancel()
		for _, cmd := range spinning {
			_ = cmd.Wait() // it was killed, and says so
		}
		return nil
	}
	for range s.busy(p.cores()) {
		cmd := p.beside(ctx, []string{"sh", "-c", "while :; do :; done"})
		if err := cmd.Start(); err != nil {
			return nil, errors.Join(fmt.Errorf("keep a processor busy: %w", err), release())
		}
		spinning = append(spinning, cmd)
	}
	return release, nil
}

// honestLoads are the loads of the runs, each with answers that it ends enough of.
var honestLoads = []load{
	{users: 1}, {users: 4}, {rate: 20}, {users: 16}, {users: 64}, {users: 2}, {users: 8}, {rate: 10}, {users: 32}, {users: 128}, {rate: 40},
}

// shaped is the answer of a load and how long it takes to end as many as a p90 needs: a
// median is quoted only with its tail.
func (o options) shaped(l load) options {
	fewest := 40. // 29 and some to spare, for a busy host
	o.launches, o.warmup = 3, 500*time.Millisecond
	o.answer = schedule{ttft: 60 * time.Millisecond, gap: 10 * time.Millisecond, tokens: 24, jitter: .1, seed: 1}
	if 0 < l.users && l.users <= 2 {
		o.answer.ttft, o.answer.gap, o.answer.tokens = 40*time.Millisecond, 5*time.Millisecond, 16
	}
	perSecond := float64(l.users) / o.target.length(o).Seconds()
	if l.users == 0 {
		perSecond, fewest = l.rate, 60 // arrivals come by chance
	}
	o.duration = max(2*time.Second, time.Duration(fewest/perSecond*float64(time.Second))).Round(time.Millisecond)
	return o
}

// A resultKey is a result that is judged.
type resultKey struct {
	metric    metric.Metric
	statistic string
	of        func(t trueLaunch) float64
}

var honestResults = []resultKey{
	{metric.TTFT, "p50", func(t trueLaunch) float64 { return t.ttft.at(.5) / 1e9 }},
	{metric.TPOT, "p50", func(t trueLaunch) float64 { return t.tpot.at(.5) / 1e9 }},
	{metric.E2E, "p50", func(t trueLaunch) float64 { return t.e2e.at(.5) / 1e9 }},
	{metric.OutputThroughput, "value", func(t trueLaunch) float64 { return t.perSecond }},
}

// A trueLaunch is what the server's log says of a launch, in nanoseconds.
type trueLaunch struct {
	ttft, tpot, e2e sample
	written         sample // TTFT from when the request left the client: the rest is not its own
	perSecond       float64
}

// trueLaunches reads what really happened, launch by launch.
func (m *measured) trueLaunches() (list []trueLaunch, err error) {
	for _, launch := range m.bundle.Launches() {
		begin, end, err := m.window(launch.Index)
		if err != nil {
			return nil, err
		}
		var t trueLaunch
		tokens := 0.
		requests, err := m.requests(launch, &column{})
		if err != nil {
			return nil, err
		}
		for _, r := range requests {
			truth, answered := m.truth[r.ServerID]
			if !answered || r.Result != record.OK || len(truth.events) < 2 {
				continue
			}
			n := max(truth.tokens, len(truth.events))
			for _, e := range truth.events {
				if at := e.written - launch.EpochNS; begin <= at && at < end {
					tokens += float64(n) / float64(len(truth.events))
				}
			}
			if r.Phase != record.Measure {
				continue
			}
			from := truth.received
			if r.User < 0 { // of an open loop: a request that is late is late for its user
				from = r.Due + launch.EpochNS
			}
			first, last := truth.events[0].written, truth.events[len(truth.events)-1].written
			t.ttft, t.e2e = append(t.ttft, first-from), append(t.e2e, last-from)
			if r.Wrote != nil {
				t.written = append(t.written, first-*r.Wrote-launch.EpochNS)
			}
			t.tpot = append(t.tpot, (last-first)/int64(n-1))
		}
		t.perSecond = tokens / (float64(end-begin) / 1e9)
		list = append(list, t)
	}
	return list, nil
}

// window is the measured one of the only point of a launch.
func (m *measured) window(launch int) (begin, end int64, err error) {
	for e, err := range bundleEvents(m.bundle, launch) {
		if err != nil {
			return 0, 0, err
		}
		switch e.Name {
		case record.WindowBegin:
			begin = e.At
		case record.WindowEnd:
			end = e.At
		}
	}
	if end <= begin {
		err = fmt.Errorf("launch %d has no window", launch+1)
	}
	return begin, end, err
}

// A fate is what became of one result of an honest run.
type fate string

const (
	quoted       fate = "quoted"
	wrong        fate = "quoted, and wrong"           // by more than a tenth and than it admits
	falseRefusal fate = "refused, though it is right" // within a twentieth
	justRefusal  fate = "refused, and it is wrong"
	tooFew       fate = "too few requests to say"
)

// A judged is what a run said about its results, beside the truth.
type judged struct {
	fates   map[string]fate
	errors  map[string]float64 // relative
	reasons []string           // of false refusals and wrong quotes
	own     bound              // of the p50 of TTFT
}

// honestly makes a run and holds what it says against the truth.
func (m *measured) honestly() (j judged, err error) {
	var estimates metric.Estimates
	var claims claim.Claims
	truths, launchErr := m.trueLaunches()
	if err := errors.Join(launchErr, readDerived(m.bundle, "estimates.json", &estimates), readDerived(m.bundle, "claims.json", &claims)); err != nil {
		return j, err
	}
	data, err := m.bundle.ReadFile("plan.json")
	if err != nil {
		return j, err
	}
	p, err := plan.Decode(data)
	if err != nil {
		return j, err
	}
	j.fates, j.errors, j.own = map[string]fate{}, map[string]float64{}, bound{unknown, unknown}
	for _, key := range honestResults {
		row, ok := estimates.Find(key.metric.ID, key.statistic, p.Points[0].Index)
		if !ok {
			return j, fmt.Errorf("%s is not estimated", key.metric.Name)
		}
		truth, written := 0.0, 0.0
		for _, t := range truths {
			truth += key.of(t) / float64(len(truths))
			written += t.written.at(.5) / 1e9 / float64(len(truths))
		}
		name := key.metric.Name
		off := math.Abs(row.Value-truth) / truth
		own, bounded := m.client.ErrorOf(row)
		if key.metric.ID == metric.TTFT.ID {
			j.own = bound{own.Seconds * 1e9, math.Abs(row.Value-written) * 1e9}
		}
		j.errors[name] = off
		i := slices.IndexFunc(claims.Claims, func(c claim.Claim) bool { return c.Metric == row.Metric && c.Statistic == row.Statistic })
		against := claims.Against(claim.OfRow(row, p))
		switch {
		case i >= 0 && off > .1 && !(bounded && off <= own.Seconds/row.Value):
			j.fates[name] = wrong
			j.reasons = append(j.reasons, fmt.Sprintf("%s is %.1f %% off: %s", name, 100*off, claims.Claims[i].Sentence))
		case i >= 0:
			j.fates[name] = quoted
		case len(against) > 0 && off <= .05:
			j.fates[name] = falseRefusal
			j.reasons = append(j.reasons, fmt.Sprintf("%s is %.1f %% off: %s", name, 100*off, against[0].Reason))
		case len(against) > 0:
			j.fates[name] = justRefusal
		default:
			j.fates[name] = tooFew
			j.reasons = append(j.reasons, fmt.Sprintf("%s: %s", name, reasonOf(claims, row)))
		}
	}
	return j, nil
}

// reasonOf is why a result is refused that no finding forbids.
func reasonOf(c claim.Claims, row metric.Row) string {
	for _, r := range c.Refused {
		if r.Scope.Touches(finding.Result{Metric: row.Metric}) && !r.Void {
			return r.What + ": " + r.Reason
		}
	}
	return "no reason given"
}
