package metric

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"assay/bundle"
	"assay/plan"
	"assay/record"
)

// A Launch is the records of one launch, by point.
type Launch struct {
	Index   int
	Points  []*Point
	Samples *SampleSet

	// Apart are the requests outside of every point, in the order they were sent.
	Apart map[record.Phase][]*Timeline

	// Stages is when a server that was started in this launch got how far, by
	// event.
	Stages map[string]int64

	// Traces counts the requests by the half of their trace's id that those of a launch
	// share, in hexadecimal. Of those that share nothing the first few are told apart.
	Traces map[string]int

	// Failures and Restarts are how often a world of ranks failed and was started
	// again.
	Failures, Restarts int
}

// ReadLaunch gathers the requests and events of one launch, all of them in memory
// at once. A point whose window was never closed, because the launch died in it,
// is left out: what was recorded of it stays in the bundle, but nothing can be
// said per second.
func ReadLaunch(b *bundle.Bundle, index int) (Launch, error) {
	return readLaunch(b, index, func(t *Timeline) { t.Events = slices.Clone(t.Events) })
}

// ReadSummaries gathers the requests of one launch as ReadLaunch does, but lets go
// of their events: of the metrics with Each, TTFT, TPOT and those that need no
// events can be asked. It takes some 500 bytes for each request.
func ReadSummaries(b *bundle.Bundle, index int) (Launch, error) {
	return readLaunch(b, index, (*Timeline).leaveEvents)
}

func readLaunch(b *bundle.Bundle, index int, see func(t *Timeline)) (Launch, error) {
	r, err := openLaunch(b, index)
	if err == nil {
		err = r.besides()
	}
	if err == nil {
		err = r.each(func() func(int, *Timeline) { return func(_ int, t *Timeline) { see(t) } })
	}
	if err != nil {
		return Launch{}, fmt.Errorf("launch %d: %w", index+1, err)
	}
	return r.launch, nil
}

// A launchReader is a launch while it is read.
type launchReader struct {
	from    *bundle.Bundle
	workers int
	launch  Launch

	requests []*Timeline // all, in the order of the table
	byID     map[int64]*Timeline
	points   map[int32]*Point // also those that never ended

	asked, begun map[int32][]int64 // events world.asked and point.begin, by point
}

// openLaunch reads what points a launch has and its requests without events.
func openLaunch(b *bundle.Bundle, index int) (*launchReader, error) {
	r := &launchReader{
		from: b, workers: runtime.GOMAXPROCS(0), points: map[int32]*Point{}, byID: map[int64]*Timeline{},
		asked: map[int32][]int64{}, begun: map[int32][]int64{},
		launch: Launch{Index: index, Apart: map[record.Phase][]*Timeline{}, Stages: map[string]int64{}},
	}
	ended, err := r.windows()
	if err != nil {
		return nil, err
	}
	if r.requests, r.launch.Traces, err = readRequests(b, index, r.workers); err != nil {
		return nil, err
	}
	for i, t := range r.requests {
		t.order = int32(i)
		r.byID[t.ID] = t
		switch p := r.points[t.Point]; {
		case t.Point == LaunchPoint:
			r.launch.Apart[t.Phase] = append(r.launch.Apart[t.Phase], t)
		case p == nil || !ended[t.Point]:
		case t.Phase == record.Probe:
			t.in, t.place = p, int32(len(p.Probes))
			p.Probes = append(p.Probes, t)
		default:
			t.in, t.place = p, int32(len(p.Requests))
			p.Requests = append(p.Requests, t)
		}
	}
	for index, p := range r.points {
		if ended[index] {
			r.launch.Points = append(r.launch.Points, p)
		}
	}
	slices.SortFunc(r.launch.Points, func(a, b *Point) int { return cmp.Compare(a.Index, b.Index) })
	return r, nil
}

// keepFinished drops the points that the end of the run has cut into, and reports
// whether any is left. A point is whole when its window has ended and every measured
// request with it: those that were cut are the slow ones.
func (r *launchReader) keepFinished() bool {
	r.launch.Points = slices.DeleteFunc(r.launch.Points, func(p *Point) bool {
		cut := slices.ContainsFunc(p.Requests, func(t *Timeline) bool { return t.Phase == record.Measure && t.Result == record.Cut })
		for _, t := range slices.Concat(p.Requests, p.Probes) {
			if cut {
				t.in = nil // nobody asks it
			}
		}
		return cut
	})
	return len(r.launch.Points) > 0
}

// windows reads the points of the launch and says which of them ended.
func (r *launchReader) windows() (ended map[int32]bool, err error) {
	ended = map[int32]bool{}
	for e, err := range bundle.Rows[record.Event](r.from, r.launch.Index, bundle.Events) {
		if err != nil {
			return nil, err
		}
		switch e.Name {
		case record.WindowBegin:
			r.points[e.Point] = &Point{Index: int(e.Point), Begin: e.At, Kind: plan.KindServing}
		case record.WindowEnd:
			if p := r.points[e.Point]; p != nil {
				p.End, ended[e.Point] = e.At, true
			}
		case record.ServerStart, record.ServerListening, record.ServerReady:
			r.launch.Stages[e.Name] = e.At
		case record.WorldAsked:
			r.asked[e.Point] = append(r.asked[e.Point], e.At)
		case record.PointBegin:
			r.begun[e.Point] = append(r.begun[e.Point], e.At)
		case record.WorldFailed:
			r.launch.Failures++
		case record.WorldRestarted:
			r.launch.Restarts++
		}
	}
	return ended, nil
}

// besides reads what belongs to the requests and what was read beside them.
func (r *launchReader) besides() (err error) {
	if err := readSessions(r.from, r.launch.Index, r.points, r.byID); err != nil {
		return err
	}
	if r.launch.Samples, err = readSamples(r.from, r.launch.Index); err != nil {
		return err
	}
	for _, p := range r.launch.Points {
		p.Samples = r.launch.Samples
	}
	return nil
}

// unasked are the columns of the table requests that no metric asks for: the answers'
// texts and their ids would be most of the memory, and of the time.
var unasked = []string{"text", "server_request_id"}

// readRequests reads the table requests without them.
func readRequests(b *bundle.Bundle, launch, workers int) ([]*Timeline, map[string]int, error) {
	type batch struct {
		place int64
		rows  []Timeline
	}
	var mu sync.Mutex
	var batches []batch
	words, traces := interned{}, map[string]int{}
	err := bundle.Batches(b, launch, bundle.Requests, workers, unasked, func(place int64, rows []record.Request) error {
		list := make([]Timeline, len(rows))
		keep := newNumberArena(rows)
		mu.Lock()
		defer mu.Unlock()
		for i, r := range rows {
			countTrace(traces, r.TraceID)
			list[i].Request = keep.compact(r, words)
		}
		batches = append(batches, batch{place, list})
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(batches, func(a, b batch) int { return cmp.Compare(a.place, b.place) })
	var all []*Timeline
	for _, one := range batches {
		for i := range one.rows {
			all = append(all, &one.rows[i])
		}
	}
	return all, traces, nil
}

// mostTraces bounds the launches that the requests of one are told apart by.
const mostTraces = 16

func countTrace(traces map[string]int, id string) {
	if len(id) < 16 {
		return // sent without
	}
	of := id[:16]
	if traces[of] == 0 && len(traces) == mostTraces {
		of = ""
	}
	traces[strings.Clone(of)]++
}
