package picture

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"assay/analysis/scene"
	"assay/analysis/steady"
	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
)

const document = `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [1, 2]}}}`

func build(t *testing.T, launches []scene.Launch) *bundle.Bundle {
	t.Helper()
	b, err := scene.Run{Dir: filepath.Join(t.TempDir(), "b"), ID: "b", Document: document, Launches: launches}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func draw(t *testing.T, b *bundle.Bundle) Set {
	t.Helper()
	data, err := b.ReadFile(bundle.PlanFile)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	d := New(b, p)
	judged := steady.New(b, p)
	if _, _, err := metric.JudgeWatched(b, p, "test", d.Watcher(), judged.Watcher()); err != nil {
		t.Fatal(err)
	}
	return d.Set(judged.Report())
}

func (s Set) find(t *testing.T, id string, point int) Distribution {
	t.Helper()
	for _, d := range s.Distributions {
		if d.Metric == id && d.Point == point {
			return d
		}
	}
	t.Fatalf("no distribution of %s at point %d", id, point)
	return Distribution{}
}

// Launches that differ by a factor give a band as wide as they differ: at the
// median of the middle launch a slow one has few requests done and a fast one most.
func TestDistribution(t *testing.T) {
	s := draw(t, build(t, scene.Launches([]float64{.9, 1, 1, 1, 1.1})))
	d := s.find(t, metric.TTFT.ID, 1)
	if d.N != 200 || len(d.Value) > 200 || !slices.IsSorted(d.Value) || !slices.IsSorted(d.Share) {
		t.Errorf("n %d, %d values, rising %v and %v", d.N, len(d.Value), slices.IsSorted(d.Value), slices.IsSorted(d.Share))
	}
	if last := len(d.Share) - 1; d.Share[last] != 1 || d.Share[0] > .05 {
		t.Errorf("shares from %v to %v, want from near 0 to 1", d.Share[0], d.Share[last])
	}
	widest := 0.0
	for i := range d.Value {
		if d.Lo[i] < 0 || d.Hi[i] > 1 || d.Lo[i] > d.Share[i] || d.Hi[i] < d.Share[i] {
			t.Fatalf("at %v: %v not in [%v, %v] within [0, 1]", d.Value[i], d.Share[i], d.Lo[i], d.Hi[i])
		}
		widest = max(widest, d.Hi[i]-d.Lo[i])
	}
	if widest < .2 || !strings.Contains(d.Band, "t interval over 5 launches") {
		t.Errorf("the band is at most %v wide and is called %q", widest, d.Band)
	}
	if gaps := s.find(t, metric.ITL.ID, 0); gaps.N != 5*40*7 {
		t.Errorf("%d gaps between chunks, want %d", gaps.N, 5*40*7)
	}
}

// One launch says nothing about others, and its band says so.
func TestDistributionOfOneLaunch(t *testing.T) {
	d := draw(t, build(t, scene.Launches([]float64{1}))).find(t, metric.E2E.ID, 0)
	want := math.Sqrt(math.Log(2/.05) / 80)
	middle := len(d.Value) / 2
	if got := d.Hi[middle] - d.Share[middle]; math.Abs(got-want) > 1e-5 {
		t.Errorf("half of the band is %v, want %v", got, want)
	}
	if !strings.Contains(d.Band, "inside one launch") || !strings.Contains(d.Band, "nothing about other launches") {
		t.Errorf("band %q", d.Band)
	}
}

// Where launches differ by ten times as much as requests do, they hold nearly all
// of the variance.
func TestComponents(t *testing.T) {
	s := draw(t, build(t, scene.Launches([]float64{.2, 1, 2, 3})))
	if len(s.Components) != 6 { // three metrics of two points
		t.Fatalf("components %+v, want six", s.Components)
	}
	for _, c := range s.Components {
		if c.Between < .5 || c.Within > .2 || c.Share < .9 {
			t.Errorf("%s: between %v, within %v, share %v", c.Name, c.Between, c.Within, c.Share)
		}
	}
	if few := draw(t, build(t, scene.Launches([]float64{.2, 1}))); len(few.Components) != 0 {
		t.Errorf("two launches have components %+v", few.Components)
	}
}

func (l Launch) series(t *testing.T, name, scope string) Series {
	t.Helper()
	for _, s := range l.Series {
		if s.Name == name && s.Scope == scope {
			return s
		}
	}
	t.Fatalf("no series %s %s in %d series", name, scope, len(l.Series))
	return Series{}
}

// sum is what a rate amounts to.
func (s Series) sum() (sum float64) {
	for _, v := range s.Values {
		if v != nil {
			sum += *v * s.Step
		}
	}
	return sum
}

// One user asks one request after the other: one is in flight all the time, and
// every request and token is in some bin.
func TestTimeline(t *testing.T) {
	l := draw(t, build(t, []scene.Launch{{Requests: 500, Failed: 3}})).Launches[0]
	for name, want := range map[string]float64{Completed: 1000, Failed: 6, OutputTokens: 8 * 1006, InFlight: l.End} {
		if got := l.series(t, name, "").sum(); math.Abs(got-want) > .001*want {
			t.Errorf("%s sums up to %v, want %v", name, got, want)
		}
	}
	for _, v := range l.series(t, FirstTokenMedian, "").Values {
		if v != nil && math.Abs(*v-.02) > .004 {
			t.Errorf("TTFT p50 of a bin is %v, want about 20 ms", *v)
		}
	}
	if len(l.Windows) != 2 || l.Windows[1].Measure < l.Windows[0].MeasureEnd-1e-3 || l.Windows[0].Verdict != "steady" || l.Windows[0].SteadyBegin == nil {
		t.Errorf("windows %+v", l.Windows)
	}
	for _, s := range l.Series {
		if s.Name == Offered || s.Name == FirstTokenHigh {
			t.Errorf("%s of a closed loop, or of bins of ten requests or so: %v", s.Name, s.sum())
		}
	}
}

// Calls that were all dropped were offered, and nothing else.
func TestTimelineOfDroppedCalls(t *testing.T) {
	d := &Drawing{plan: plan.Plan{Points: []plan.Point{{Arrival: "poisson", Rate: 5}}}}
	var own []*metric.Timeline
	for i := range 10 {
		own = append(own, &metric.Timeline{Request: record.Request{Due: int64(1+i) * 1e8, Result: record.Dropped}})
	}
	sums := map[string]float64{}
	for _, s := range d.requestSeries(own, 1) {
		sums[s.Name] = math.Round(s.sum())
	}
	if sums[Offered] != 10 || sums[Failed] != 10 || sums[Completed] != 0 || sums[InFlight] != 0 {
		t.Errorf("series sum up to %v", sums)
	}
	if none := d.requestSeries(own, 0); len(none) == 0 {
		t.Error("a launch without an end has no series")
	}
}

// A source that does not say when requests were sent has no timeline, and still
// has distributions.
func TestWithoutSendTimes(t *testing.T) {
	b := build(t, scene.Launches([]float64{1}))
	b.Manifest.Source = &bundle.Source{Tool: "other", Unknown: []bundle.Gap{{ID: bundle.GapSendTimes}}}
	if s := draw(t, b); len(s.Launches) != 0 || len(s.Distributions) == 0 {
		t.Errorf("%d launches and %d distributions, want none and some", len(s.Launches), len(s.Distributions))
	}
}

// The same records are the same picture on any number of processors.
func TestSameBytes(t *testing.T) {
	b := build(t, scene.Launches([]float64{1, 1.05, .98}))
	before := runtime.GOMAXPROCS(1)
	one, err := json.Marshal(draw(t, b))
	runtime.GOMAXPROCS(max(4, before))
	many, err2 := json.Marshal(draw(t, b))
	runtime.GOMAXPROCS(before)
	if err != nil || err2 != nil || !bytes.Equal(one, many) {
		t.Errorf("pictures differ: %d and %d bytes (%v, %v)", len(one), len(many), err, err2)
	}
	var back Set
	if err := json.Unmarshal(one, &back); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(back); !bytes.Equal(one, again) {
		t.Error("pictures do not survive reading and writing")
	}
}

// samples writes a launch without requests in which so many readings of 1 s
// distance were taken.
func samples(t *testing.T, rows ...record.Sample) Launch {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "s")
	w, err := bundle.Create(dir, bundle.Header{RunID: "s", Spec: []byte("x"), Plan: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	l, err := w.StartLaunch(bundle.LaunchStart{Clock: record.ClockID})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Samples.Append(rows...); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	d := New(b, plan.Plan{})
	out, err := d.launch(metric.WatchedLaunch{Info: b.Launches()[0]})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func reading(second int, source, name, scope string, value float64) record.Sample {
	return record.Sample{At: int64(second) * 1e9, Source: source, Name: name, Scope: scope, Value: &value}
}

func TestSamples(t *testing.T) {
	var rows []record.Sample
	for second := range 60 {
		at := float64(second)
		rows = append(rows,
			reading(second, Client, "cpu.user.total", "", .5*at), reading(second, Client, "cpu.system.total", "", .25*at),
			reading(second, Host, "cpu.user.total", "", at), reading(second, Host, "cpu.idle.total", "", 3*at),
			reading(second, Server, "vllm:gpu_cache_usage_perc", "a", .9), reading(second, Server, "vllm:kv_cache_usage_perc", "a", .2),
			reading(second, Server, "vllm:kv_cache_usage_perc", "b", .4),
			reading(second, Server, "vllm:num_requests_waiting", "a", 3), reading(second, Server, "vllm:num_requests_waiting", "b", 4),
			reading(second, Host, "unheard.of", "", 1))
		for device, name := range []string{"GPU-00000000-a", "GPU-11111111-b"} {
			rows = append(rows, reading(second, GPU, "power", name, 300+float64(device)))
		}
		for device := range 8 {
			rows = append(rows, reading(second, GPU, "temperature", string(rune('a'+device)), 50+float64(device)))
		}
	}
	rows = slices.DeleteFunc(rows, func(s record.Sample) bool { // nothing was read for half of the time
		return s.Source == Client && s.At > 20e9 && s.At < 50e9
	})
	l := samples(t, rows...)
	at := func(name, scope string, second int) *float64 {
		s := l.series(t, name, scope)
		return s.Values[int((float64(second)+.5-s.Start)/s.Step+.5)]
	}
	for _, tt := range []struct {
		name, scope string
		want        float64
	}{
		{"client CPU", "", .75}, {"host CPU busy", "", .25}, {"KV cache in use", "", .3}, {"requests waiting", "", 7},
		{"GPU power", "GPU-00000000", 300}, {"GPU power", "GPU-11111111", 301},
		{"GPU temperature", "lowest", 50}, {"GPU temperature", "mean", 53.5}, {"GPU temperature", "highest", 57},
	} {
		if got := at(tt.name, tt.scope, 10); got == nil || math.Abs(*got-tt.want) > 1e-5 {
			t.Errorf("%s %s = %v, want %v", tt.name, tt.scope, got, tt.want)
		}
	}
	if got := at("client CPU", "", 35); got != nil {
		t.Errorf("client CPU while nothing was read = %v, want nothing", *got)
	}
	if len(l.Series) != 9 || l.End != 59 {
		t.Errorf("%d series until %v s, want 9 until 59", len(l.Series), l.End)
	}
}
