package metric

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/record"
)

// A bundle with one launch of four seconds: 200 calls of which two were dropped,
// and a client that used half of its two processors, all of them in the third second.
func TestReadClient(t *testing.T) {
	encoded, err := testPlan(t).Encode()
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
	keep := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range int64(200) {
		r := record.Request{ID: i, Phase: record.Measure, Due: i * 1e6, Sent: i*1e6 + i*1e4, Result: record.OK}
		if i >= 198 {
			r.Result = record.Dropped
		}
		keep(l.Requests.Append(r))
		keep(l.Chunks.Append(
			record.Chunk{Request: i, Kind: record.Blank},
			record.Chunk{Request: i, Seq: 1, Kind: record.Content, Shared: true, Bytes: 100}, // with what is no output
			record.Chunk{Request: i, Seq: 2, Kind: record.Content, Shared: i < 99, Bytes: 100},
		))
	}
	keep(l.Requests.Append(record.Request{ID: 999, Phase: record.Warmup, Sent: 5e9}))
	sample := func(at int64, source, name, scope string, v float64) {
		keep(l.Samples.Append(record.Sample{At: at, Source: source, Name: name, Scope: scope, Value: &v}))
	}
	for i, used := range []float64{10, 10.5, 11, 13, 14} {
		at := int64(i) * 1e9
		sample(at, "client", "cpu.user.total", "", used)
		sample(at, "client", "cpu.system.total", "", 5)
		sample(at, "client", "gomaxprocs", "", 2)
		sample(at, "client", "threads.runqueue.total", "", float64(i)*.1)
		sample(at, "host", "tcp.receive_pruned.total", "a", float64(i))
		sample(at, "host", "tcp.receive_pruned.total", "b", 1)
		keep(l.Samples.Append(record.Sample{At: at, Source: "host", Name: "cpu.steal.total"})) // could not be read
	}
	keep(l.Events.Append(record.Event{Name: record.PointBalance, Detail: `{"mostInFlight": 7}`}))
	for when, worst := range map[string]int64{record.CalibrationBefore: 3e6, record.CalibrationAfter: 2e6} {
		data, err := json.Marshal(record.Calibration{When: when,
			TTFT: record.ErrorSpread{N: 80, P99: 1e6, Max: worst}, Gap: record.ErrorSpread{N: 1200, P99: worst / 100, Max: 9e9}})
		keep(err)
		keep(l.Attach(record.CalibrationFile(when), data))
	}
	keep(l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}))
	b, err := bundle.Open(dir)
	keep(err)
	_, c, err := JudgeWatched(b, plan.Plan{}, "test", Watcher{})
	keep(err)
	keep(w.Abandon())

	h := c.Launches[0]
	check := func(name string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > 1e-9 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	check("lag p50", h.LagP50, 98*1e-5)
	check("lag p99", h.LagP99, 196*1e-5)
	check("lag max", h.LagMax, 197*1e-5)
	check("late", h.LateShare, 97.0/198) // calls 101 to 197
	check("shared reads", h.SharedRead, .5)
	check("CPU", h.CPUShare, .5)
	check("busiest", h.CPUShareMax, 1)
	check("run queue", h.RunQueue, .1)
	check("pruned", h.Pruned, 4)
	if h.Requests != 198 || h.Dropped != 2 || h.MostInFlight != 7 || h.Seconds != 4 {
		t.Errorf("%d requests, %d dropped, %d in flight, %v s", h.Requests, h.Dropped, h.MostInFlight, h.Seconds)
	}
	if h.Steal != nil || h.GCPauseMax != nil {
		t.Errorf("what was not read has a value: steal %v, pause %v", h.Steal, h.GCPauseMax)
	}
	ttft, gap := c.Bounds.TTFT, c.Bounds.Gap
	if ttft.Seconds != 3e-3 || ttft.Statistic != "max" || ttft.N != 80 || *ttft.Before != 3e-3 || *ttft.After != 2e-3 {
		t.Errorf("TTFT bound %+v, want the larger maximum: 80 values are too few for a p99", ttft)
	}
	if gap.Seconds != 3e-5 || gap.Statistic != "p99" {
		t.Errorf("gap bound %+v, want the larger p99", gap)
	}
}

func TestBoundsOfHalf(t *testing.T) {
	made := &record.Calibration{TTFT: record.ErrorSpread{N: 400, P99: 5e6, Max: 7e6}}
	failed := &record.Calibration{Unavailable: "why"}
	if got := boundsOf(failed, nil); got != nil {
		t.Errorf("bounds %+v of nothing", got)
	}
	got := boundsOf(failed, made)
	if got == nil || got.TTFT.Before != nil || got.TTFT.Seconds != 5e-3 || *got.TTFT.After != 5e-3 {
		t.Errorf("bounds %+v, want those after the run", got)
	}
}

// The error of a statistic is that of the same statistic: of the run's own requests, or of
// the known stream where that was worse.
func TestErrorOf(t *testing.T) {
	ns := func(p50, p99 int64) record.ErrorSpread {
		return record.ErrorSpread{N: 400, P50: p50, P90: p99 / 2, P99: p99}
	}
	client := Client{
		Bounds: boundsOf(&record.Calibration{TTFT: ns(5e4, 5e5), Gap: ns(1e3, 1e4), Stamp: ns(1e4, 1e5)}, nil),
		Launches: []ClientHealth{
			{Launch: 0, Moved: []Moved{{Point: 1, N: 9, P50: 1e-5, P90: 2e-4, P95: 1e-3, P99: 3e-3, Max: 8e-3}}},
			{Launch: 1, Moved: []Moved{{Point: 1, N: 9, P50: 2e-5, P90: 4e-4, P95: 1e-3, P99: 5e-3, Max: 9e-3}}},
			{Launch: 2, Moved: []Moved{{Point: 1, N: 9, P50: 1, P99: 1}}}, // of another side
		},
	}
	row := func(m Metric, statistic string) Row {
		return Row{Metric: m.ID, Statistic: statistic, Point: 1, PerLaunch: []LaunchValue{{Launch: 0}, {Launch: 1}}}
	}
	for _, tt := range []struct {
		row  Row
		want OwnError
	}{
		{row(TTFT, "p50"), OwnError{1.5e-5 + 3e-5 + 2e-5, ShownByRun}},
		{row(TTFT, "p90"), OwnError{3e-4 + 1.5e-4 + 2e-5, ShownByRun}},
		{row(TTFT, "p99"), OwnError{4e-3 + 3e-4 + 2e-5, ShownByRun}},
		{row(ITL, "p50"), OwnError{1e-6, ShownByStream}},
		{row(ITL, "p99"), OwnError{1e-5, ShownByStream}},
	} {
		if got, ok := client.ErrorOf(tt.row); !ok || got.Source != tt.want.Source || math.Abs(got.Seconds-tt.want.Seconds) > 1e-9 {
			t.Errorf("%s of %s: %+v, want %+v", tt.row.Statistic, tt.row.Metric, got, tt.want)
		}
	}
	if got, ok := client.ErrorOf(row(OutputThroughput, "value")); ok {
		t.Errorf("the error of a throughput is %+v, want none that is known", got)
	}
}

// A collection between two points slows nobody who is measured.
func TestPauseWithinWindows(t *testing.T) {
	g := gauges{"client gc.pause.max": {{at: 1, value: 1}, {at: 2, value: .5}, {at: 3, value: .1}, {at: 4, value: .2}, {at: 5, value: .9}}}
	if got := g.mostSince("client gc.pause.max", []span{{2, 4}}); got == nil || *got != .2 {
		t.Errorf("the longest pause is %v, want .2, of the window from 2 to 4", got)
	}
	if got := g.mostSince("client gc.pause.max", nil); got != nil {
		t.Errorf("a pause of %v outside of every window", *got)
	}
}

// A first event that was read together with the next ones may have come that many gaps
// before.
func TestOwnTTFT(t *testing.T) {
	wrote := 1500 * ms / 1000
	stream := timeline(5, 20, 20, 20, 30, 40)
	stream.Wrote = &wrote
	for i := range stream.Events {
		stream.Events[i].Bytes = 100
	}
	f := func(want float64) {
		t.Helper()
		if got := stream.ownTTFT(); math.Abs(got-want) > 1e-12 {
			t.Errorf("own part of TTFT = %v, want %v", got, want)
		}
	}
	f(.0015) // due at 0; sent together
	stream.User = 0
	f(.0005) // from the send
	stream.Events[2].Shared, stream.Events[3].Shared = true, true
	f(.0005 + 2*.010)
	stream.Events = stream.Events[:4]
	f(.0005 + .0185)
}

// A pause that ends with two events in one read is not in ITL, and its time is counted.
func TestGapsLeftOut(t *testing.T) {
	stream := timeline(6, 10, 20, 40, 40, 50, 60)
	stream.Events[4].Shared, stream.Events[4].Bytes = true, 100
	var seen clientTrace
	seen.see(stream)
	var h ClientHealth
	h.fromTraces([]clientTrace{seen})
	if h.GapsLeftOut == nil || math.Abs(*h.GapsLeftOut-.4) > 1e-12 {
		t.Errorf("share of the time in gaps that are left out = %v, want 20 of 50 ms", h.GapsLeftOut)
	}
}

// Those in the middle leave late and all others at once: the median of the parts is nothing, and
// the median TTFT moves all the same.
func TestMovedMedian(t *testing.T) {
	var seen []ownPart
	for i := range 99 {
		one := ownPart{ttft: .020 + float32(i)*1e-6}
		if i >= 45 && i < 60 {
			one.own = 100e-6
		}
		seen = append(seen, one)
	}
	got := movedOf(map[int][]ownPart{3: seen})
	if len(got) != 1 || got[0].Point != 3 || got[0].N != 99 {
		t.Fatalf("moved %+v, want one point of 99 requests", got)
	}
	// Without the client's part fifteen of the middle are first, and rank 50 is what was rank 35.
	if want := 15e-6; math.Abs(got[0].P50-want) > 1e-8 || got[0].P99 > 1e-9 || math.Abs(float64(got[0].Max)-100e-6) > 1e-8 {
		t.Errorf("moved %+v, want the median by %v and nothing at the p99", got[0], want)
	}
}
