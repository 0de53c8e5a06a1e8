package metric

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

const ms = int64(1e6)

// timeline builds a successful request due at 0, sent at 1 ms, whose output
// events arrive at the given milliseconds.
func timeline(tokens int32, at ...int64) *Timeline {
	t := &Timeline{Request: record.Request{User: -1, Phase: record.Measure, Sent: ms, Result: record.OK, UsageOutput: &tokens}}
	t.Events = append(t.Events, record.Chunk{At: 2 * ms, Kind: record.Role})
	for _, a := range at {
		t.Events = append(t.Events, record.Chunk{At: a * ms, Kind: record.Content, TextBytes: 4})
		t.Done = (a + 1) * ms
	}
	return t
}

func TestDefinitions(t *testing.T) {
	three := timeline(5, 10, 20, 40) // five tokens in three events
	f := func(m Metric, r *Timeline, want ...float64) {
		t.Helper()
		got := m.Each(r)
		if len(got) != len(want) {
			t.Fatalf("%s = %v, want %v", m.ID, got, want)
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("%s = %v, want %v", m.ID, got, want)
			}
		}
	}
	f(TTFT, three, 0.010) // the role event at 2 ms is not output
	f(ITL, three, 0.010, 0.020)
	f(TPOT, three, 0.030/4)
	f(E2E, three, 0.041)
	f(Lag, three, 0.001)
	closed := *three
	closed.User = 0 // the request exists when it is sent
	f(TTFT, &closed, 0.009)
	f(TTFTDue, &closed, 0.010)
	f(E2E, &closed, 0.040)
	f(E2EDue, &closed, 0.041)
	f(Turnaround, &closed, 0.001)
	f(TPOT, timeline(1, 10)) // one token has no pace
	f(ITL, timeline(1, 10))
	f(TTFT, timeline(0)) // no output, no first token
	silent := timeline(3, 10, 20)
	silent.UsageOutput = nil
	f(TPOT, silent) // unknown count, no pace
}

func TestWindowMetrics(t *testing.T) {
	before := timeline(10, 90, 110) // half of its output came before the window
	before.Phase = record.Warmup
	inside := timeline(8, 150, 160)
	failed := timeline(100, 170)
	failed.Result = record.StreamErr
	cut := timeline(4, 180)
	cut.Result = record.Cut
	p := &Point{Begin: 100 * ms, End: 200 * ms, Requests: []*Timeline{before, inside, failed, cut}}
	f := func(m Metric, want float64) {
		t.Helper()
		got, ok := m.Whole(p)
		if !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %v, %v; want %v", m.ID, got, ok, want)
		}
	}
	f(OutputThroughput, (5+8)/0.1)
	f(RequestThroughput, (11.0/110+61.0/160)/0.1) // both were sent at 1 ms
	f(RequestsEnded, 2/0.1)
	if failed, all := ErrorRate.Of.(Share)(p); failed != 1 || all != 2 {
		t.Errorf("errors = %d of %d, want 1 of 2: cut is neither", failed, all)
	}
	f(Concurrency, (11+61+71+81)/100.0)
	inside.UsageOutput = nil
	if got, ok := OutputThroughput.Whole(p); ok {
		t.Errorf("throughput without usage = %v, want unknown", got)
	}
}

// An answer that was not streamed has no events: no first token, no gaps, and its
// tokens arrive when it ends.
func TestAnswerWithoutEvents(t *testing.T) {
	tokens := int32(6)
	unary := func(done int64) *Timeline {
		return &Timeline{Request: record.Request{Phase: record.Measure, Result: record.OK, UsageOutput: &tokens, Done: done}}
	}
	p := &Point{Begin: 100 * ms, End: 200 * ms, Requests: []*Timeline{unary(99 * ms), unary(150 * ms), unary(200 * ms)}}
	if got, ok := OutputThroughput.Whole(p); !ok || math.Abs(got-6/0.1) > 1e-9 {
		t.Errorf("throughput = %v, %v; want that of the one answer that ended inside", got, ok)
	}
	for _, m := range []Metric{TTFT, ITL, TPOT} {
		if got := m.Each(unary(150 * ms)); len(got) != 0 {
			t.Errorf("%s = %v, want none", m.ID, got)
		}
	}
}

// Every metric is complete and listed once.
func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All {
		if m.Name == "" || m.Doc == "" || m.Unit == "" || (m.Better != Lower && m.Better != Higher) {
			t.Errorf("%s is incomplete: %+v", m.ID, m)
		}
		if m.Of == nil {
			t.Errorf("%s does not say what it is made of", m.ID)
		}
		if seen[m.ID] {
			t.Errorf("%s is listed twice", m.ID)
		}
		seen[m.ID] = true
	}
}

// testPlan has one point and three launches.
func testPlan(t *testing.T) plan.Plan {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}}}`))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A builder writes small bundles of known records.
func build(t *testing.T, p plan.Plan, launches []bundle.LaunchOutcome, requests func(launch int) []*Timeline) *bundle.Bundle {
	t.Helper()
	encoded, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: encoded})
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, outcome := range launches {
		l, err := w.StartLaunch(bundle.LaunchStart{Index: i, Clock: record.ClockID})
		must(err)
		must(l.Events.Append(record.Event{At: 0, Name: record.WindowBegin}, record.Event{At: 1e9, Name: record.WindowEnd}))
		for id, r := range requests(i) {
			r.ID = int64(id)
			for j := range r.Events {
				r.Events[j].Request = r.ID
			}
			must(l.Requests.Append(r.Request))
			must(l.Chunks.Append(r.Events...))
		}
		must(l.Close(bundle.LaunchEnd{Outcome: outcome}))
	}
	if _, err := w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(dir)
	must(err)
	return b
}

// Of a launch that was ended the points that were over count; one with a request that
// was cut does not.
func TestFinishedPointsOfAnEndedLaunch(t *testing.T) {
	p := testPlan(t)
	f := func(last record.Outcome, launches, left, partial int) {
		t.Helper()
		b := build(t, p, []bundle.LaunchOutcome{bundle.LaunchCompleted, bundle.LaunchAborted}, func(launch int) []*Timeline {
			list := []*Timeline{timeline(2, 10, 30), timeline(2, 10, 30)}
			if launch == 1 {
				list[1].Result = last
			}
			return list
		})
		e, _, err := JudgeWatched(b, p, "test", Watcher{})
		if err != nil || len(e.Launches) != launches || len(e.LeftOut) != left || len(e.Partial) != partial {
			t.Errorf("%s: launches %v, left out %v, partial %v, %v; want %d, %d and %d", last, e.Launches, e.LeftOut, e.Partial, err, launches, left, partial)
		}
	}
	f(record.OK, 2, 0, 1)
	f(record.Cut, 1, 1, 0)
}

// Of events that one read took together, only the last has a stamp that is known: the
// gaps around the others are left out, and never become a long one and a zero.
func TestSharedReads(t *testing.T) {
	stream := timeline(6, 10, 20, 40, 40, 50, 60)
	for i := range stream.Events {
		stream.Events[i].Bytes = 100
	}
	f := func(m Metric, want ...float64) {
		t.Helper()
		if got := m.Each(stream); !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%s = %v, want %v", m.ID, got, want)
		}
	}
	f(ITL, .01, .02, 0, .01, .01) // sent together
	stream.Events[4].Shared = true
	f(ITL, .01, .01, .01)
	f(ITLAll, .01, .02, 0, .01, .01)
	f(LongestGap, .02) // which may be a pause
	f(JitterSD, 0)
	f(ITLToken, .01, .01, .01, .01, .01)
	f(TPOT, .01)
	stream.Events[4].Bytes = 0 // another choice of the same event
	f(ITL, .01, .02, 0, .01, .01)
}

func TestEstimate(t *testing.T) {
	p := testPlan(t)
	completed := bundle.LaunchCompleted
	b := build(t, p, []bundle.LaunchOutcome{completed, bundle.LaunchFailed, completed, completed}, func(launch int) []*Timeline {
		var list []*Timeline
		for range 40 {
			list = append(list, timeline(2, 10+int64(launch), 30)) // TTFT 10, 12 and 13 ms
		}
		failed := timeline(2, 5)
		failed.Result = record.Truncated
		return append(list, failed)
	})
	e, _, err := JudgeWatched(b, p, "test", Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Launches) != 3 || len(e.LeftOut) != 1 || e.LeftOut[0].Launch != 1 {
		t.Errorf("launches %v, left out %v; want 0, 2, 3 and launch 1 left out", e.Launches, e.LeftOut)
	}
	p50, ok := e.Find("ttft.v2", "p50", 0)
	if !ok || math.Abs(p50.Value-(0.010+0.012+0.013)/3) > 1e-12 || p50.N != 3 || len(p50.PerLaunch) != 3 || p50.PerLaunch[0].N != 40 {
		t.Errorf("TTFT p50 = %+v", p50)
	}
	want, err := stats.OverLaunches([]float64{0.010, 0.012, 0.013}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(p50.Interval.Hi-want.Interval.Hi) > 1e-12 {
		t.Errorf("interval %v, want the interval over launches %v", p50.Interval, want.Interval)
	}
	p99, _ := e.Find("ttft.v2", "p99", 0)
	if p99.Interval.Bounded() || len(p99.Warnings) != 1 || !strings.Contains(p99.Warnings[0], "too few requests (40 of 368)") {
		t.Errorf("p99 of 40 requests = %+v, want too few", p99)
	}
	rate, _ := e.Find("error_rate.v1", "value", 0)
	if math.Abs(rate.Value-1.0/41) > 1e-12 || rate.Interval.Lo <= 0 || rate.Interval.Hi <= rate.Value {
		t.Errorf("error rate = %+v, want 1/41 with the interval of 3 in 123", rate.Estimate)
	}
	if got := e.Outcomes[0].Counts; got[record.OK] != 120 || got[record.Truncated] != 3 {
		t.Errorf("outcomes = %v", got)
	}
}

// A point that died before its window closed has no rates.
func TestUnfinishedPointIsLeftOut(t *testing.T) {
	p := testPlan(t)
	encoded, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: encoded})
	if err != nil {
		t.Fatal(err)
	}
	l, err := w.StartLaunch(bundle.LaunchStart{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Events.Append(record.Event{Name: record.WindowBegin}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	launch, err := ReadLaunch(b, 0)
	if err != nil || len(launch.Points) != 0 {
		t.Errorf("points = %v, %v; want none", launch.Points, err)
	}
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
}
