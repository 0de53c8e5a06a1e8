package lint

import (
	"encoding/json"
	"fmt"
	"strings"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/stats"
)

// A Tally is what is counted while the requests of the completed launches are read.
// Checks read it instead of the records: a bundle may hold millions of them, and
// sixty checks must not read them sixty times. What it keeps does not grow with
// their number.
type Tally struct {
	Points []PointTally

	Traces []LaunchTraces

	Probed map[string]CachePairs // by side; what the cache probe sent twice

	asked *seen // a sample of the prompts of all requests but probes
}

// A PointTally is one point of one launch.
type PointTally struct {
	Launch, Point int
	Side          string // empty in a run of one side

	Begin, End int64 // the measured window, in stamps; End is zero where it was never closed
	Measured   int   // requests due in the measured window
	Outcomes   map[record.Outcome]int

	WithUser     int    // measured requests of a user, as a closed loop has them
	OnTime       int    // measured requests sent in the very nanosecond they were due
	LastSent     int64  // of any phase
	Carried      int    // requests in flight when the window began
	Left         int    // requests in flight when it ended
	Whole        int    // measured requests that began and ended in the window
	MostInFlight *int64 // by the point's balance; nil where there is none
	InFlight     int64  // nanoseconds that requests of any phase were in flight inside the window, together

	Collector *record.Collector // what the client's collector did in the window; nil where nobody says

	NewConnections int     // measured requests that opened one
	SetUp          float64 // seconds that look-up, connecting and handshakes took them, together
	Handshakes     int     // of them with TLS
	Again          int     // measured requests that a proxy says it tried more than once
	Attempted      int     // measured requests of which a proxy counted the attempts
	Resent         int     // measured requests that assay sent on a second connection

	Balance   Calls // as the client counted them while it sent
	Calls     Calls // as the records hold them, of every phase
	Outside   int   // measured requests that were not sent in the measured window
	Backwards int   // requests that ended, or were answered, before they were sent
	LastDone  int64 // of any phase

	Lengths  Lengths
	Surplus  Surplus
	Shown    Shown
	Read     Read
	Prompts  Prompts
	Earlier  Repeats       // measured prompts that an earlier launch sent to the same process
	Asked    *record.Asked // the earlier run that sent the prompts of the launch to the same server
	Marks    Marks
	Users    userTallies             // of a closed loop
	Copies   Repeats                 // measured answers that took as long as one before, to the nanosecond
	Response *stats.Sketch           // seconds from due to done, of successful measured requests
	Service  *stats.Sketch           // seconds from sent to done, of the same
	Lag      map[int32]*stats.Sketch // seconds from due to sent, of measured requests, by load generator; empty where the program sent them itself
	Opening  Opening
	Vantages Vantages
	Due      Arrivals // of measured requests
	Sent     Arrivals // of requests due and sent inside the window

	// Quantum is what every stamp seen is a multiple of, in nanoseconds; zero
	// where there is none.
	Quantum int64
}

// sketchError is by how much the quantiles of a tally may be off: well below any
// difference that a check speaks about.
const sketchError = .005

// A tallyWatch tallies the completed launches of a bundle while others read them.
type tallyWatch struct {
	bundle    *bundle.Bundle
	plan      plan.Plan
	timelines *seen            // of the whole bundle: launches are held against each other
	servers   map[string]*seen // prompts that the one process of a side was asked
	tally     Tally
}

func newTallyWatch(b *bundle.Bundle, p plan.Plan) *tallyWatch {
	return &tallyWatch{bundle: b, plan: p, timelines: newSeen(), servers: map[string]*seen{}, tally: Tally{asked: newSeen(), Probed: map[string]CachePairs{}}}
}

func (w *tallyWatch) see(launch metric.WatchedLaunch) error {
	if launch.Info.Outcome != bundle.LaunchCompleted {
		return nil
	}
	w.tally.Traces = append(w.tally.Traces, tracesOf(w.bundle.Manifest, launch))
	cold, warm := launch.Launch.CachePairs()
	pairs := w.tally.Probed[launch.Info.Side]
	w.tally.Probed[launch.Info.Side] = CachePairs{append(pairs.Cold, cold...), append(pairs.Warm, warm...)}
	points, err := w.launch(launch)
	w.tally.Points = append(w.tally.Points, points...)
	return err
}

func (w *tallyWatch) launch(launch metric.WatchedLaunch) ([]PointTally, error) {
	points, err := w.points(launch.Info)
	if err != nil {
		return nil, err
	}
	streams, err := readStreams(w.bundle, launch.Info.Index)
	if err != nil {
		return nil, err
	}
	seen, earlier := newSeen(), w.earlier(launch.Info.Side)
	for _, t := range launch.Requests {
		r := &t.Request
		if at := points[r.Point]; at != nil && r.Phase != record.Probe {
			w.tally.asked.before(r.PromptHash)
			if r.Phase == record.Measure && r.Result != record.Dropped {
				at.Earlier.add(earlier.has(r.PromptHash))
			}
			at.add(r, seen)
			at.account(r, streams, w.timelines)
		}
	}
	earlier.take(seen)
	var list []PointTally
	for _, point := range w.plan.Points {
		if at := points[int32(point.Index)]; at.Measured > 0 {
			list = append(list, *at)
		}
	}
	return list, nil
}

// earlier are the prompts that earlier launches sent to the process that a side's launches
// share; nothing is kept of a side whose launches start it anew.
func (w *tallyWatch) earlier(side string) *seen {
	if w.servers[side] == nil {
		w.servers[side] = newSeen()
	}
	for _, s := range w.plan.Sides() {
		if s.Name == side && s.Target != nil && SharesServer(*s.Target) {
			return w.servers[side]
		}
	}
	return newSeen()
}

// points begins the tallies of a launch with what its events say.
func (w *tallyWatch) points(info bundle.LaunchInfo) (map[int32]*PointTally, error) {
	points := map[int32]*PointTally{}
	for _, point := range w.plan.Points {
		points[int32(point.Index)] = &PointTally{
			Launch: info.Index, Point: point.Index, Side: info.Side, Outcomes: map[record.Outcome]int{},
			Lengths: Lengths{Finish: map[string]int{}}, Opening: newOpening(point), Vantages: Vantages{},
			Response: stats.NewSketch(sketchError), Service: stats.NewSketch(sketchError),
		}
	}
	for e, err := range bundle.Rows[record.Event](w.bundle, info.Index, bundle.Events) {
		if err != nil {
			return nil, err
		}
		if at := points[e.Point]; at != nil {
			if err := at.event(e); err != nil {
				return nil, err
			}
		}
		if e.Name == record.PromptsAsked {
			var asked record.Asked
			if err := json.Unmarshal([]byte(e.Detail), &asked); err != nil {
				return nil, fmt.Errorf("event %s: %w", e.Name, err)
			}
			for _, at := range points {
				at.Asked = &asked
			}
		}
	}
	for _, point := range w.plan.Points {
		at := points[int32(point.Index)]
		at.Due, at.Sent = newArrivals(point, at.Begin, at.End), newArrivals(point, at.Begin, at.End)
	}
	return points, nil
}

func (t *PointTally) event(e record.Event) error {
	switch e.Name {
	case record.WindowBegin:
		t.Begin = e.At
	case record.WindowEnd:
		t.End = e.At
	case record.WindowCollector:
		t.Collector = &record.Collector{}
		if err := json.Unmarshal([]byte(e.Detail), t.Collector); err != nil {
			return fmt.Errorf("event %s: %w", e.Name, err)
		}
	case record.PointBalance:
		var balance struct {
			Calls
			MostInFlight int64
		}
		if err := json.Unmarshal([]byte(e.Detail), &balance); err != nil {
			return fmt.Errorf("event %s: %w", e.Name, err)
		}
		t.MostInFlight = &balance.MostInFlight
		t.Balance.add(balance.Calls)
	}
	return nil
}

// add counts one request of any phase.
func (t *PointTally) add(r *record.Request, seen *seen) {
	known, sampled := false, false
	if r.Result != record.Dropped {
		known, sampled = seen.before(r.PromptHash)
		t.LastSent = max(t.LastSent, r.Sent)
		if r.Sent < t.Begin && t.Begin < r.Done {
			t.Carried++
		}
		if r.Sent < t.End && t.End < r.Done {
			t.Left++
		}
		if r.Due >= t.Begin {
			t.Sent.add(r.Sent)
		}
		t.InFlight += max(0, min(r.Done, t.End)-max(r.Sent, t.Begin))
		t.Quantum = divisor(t.Quantum, r.Sent, r.Done)
	}
	if r.Phase != record.Measure {
		return
	}
	t.Measured++
	t.Outcomes[r.Result]++
	t.Due.add(r.Due)
	if r.User >= 0 {
		t.WithUser++
	}
	if r.Result == record.Dropped {
		return
	}
	if r.Sent == r.Due {
		t.OnTime++
	}
	if r.Host != "" {
		t.lagged(r)
	}
	if r.Sent >= t.Begin && r.Done <= t.End {
		t.Whole++
	}
	if r.NewConn {
		t.NewConnections++
		for _, took := range []*int64{r.DNS, r.Dial, r.TLS} {
			if took != nil {
				t.SetUp += float64(*took) / 1e9
			}
		}
		if r.TLS != nil {
			t.Handshakes++
		}
	}
	if n, told := attempts(r.Flags); told {
		t.Attempted++
		if n > 1 {
			t.Again++
		}
	}
	if strings.Contains(r.Flags, record.Resent) {
		t.Resent++
	}
	t.Prompts.add(known, sampled)
	if r.Result == record.OK {
		t.Response.Add(float64(r.Done-r.Due) / 1e9)
		t.Service.Add(float64(r.Done-r.Sent) / 1e9)
		t.Lengths.add(r)
		t.Opening.add(r)
		t.Vantages.add(r)
	}
}

// lagged counts how late a load generator sent.
func (t *PointTally) lagged(r *record.Request) {
	if t.Lag == nil {
		t.Lag = map[int32]*stats.Sketch{}
	}
	if t.Lag[r.Shard] == nil {
		t.Lag[r.Shard] = stats.NewSketch(sketchError)
	}
	t.Lag[r.Shard].Add(float64(r.Sent-r.Due) / 1e9)
}

// divisor is the greatest common divisor of all; zero stands for nothing yet.
func divisor(a int64, more ...int64) int64 {
	for _, b := range more {
		for b != 0 && a != 1 {
			a, b = b, a%b
		}
	}
	return a
}
