package metric

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"assay/record"
)

// A pageLine is one value of a metrics page.
type pageLine struct {
	name, labels string
	value        float64
	counts       bool // it grows
}

func readPage(t *testing.T, path string) (lines []pageLine) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	kinds := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		text := s.Text()
		if rest, ok := strings.CutPrefix(text, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			kinds[name] = kind
		}
		if strings.HasPrefix(text, "#") {
			continue
		}
		series, number, _ := strings.Cut(text, " ")
		if i := strings.LastIndex(text, "} "); i > 0 {
			series, number = text[:i+1], text[i+2:]
		}
		value, err := strconv.ParseFloat(number, 64)
		if err != nil {
			t.Fatalf("%s: %s: %v", path, text, err)
		}
		name, labels, _ := strings.Cut(series, "{")
		lines = append(lines, pageLine{name, "{" + labels, value, kinds[name] != "gauge"})
	}
	return lines
}

// readEverySecond is a point whose page was read at 0, 1 … 10 s and measured from
// 2 to 8 s. Gauges stay; counters grow by their value every second.
func readEverySecond(lines []pageLine) *Point {
	b := &SampleSet{bySource: map[string][]*series{}}
	for second := range int64(11) {
		for _, l := range lines {
			v := l.value
			if l.counts {
				v *= float64(second)
			}
			b.add(record.Sample{At: second * 1000 * ms, Source: "server", Name: l.name, Scope: "host:1" + l.labels, Value: &v})
		}
	}
	b.finish()
	return &Point{Begin: 2000 * ms, End: 8000 * ms, Samples: b}
}

// TestPages reads every recording: the figures follow from its lines, and every
// name of the table stands on one of them.
func TestPages(t *testing.T) {
	want := map[string]map[string]float64{
		"vllm-0.11.txt": {
			"server_running.v1": 40, "server_queue_depth.v1": 3, "server_queue_depth_max.v1": 3, "server_queue_time.v1": 0.01,
			"kv_cache_usage.v1": 0.375, "kv_cache_usage_max.v1": 0.5, "kv_cache_hit_rate.v1": 0.25, "server_preemptions.v1": 12, "draft_acceptance.v1": 0.75,
			"server_prompt_throughput.v1": 40000, "server_output_throughput.v1": 9000, "server_ttft.v1": 0.08,
			"server_iteration_tokens.v1": 35000. / 90,
		},
		"vllm-0.8.txt": {
			"server_running.v1": 7, "server_queue_depth.v1": 1, "server_queue_depth_max.v1": 1, "kv_cache_usage.v1": 0.125, "kv_cache_usage_max.v1": 0.125, "kv_cache_hit_rate.v1": 0.6,
		},
		"vllm-0.5.txt": {
			"server_running.v1": 9, "server_queue_depth.v1": 2, "server_queue_depth_max.v1": 2, "kv_cache_usage.v1": 0.75, "kv_cache_usage_max.v1": 0.75,
			"kv_cache_hit_rate.v1": 0.4, "server_queue_time.v1": 0.5, "draft_acceptance.v1": 0.8,
		},
		"sglang-0.5.txt": {
			"server_running.v1": 12, "server_queue_depth.v1": 5, "server_queue_depth_max.v1": 5, "server_queue_time.v1": 0.05,
			"kv_cache_usage.v1": 0.3, "kv_cache_usage_max.v1": 0.3, "kv_cache_hit_rate.v1": 0.25, "draft_acceptance.v1": 0.6,
			"server_prompt_throughput.v1": 8000, "server_output_throughput.v1": 1600, "server_ttft.v1": 0.25,
		},
		"sglang-0.4.txt": {
			"server_running.v1": 4, "server_queue_depth.v1": 0, "server_queue_depth_max.v1": 0, "kv_cache_hit_rate.v1": 0.28,
		},
		"tgi-3.txt": {
			"server_running.v1": 6, "server_queue_depth.v1": 2, "server_queue_depth_max.v1": 2, "server_queue_time.v1": 0.02,
			"server_prompt_throughput.v1": 3000, "server_output_throughput.v1": 900,
		},
		"trtllm-serve-1.1.txt": {
			"server_running.v1": 3, "server_queue_depth.v1": 1, "server_queue_depth_max.v1": 1, "server_queue_time.v1": 0.02,
			"kv_cache_usage.v1": 0.45, "kv_cache_usage_max.v1": 0.45, "kv_cache_hit_rate.v1": 0.35, "server_ttft.v1": 0.1,
		},
		"triton-25.06-trtllm.txt": {
			"server_running.v1": 11, "server_queue_depth.v1": 4, "server_queue_depth_max.v1": 4, "server_queue_time.v1": 0.002,
			"kv_cache_usage.v1": 0.2, "kv_cache_usage_max.v1": 0.2, "server_ttft.v1": 0.08,
		},
		"triton-25.06.txt": {"server_queue_depth.v1": 9, "server_queue_depth_max.v1": 9},
		"llamacpp-b4000.txt": {
			"server_running.v1": 2, "server_queue_depth.v1": 46, "server_queue_depth_max.v1": 46, "kv_cache_usage.v1": 0.15, "kv_cache_usage_max.v1": 0.15,
			"server_prompt_throughput.v1": 700, "server_output_throughput.v1": 350,
		},
	}
	pages, err := filepath.Glob("testdata/pages/*.txt")
	if err != nil || len(pages) != len(want) {
		t.Fatalf("%d recordings, %d expectations (%v)", len(pages), len(want), err)
	}
	seen := map[string]bool{}
	for _, path := range pages {
		lines := readPage(t, path)
		for _, l := range lines {
			seen[l.name] = true
		}
		p := readEverySecond(lines)
		for _, m := range All {
			whole, one := m.Of.(Whole)
			if !m.Only(Telemetry) || !one {
				continue
			}
			got, ok := whole(p)
			figure, wanted := want[filepath.Base(path)][m.ID]
			if ok != wanted || (ok && math.Abs(got-figure) > 1e-9) {
				t.Errorf("%s: %s = %v, %v; want %v, %v", path, m.ID, got, ok, figure, wanted)
			}
		}
	}
	for _, n := range serverNames {
		if !seen[n.name] || (n.per != "" && !seen[n.per]) {
			t.Errorf("no recording has %s %s", n.name, n.per)
		}
	}
}

// timed is a series with a reading at each of the given milliseconds.
func timed(at []int64, value ...float64) *series {
	s := &series{value: value}
	for _, a := range at {
		s.at = append(s.at, a*ms)
	}
	b := &SampleSet{bySource: map[string][]*series{"x": {s}}}
	b.finish()
	return s
}

func TestSeriesOver(t *testing.T) {
	f := func(name string, s *series, begin, end int64, want window, ok bool) {
		t.Helper()
		got, known := s.over(begin*ms, end*ms)
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
		if known != ok || !near(got.mean, want.mean) || !near(got.increase, want.increase) || got.peak != want.peak || got.readings != want.readings {
			t.Errorf("%s: got %+v, %v; want %+v, %v", name, got, known, want, ok)
		}
	}
	even := []int64{0, 100, 200, 300, 400, 500}
	// From 50 to 350: trapezoids of 0.5…1, 1…2, 2…3 and 3…3.5.
	f("a ramp", timed(even, 0, 1, 2, 3, 4, 5), 50, 350, window{mean: 2, increase: 3, peak: 3, readings: 3}, true)
	f("a restart", timed(even, 10, 20, 2, 6, 8, 9), 0, 500, window{mean: (15 + 11 + 4 + 7 + 8.5) / 5, increase: 10 + 2 + 4 + 2 + 1, peak: 20, readings: 5}, true)
	f("too few readings", timed(even, 0, 1, 2, 3, 4, 5), 110, 390, window{readings: 2}, false)
	f("not read at the end", timed(even, 0, 1, 2, 3, 4, 5), 100, 700, window{readings: 5}, false)
	f("before the first reading", timed(even, 0, 1, 2, 3, 4, 5), -400, 400, window{readings: 4}, false)
	gap := []int64{0, 100, 200, 300, 900, 1000, 1100, 1200}
	f("a gap", timed(gap, 0, 1, 2, 3, 4, 5, 6, 7), 0, 1200, window{readings: 7}, false)
	f("beside the gap", timed(gap, 0, 1, 2, 3, 4, 5, 6, 7), 0, 300, window{mean: 1.5, increase: 3, peak: 2, readings: 3}, true)
	f("one reading", timed([]int64{5}, 1), 0, 10, window{readings: 1}, false)
	f("none", timed(nil), 0, 10, window{}, false)
}

// A counter that a page shows only once it has counted began at zero when the
// page was last read without it; a gauge was simply unknown.
func TestCounterBeginsAtZero(t *testing.T) {
	b := &SampleSet{bySource: map[string][]*series{}}
	add := func(name, scope string, second int64, v float64) {
		b.add(record.Sample{At: second * 1000 * ms, Source: "server", Name: name, Scope: scope, Value: &v})
	}
	for second := range int64(9) {
		add("up", "host:1", second, 1)
		add("up", "host:2", second, 1)
		add("sglang:prompt_tokens_total", `host:1{m="x"}`, second, 100*float64(second))
		if second >= 4 {
			add("sglang:cached_tokens_total", `host:1{m="x"}`, second, 50*float64(second-3))
			add("sglang:num_queue_reqs", `host:1{m="x"}`, second, 7)
		}
	}
	b.finish()
	p := &Point{Begin: 3000 * ms, End: 8000 * ms, Samples: b}
	if got, ok := KVCacheHitRate.Whole(p); !ok || math.Abs(got-0.5) > 1e-9 {
		t.Errorf("hit rate = %v, %v; want 250 of 500 tokens", got, ok)
	}
	if got, ok := ServerQueueDepth.Whole(p); ok {
		t.Errorf("queue depth = %v from a gauge that was not there for a fifth of the window", got)
	}
}

// gpuPoint has two devices, read every 100 ms, and two requests of five tokens
// that arrive in the window of one second.
func gpuPoint(names ...string) *Point {
	b := &SampleSet{bySource: map[string][]*series{}}
	add := func(source, name, scope string, at int64, v float64) {
		b.add(record.Sample{At: at * ms, Source: source, Name: name, Scope: scope, Value: &v})
	}
	for at := int64(0); at <= 1200; at += 100 {
		for _, name := range names {
			for device, watts := range []float64{100, 300} {
				v := map[string]float64{"power": watts, "energy.total": 1e6 + 2*watts*float64(at)/1000, "utilisation": watts / 400, "memory.used": watts}[name]
				add("gpu", name, strconv.Itoa(device), at, v)
			}
		}
		add("host", "rapl.energy.total", "package-0 (intel-rapl:0)", at, 50*float64(at)/1000)
		add("host", "rapl.energy.total", "core (intel-rapl:0:0)", at, 20*float64(at)/1000)
		add("host", "rapl.energy.total", "dram (intel-rapl:0:1)", at, 5*float64(at)/1000)
	}
	b.finish()
	requests := []*Timeline{timeline(5, 200, 300), timeline(5, 400, 500)}
	for _, r := range requests {
		r.Sent = 150 * ms // inside, as all of its time
	}
	return &Point{Begin: 100 * ms, End: 1100 * ms, Samples: b, Requests: requests}
}

func TestEnergy(t *testing.T) {
	f := func(p *Point, m Metric, want float64) {
		t.Helper()
		if got, ok := m.Whole(p); !ok || math.Abs(got-want) > 1e-6 {
			t.Errorf("%s = %v, %v; want %v", m.ID, got, ok, want)
		}
	}
	counted := gpuPoint("power", "energy.total", "utilisation", "memory.used")
	f(counted, GPUPower, 400)
	f(counted, GPUEnergy, 800) // the counter says twice what the readings of power do
	f(counted, GPUUtilisation, 0.5)
	f(counted, GPUMemory, 400)
	f(counted, EnergyPerOutputToken, 80)
	f(counted, EnergyPerRequest, 400)
	f(counted, HostEnergy, 55) // the core zone is part of its package
	f(gpuPoint("power"), GPUEnergy, 400)
	f(gpuPoint("power"), EnergyPerRequest, 200)
	counted.Samples.leaveHost()
	for _, m := range []Metric{GPUPower, GPUEnergy, EnergyPerRequest, HostEnergy} {
		if got, ok := m.Whole(counted); ok {
			t.Errorf("%s = %v for a target elsewhere, want none", m.ID, got)
		}
	}
	idle := gpuPoint("power")
	idle.Requests = nil
	if got, ok := EnergyPerRequest.Whole(idle); ok {
		t.Errorf("energy per request without requests = %v, want none", got)
	}
}

// The client's mean is compared with the server's.
func TestTTFTGap(t *testing.T) {
	p := readEverySecond([]pageLine{
		{"vllm:time_to_first_token_seconds_sum", "{}", 0.3, true}, {"vllm:time_to_first_token_seconds_count", "{}", 10, true},
	})
	p.Requests = []*Timeline{timeline(2, 30, 40), timeline(2, 40, 50)}
	if got, ok := ServerTTFTGap.Whole(p); !ok || math.Abs(got-0.005) > 1e-9 {
		t.Errorf("gap = %v, %v; want 5 ms: 35 ms seen, 30 ms said", got, ok)
	}
	p.Requests = nil
	if got, ok := ServerTTFTGap.Whole(p); ok {
		t.Errorf("gap without requests = %v", got)
	}
}

func TestReadings(t *testing.T) {
	p := readEverySecond(readPage(t, "testdata/pages/tgi-3.txt"))
	for second := range int64(11) {
		up := record.Sample{At: second * 1000 * ms, Source: "server", Name: "up", Scope: "host:1"}
		if one := 1.0; second != 4 {
			up.Value = &one
		}
		took := float64(second) / 1000
		p.Samples.add(up)
		p.Samples.add(record.Sample{At: second * 1000 * ms, Source: "server", Name: "scrape.time", Scope: "host:1", Value: &took})
	}
	got := readings(0, []judgedPoint{{point: p}, {point: &Point{}}})
	if got.Scrapes != 6 || got.Failed != 1 || got.Slowest != 0.007 || math.Abs(got.Seconds-0.0045) > 1e-12 || len(got.Engines) != 1 || got.Engines[0] != "TGI" {
		t.Errorf("got %+v", got)
	}
}
