package metric

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/stat"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
	"assay/tests/whole"
)

// limitedPlan is testPlan with objectives and probes.
func limitedPlan(t *testing.T) plan.Plan {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]},
slo: [{metric: ttft, percentile: 99, max: 60ms}, {metric: tpot, percentile: 99, max: 9ms}, {metric: longest_gap, max: 12ms}], cost: {gpuHourlyUSD: 1}}}`))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// variedRequests are some hundred requests unlike each other: failed ones, dropped
// ones, warm-up, probes, answers without events and with one.
func variedRequests(launch int) []*Timeline {
	rng := rand.New(rand.NewPCG(uint64(launch), 7))
	var list []*Timeline
	for id := range int64(240) {
		due := id * 3 * ms
		tokens, asked := rng.Int32N(12), 20+rng.Int32N(9)
		first := due + rng.Int64N(3*ms)
		t := &Timeline{Request: record.Request{
			ID: id, Phase: record.Measure, User: -1, Due: due, Sent: due + rng.Int64N(ms), First: &first, Result: record.OK,
			UsageOutput: &tokens, UsageInput: &asked, AskedInput: asked - 3,
		}}
		at := due + 30*ms + rng.Int64N(40*ms)
		if tokens > 0 {
			t.Events = append(t.Events, record.Chunk{At: at, Kind: record.Role})
		}
		for range tokens {
			at += rng.Int64N(12 * ms)
			t.Events = append(t.Events, record.Chunk{At: at, Kind: record.Content, TextBytes: 1 + rng.Int32N(9), Shared: rng.IntN(9) == 0})
		}
		t.Done = at + ms
		switch {
		case id < 20:
			t.Phase = record.Warmup
		case id%37 == 0:
			t.Result = record.Truncated
		case id%41 == 0:
			t.Result, t.Events = record.Dropped, nil
		case id%23 == 0:
			t.Phase = record.Probe
		}
		list = append(list, t)
	}
	return list
}

// A cutting is one way to write the same chunks.
type cutting struct {
	segments int
	group    int64  // rows of a row group; 0 for the library's own
	order    string // of the chunks: contiguous, mixed, or wrong for requests that tell a wrong number of them
}

// cut writes a bundle of two launches whose tables are cut in the given way.
func cut(t *testing.T, p plan.Plan, c cutting) *bundle.Bundle {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	encoded, err := p.Encode()
	must(err)
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: encoded})
	must(err)
	for launch := range 2 {
		c := c
		l, err := w.StartLaunch(bundle.LaunchStart{Index: launch, Clock: record.ClockID})
		must(err)
		must(l.Events.Append(record.Event{At: 40 * ms, Name: record.WindowBegin}, record.Event{At: 700 * ms, Name: record.WindowEnd}))
		outcome := bundle.LaunchCompleted
		if launch == 1 {
			outcome = bundle.LaunchFailed
		}
		must(l.Close(bundle.LaunchEnd{Outcome: outcome}))
		var requests []record.Request
		var chunks []record.Chunk
		for _, r := range variedRequests(launch) {
			for i := range r.Events {
				r.Events[i].Request, r.Events[i].Seq = r.ID, int32(i)
			}
			r.Chunks = int32(len(r.Events))
			if c.order == "wrong" && r.ID%3 == 0 {
				r.Chunks = 2
			}
			requests, chunks = append(requests, r.Request), append(chunks, r.Events...)
		}
		if c.order != "contiguous" {
			mixUp(chunks)
		}
		folder := filepath.Join(dir, "raw", fmt.Sprintf("launch-%02d", launch))
		writeCut(t, folder, bundle.Chunks, chunks, c)
		c.group *= 4 // requests have many columns
		writeCut(t, folder, bundle.Requests, requests, c)
	}
	b, err := bundle.Open(dir)
	must(err)
	must(w.Abandon())
	return b
}

// mixUp moves chunks of different requests past each other, as two writers do.
func mixUp(chunks []record.Chunk) {
	for i := 3; i < len(chunks); i += 3 {
		if chunks[i].Request != chunks[i-1].Request {
			chunks[i], chunks[i-1] = chunks[i-1], chunks[i]
		}
	}
}

func writeCut[T any](t *testing.T, folder, table string, rows []T, c cutting) {
	t.Helper()
	for i := range c.segments {
		f, err := os.Create(filepath.Join(folder, fmt.Sprintf("%s-%05d.parquet", table, i)))
		if err != nil {
			t.Fatal(err)
		}
		options := []parquet.WriterOption{parquet.PageBufferSize(4 << 10)}
		if c.group > 0 {
			options = append(options, parquet.MaxRowsPerRowGroup(c.group))
		}
		out := parquet.NewGenericWriter[T](f, options...)
		_, err = out.Write(rows[i*len(rows)/c.segments : (i+1)*len(rows)/c.segments])
		if err := errors.Join(err, out.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// Segments, row groups, processors and the order in which chunks were written make
// no difference, to the last bit.
func TestSameWhateverTheCut(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	p := limitedPlan(t)
	var want string
	cuttings, teams := []cutting{
		{1, 0, "contiguous"}, {7, 0, "contiguous"}, {50, 0, "contiguous"}, {2, 11, "contiguous"},
		{1, 0, "mixed"}, {7, 5, "mixed"}, {1, 0, "wrong"}, {7, 13, "wrong"},
	}, []int{1, 2, 4}
	if whole.Watched {
		cuttings, teams = []cutting{{1, 0, "contiguous"}, {7, 5, "mixed"}, {7, 13, "wrong"}}, []int{1, 4}
	}
	for _, c := range cuttings {
		b := cut(t, p, c)
		for _, processors := range teams {
			runtime.GOMAXPROCS(processors)
			e, client, err := JudgeWatched(b, p, "test", Watcher{})
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			got, err := json.Marshal([]any{e, client})
			if err != nil {
				t.Fatal(err)
			}
			if want == "" {
				want = string(got)
			}
			if string(got) != want {
				t.Errorf("%+v on %d processors: the result differs from that of one segment on one processor", c, processors)
			}
		}
	}
}

// What streams by gives what all records in memory give, to the last bit.
func TestStreamedAsInMemory(t *testing.T) {
	p := limitedPlan(t)
	b := cut(t, p, cutting{7, 31, "mixed"})
	e, _, err := JudgeWatched(b, p, "test", Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	for at, index := range e.Launches {
		l, err := ReadLaunch(b, index)
		if err != nil {
			t.Fatal(err)
		}
		point := l.Points[0]
		point.Declared = declared(p.Run)
		for _, m := range All {
			for name, want := range inMemory(m, point) {
				row, ok := e.Find(m.ID, name, 0)
				if !ok || row.PerLaunch[at].Value != want {
					t.Errorf("launch %d, %s %s = %+v, want %v", index, m.ID, name, row.PerLaunch, want)
				}
			}
		}
	}
}

// inMemory computes the statistics of a metric with all requests and events at
// hand.
func inMemory(m Metric, p *Point) map[string]float64 {
	out := map[string]float64{}
	if !m.Has(spec.Workload{}) {
		return out
	}
	switch of := m.Of.(type) {
	case Whole:
		if v, ok := of(p); ok {
			out["value"] = v
		}
	case Share:
		if hits, trials := of(p); trials > 0 {
			out["value"] = float64(hits) / float64(trials)
		}
	}
	if m.each() == nil {
		return out
	}
	requests := p.Measured
	if m.Only(Probes) {
		requests = p.Probed
	}
	var xs []float64
	for t := range requests {
		if t.Result == record.OK {
			xs = append(xs, m.Each(t)...)
		}
	}
	if len(xs) == 0 {
		return out
	}
	out["mean"] = stat.Mean(xs, nil)
	for _, st := range statistics[1:] {
		if est, err := stats.Quantile(xs, st.quantile, 0.95); err == nil {
			out[st.name] = est.Value
		}
	}
	return out
}

// Summaries know what a limit asks for; their events are gone.
func TestReadSummaries(t *testing.T) {
	b := cut(t, limitedPlan(t), cutting{2, 0, "mixed"})
	whole, err := ReadLaunch(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	short, err := ReadSummaries(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range whole.Points[0].Requests {
		s := short.Points[0].Requests[i]
		if !slices.Equal(TTFT.Each(r), TTFT.Each(s)) || !slices.Equal(TPOT.Each(r), TPOT.Each(s)) ||
			r.outputEvents() != s.outputEvents() || r.shareInside(40*ms, 700*ms) != s.shareInside(40*ms, 700*ms) {
			t.Fatalf("request %d: the summary differs from its events", r.ID)
		}
		if s.Events != nil {
			t.Fatalf("request %d: its events were kept", r.ID)
		}
	}
	refuses := func(what string, ask func(s *Timeline)) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s is answered after the events were let go", what)
			}
		}()
		ask(short.Points[0].Requests[30])
	}
	refuses("ITL", func(s *Timeline) { ITL.Each(s) })
	refuses("the share of another window", func(s *Timeline) { s.shareInside(0, 1) })
}
