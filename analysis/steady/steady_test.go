package steady

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

// A run is records made up: calls one after the other, of which each takes 100 ms
// to its first token and 10 ms for each later token.
type run struct {
	calls, warmup int
	rows          int // of a data set; 0 for none
	point         plan.Point
	change        func(i int, r *record.Request, first, gap *float64)
}

func (m run) read(t *testing.T) Report {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "r", Spec: []byte("x"), Plan: []byte("{}")})
	must(err)
	l, err := w.StartLaunch(bundle.LaunchStart{Clock: record.ClockID})
	must(err)
	rng := rand.New(rand.NewPCG(21, 4))
	at, begin := int64(0), int64(0)
	var rows []record.Request
	for i := range m.calls {
		tokens := int32(11)
		r := record.Request{ID: int64(i), Phase: record.Measure, Due: at, Sent: at, Result: record.OK, UsageOutput: &tokens, Chunks: 3, PromptHash: int64(i)}
		if m.rows > 0 {
			r.PromptHash = int64(i % m.rows)
		}
		if i < m.warmup {
			r.Phase = record.Warmup
			begin = at + 1
		}
		first, gap := .1, .01
		if m.change != nil {
			m.change(i, &r, &first, &gap)
		}
		noise := func() float64 { return math.Exp(.1 * rng.NormFloat64()) }
		token := r.Due + int64(1e9*first*noise())
		r.Done = token + int64(1e9*gap*noise()*float64(*r.UsageOutput-1))
		if r.Chunks > 0 { // a role at once, then the first and the last output
			must(l.Chunks.Append(
				record.Chunk{Request: r.ID, Seq: 0, At: r.Due + 1e6, Kind: record.Role},
				record.Chunk{Request: r.ID, Seq: 1, At: token, Kind: record.Content},
				record.Chunk{Request: r.ID, Seq: 2, At: r.Done, Kind: record.Content}))
		}
		at = r.Done
		rows = append(rows, r)
	}
	// They are written in the order in which they ended, which is another one.
	for i := 0; i+1 < len(rows); i += 2 {
		rows[i], rows[i+1] = rows[i+1], rows[i]
	}
	must(l.Requests.Append(rows...))
	must(l.Events.Append(record.Event{At: begin, Name: record.WindowBegin}, record.Event{At: at, Name: record.WindowEnd}))
	must(l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}))
	_, err = w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{})
	must(err)
	b, err := bundle.Open(dir)
	must(err)
	p := plan.Plan{Points: []plan.Point{m.point}}
	if m.rows > 0 {
		p.Run.Spec.Workload.Prompt.Dataset = &spec.Dataset{Path: "x"}
	}
	watch := New(b, p)
	must(metric.Watch(b, watch.Watcher()))
	return watch.Report()
}

// one is the only point of a run.
func one(t *testing.T, m run) Point {
	t.Helper()
	r := m.read(t)
	if len(r.Points) != 1 {
		t.Fatalf("%d points, want 1: %+v", len(r.Points), r)
	}
	return r.Points[0]
}

func names(p Point) (list []string) {
	for _, s := range p.Series {
		list = append(list, s.Name)
	}
	return list
}

func TestClean(t *testing.T) {
	p := one(t, run{calls: 600, warmup: 60})
	if !slices.Equal(names(p), []string{TTFT, TPOT}) || !p.Steady() || p.Requests != 600 || p.Warmup != 60 || p.WarmupSeconds <= 0 {
		t.Fatalf("got %+v", p)
	}
	for _, s := range p.Series {
		if s.State.Shape != stats.Flat || !s.BeginsSteady() || s.Enough.Requests != 0 || s.Window.N != 540 || math.Abs(s.Off()) > .01 {
			t.Errorf("%s: %+v", s.Name, s)
		}
	}
	if s := p.Series[0]; math.Abs(s.Window.Median-.1) > .002 || s.Bias.BestOfN < .15 || s.Bias.BestOfN > .4 {
		t.Errorf("TTFT: %+v, bias %+v", s.Window, s.Bias)
	}
}

// A server that is slow at first, and a window that begins at once.
func TestCold(t *testing.T) {
	cold := func(i int, _ *record.Request, first, _ *float64) { *first *= 1 + 9*math.Exp(-float64(i)/30) }
	p := one(t, run{calls: 600, change: cold})
	s := p.Series[0]
	if s.State.Shape != stats.WarmUp || s.BeginsSteady() || *s.Early < 60 || *s.Early > 200 || s.Off() < .3 {
		t.Fatalf("got %+v", s)
	}
	if s.Enough.Requests < 20 || s.Enough.Requests > *s.Early || s.Enough.Seconds <= 0 || s.Bias.MeanOfAll < .3 {
		t.Errorf("enough %+v, bias %+v", *s.Enough, *s.Bias)
	}
	if s := p.Series[1]; s.State.Shape != stats.Flat || !s.BeginsSteady() {
		t.Errorf("the pace never changed: %+v", s)
	}
	// The same with enough of a warm-up is steady from the beginning of the window.
	p = one(t, run{calls: 800, warmup: 200, change: cold})
	if s = p.Series[0]; s.State.Shape != stats.WarmUp || !s.BeginsSteady() || math.Abs(s.Off()) > .01 {
		t.Errorf("with a warm-up: %+v", s)
	}
}

// Four of the first calls are slow, fewer than half of a batch.
func TestSlowHead(t *testing.T) {
	p := one(t, run{calls: 3000, change: func(i int, _ *record.Request, first, _ *float64) {
		if i < 10 {
			*first = 5
		}
	}})
	s := p.Series[0]
	if s.State.Shape != stats.WarmUp || s.BeginsSteady() || *s.Early != s.State.Batch || !strings.Contains(s.State.Reasons[0], "a few were slow") {
		t.Errorf("got %+v", s)
	}
}

func TestUnsteady(t *testing.T) {
	f := func(want stats.Shape, factor func(share float64) float64) {
		t.Helper()
		p := one(t, run{calls: 1000, warmup: 50, change: func(i int, _ *record.Request, _, gap *float64) { *gap *= factor(float64(i) / 1000) }})
		if s := p.Series[1]; s.State.Shape != want || p.Steady() {
			t.Errorf("got %+v, want %s", s.State, want)
		}
	}
	f(stats.Drift, func(share float64) float64 { return 1 + .3*share })
	f(stats.Step, func(share float64) float64 { return 1 + .2*math.Floor(share+.4) })
	f(stats.Cyclic, func(share float64) float64 { return 1 + .1*math.Sin(30*share) })
}

// A jump inside a long warm-up is over when the window begins.
func TestJumpInWarmup(t *testing.T) {
	p := one(t, run{calls: 1000, warmup: 500, change: func(i int, _ *record.Request, first, _ *float64) {
		if i < 400 {
			*first *= 1.3
		}
	}})
	s := p.Series[0]
	if s.State.Shape != stats.WarmUp || s.State.Begin != 500 || !s.BeginsSteady() || !strings.Contains(s.State.Reasons[0], "the window by itself is flat") {
		t.Errorf("got %+v", s)
	}
}

func TestGated(t *testing.T) {
	f := func(want []string, skipped string, m run) {
		t.Helper()
		m.calls = 200
		p := one(t, m)
		if !slices.Equal(names(p), want) || !strings.Contains(p.Skipped, skipped) || (skipped == "") != (p.Skipped == "") {
			t.Errorf("series %v, skipped %q; want %v, %q", names(p), p.Skipped, want, skipped)
		}
	}
	mixed := func(i int, r *record.Request) { *r.UsageOutput = int32(5 + i%20) }
	f([]string{TTFT, TPOT}, "", run{change: func(i int, r *record.Request, _, _ *float64) { mixed(i, r) }})
	f([]string{Whole}, "", run{change: func(_ int, r *record.Request, _, _ *float64) { r.Chunks = 0 }})
	f([]string{PerToken}, "", run{change: func(i int, r *record.Request, _, _ *float64) { r.Chunks = 0; mixed(i, r) }})
	f(nil, "the load changes in stages", run{point: plan.Point{Stages: []spec.Stage{{}}}})
	f(nil, "the load follows a trace", run{point: plan.Point{TraceRef: "x"}})
	f(nil, "everything is asked at once", run{point: plan.Point{Query: &plan.Query{Once: true}}})
}

// A data set of 50 rows, twelve times; the second half is slower.
func TestPasses(t *testing.T) {
	slower := func(i int, _ *record.Request, first, _ *float64) {
		if i >= 300 {
			*first *= 1.5
		}
	}
	p := one(t, run{calls: 620, rows: 50, change: slower})
	if p.Passes == nil || p.Passes.Size != 50 || len(p.Passes.Series) != 4 || p.Passes.Result.Passes != 12 {
		t.Fatalf("got %+v", p.Passes)
	}
	if r := p.Passes.Result; !r.Anomaly || r.Steady() || r.Plateaus[0].To != 6 {
		t.Errorf("got %+v", r)
	}
	if p = one(t, run{calls: 40, rows: 50}); p.Passes.Result.Status != stats.PartialDataset {
		t.Errorf("part of a pass: %+v", p.Passes)
	}
	if p = one(t, run{calls: 100}); p.Passes != nil {
		t.Errorf("no data set: %+v", p.Passes)
	}
}

func TestSearchIsLeftAlone(t *testing.T) {
	w := New(&bundle.Bundle{}, plan.Plan{Search: &plan.Search{}})
	err := w.see(metric.WatchedLaunch{Info: bundle.LaunchInfo{Outcome: bundle.LaunchCompleted}})
	if r := w.Report(); err != nil || len(r.Points) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
