// Package steady says for every point of every launch whether the measured window
// was in steady state: whether the level of its latencies had settled when the
// window began and stayed so, how much warm-up would have been enough, and how far
// naive ways of reporting are from the warm median.
//
// It looks on while package metric reads the requests, warm-up included, and keeps
// none of them. It gives no verdict on the run: package lint makes
// findings of what is said here. Points whose load changes by plan are not judged.
package steady

import (
	"cmp"
	"slices"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/stats"
)

// Version is the version of the format of steady.json.
const Version = "1.0"

// A Report is what a bundle says about steady state: derived/VERSION/steady.json.
type Report struct {
	Version string  `json:"version"`
	Method  string  `json:"method"` // the definition's id
	Points  []Point `json:"points"`
}

// Method is the id of the definition in docs/reference/method-statistics.md.
const Method = "steady_state.v1"

// A Point is one point of one launch. Requests are the successful ones of warm-up
// and window, numbered from 0 in the order in which they were due.
type Point struct {
	Launch int `json:"launch"`
	Point  int `json:"point"`

	// Skipped says why the point was not judged; nothing below counts then.
	Skipped string `json:"skipped,omitempty"`

	Requests      int     `json:"requests"`
	Warmup        int     `json:"warmup"`        // of them before the window
	WarmupSeconds float64 `json:"warmupSeconds"` // from the first due to the beginning of the window

	Series []Series `json:"series,omitempty"`
	Passes *Passes  `json:"passes,omitempty"` // over a data set; nil for other loads
	Crowds *Crowds  `json:"crowds,omitempty"` // of the users of a closed loop; nil for other loads
}

// A Watch judges the launches of a bundle while others read them.
type Watch struct {
	bundle *bundle.Bundle
	plan   plan.Plan
	points []Point
}

// New begins to watch b.
func New(b *bundle.Bundle, p plan.Plan) *Watch { return &Watch{bundle: b, plan: p, points: []Point{}} }

// Watcher is what must look on while the requests of the bundle are read.
func (w *Watch) Watcher() metric.Watcher { return metric.Watcher{See: w.see} }

func (w *Watch) see(seen metric.WatchedLaunch) error {
	switch {
	case seen.Info.Outcome != bundle.LaunchCompleted:
	case w.plan.Search != nil: // its levels go where there is no steady state on purpose
	case w.bundle.Manifest.Unknown(bundle.GapSendTimes):
		w.points = append(w.points, cannotTell(seen.Info.Index, w.plan)...)
	default:
		points, err := judgeLaunch(w.bundle, seen, w.plan)
		w.points = append(w.points, points...)
		return err
	}
	return nil
}

// Report is what was seen, once the bundle was read.
func (w *Watch) Report() Report { return Report{Version: Version, Method: Method, Points: w.points} }

// cannotTell lists the points of a launch whose requests have no order in time.
func cannotTell(launch int, p plan.Plan) []Point {
	var list []Point
	for _, point := range p.Points {
		list = append(list, Point{Launch: launch, Point: point.Index, Skipped: "the source does not tell when requests were sent: whether the window was in steady state cannot be known"})
	}
	return list
}

// A call is a successful request, with what calls are ordered by beside it: a launch may
// have a million of them, and a copy of each would be a fifth of the memory again.
type call struct {
	*metric.Timeline
	point    int32
	measured bool
	due, id  int64
}

// span is when the first and the last output came, in nanoseconds; 0 without any.
func (c call) span() (first, last int64) {
	first, last, _ = c.OutputSpan()
	return first, last
}

// tokens of the answer; −1 where they are not known.
func (c call) tokens() int32 {
	if c.UsageOutput == nil {
		return -1
	}
	return *c.UsageOutput
}

func judgeLaunch(b *bundle.Bundle, seen metric.WatchedLaunch, p plan.Plan) ([]Point, error) {
	launch, calls := seen.Info.Index, callsOf(seen.Requests)
	begins, err := windows(b, launch)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(calls, func(a, b call) int {
		return cmp.Or(cmp.Compare(a.point, b.point), cmp.Compare(a.due, b.due), cmp.Compare(a.id, b.id))
	})
	var list []Point
	for _, point := range p.Points {
		from, _ := slices.BinarySearchFunc(calls, int32(point.Index), func(c call, index int32) int { return cmp.Compare(c.point, index) })
		to := from
		for to < len(calls) && calls[to].point == int32(point.Index) {
			to++
		}
		if begin, measured := begins[int32(point.Index)]; measured && to > from {
			list = append(list, judge(launch, point, calls[from:to], begin, asksDataSet(p)))
		}
	}
	return list, nil
}

// callsOf lists the successful requests of warm-ups and windows.
func callsOf(requests []*metric.Timeline) []call {
	calls := make([]call, 0, len(requests))
	for _, t := range requests {
		if t.Result != record.OK || t.Phase != record.Warmup && t.Phase != record.Measure {
			continue
		}
		calls = append(calls, call{t, t.Point, t.Phase == record.Measure, t.Due, t.ID})
	}
	return calls
}

// windows says when the measured window of each point that was completed began.
func windows(b *bundle.Bundle, launch int) (map[int32]int64, error) {
	begins, ended := map[int32]int64{}, map[int32]int64{}
	for e, err := range bundle.Rows[record.Event](b, launch, bundle.Events) {
		if err != nil {
			return nil, err
		}
		switch e.Name {
		case record.WindowBegin:
			begins[e.Point] = e.At
		case record.WindowEnd:
			ended[e.Point] = begins[e.Point]
		}
	}
	return ended, nil
}

// asksDataSet reports whether calls go through the rows of a data set, pass by
// pass.
func asksDataSet(p plan.Plan) bool {
	w := p.Workload()
	return w.Prompt.Dataset != nil && w.Session == nil
}

// changing says why the load of a point has no steady state to reach; "" when it
// has.
func changing(p plan.Point) string {
	switch {
	case len(p.Stages) > 0:
		return "the load changes in stages"
	case p.TraceRef != "":
		return "the load follows a trace"
	case p.Query != nil && p.Query.Once:
		return "everything is asked at once"
	}
	return ""
}

func judge(launch int, point plan.Point, calls []call, begin int64, dataSet bool) Point {
	j := Point{Launch: launch, Point: point.Index, Requests: len(calls), Skipped: changing(point)}
	for _, c := range calls {
		j.Warmup += count(!c.measured)
	}
	j.WarmupSeconds = max(0, seconds(begin-calls[0].due))
	if j.Skipped != "" {
		return j
	}
	j.Crowds = crowds(calls)
	for _, m := range gated(calls) {
		j.Series = append(j.Series, newSeries(m, calls))
	}
	if len(j.Series) == 0 {
		j.Skipped = "output lengths differ and are not known: E2E would follow their mix"
	}
	if dataSet {
		j.Passes = passes(calls)
	}
	return j
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// Judged yields the points that were judged.
func (r Report) Judged(yield func(Point) bool) {
	for _, p := range r.Points {
		if p.Skipped == "" && !yield(p) {
			return
		}
	}
}

// Steady reports whether every series of the point reached one level and kept it.
func (p Point) Steady() bool {
	return !slices.ContainsFunc(p.Series, func(s Series) bool {
		return !s.State.Steady() && s.State.Shape != stats.TooShort
	})
}
