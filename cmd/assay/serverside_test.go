package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/bundle"
	"assay/metric"
	"assay/record"
	"assay/report"
	"assay/tests/whole"
)

// serverSide runs the example of that name for a second per launch, on a free
// port, and returns its report and its bundle.
func serverSide(t *testing.T) (report.Report, *bundle.Bundle) {
	t.Helper()
	text, err := os.ReadFile("../../examples/server-side.yaml")
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	short := strings.NewReplacer("127.0.0.1:8101", addr, "[assay,", "["+self+",", "duration: 5s", "duration: 1s", "pairs: 8", "pairs: 3", "outputTokens: 16", "outputTokens: 8").Replace(string(text))
	dir := t.TempDir()
	path := filepath.Join(dir, "server-side.yaml")
	if err := os.WriteFile(path, []byte(short), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "runs")
	stdout, stderr, code := call(t, "run", path, "--out", out)
	if code != exitOK {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	t.Log(stdout)
	made := onlyBundle(t, out)
	asJSON, _, _ := call(t, "report", "--json", made)
	var r report.Report
	if err := json.Unmarshal([]byte(asJSON), &r); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(made)
	if err != nil {
		t.Fatal(err)
	}
	return r, b
}

// The simulator's truth is known: it is ready 300 ms after its start, its first
// iteration takes 200 ms longer, 30 µs a prompt token are saved by its prefix
// cache. Bounds on the upper side are wide, for the machine may be busy.
func TestServerSide(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits for what it measures
	r, b := serverSide(t)
	value := func(m metric.Metric, point int) float64 {
		row, ok := r.Estimates.Find(m.ID, "value", point)
		// On a busy machine the readings of a launch may have gaps, and then no figure.
		if !ok || (point == metric.LaunchPoint && len(row.PerLaunch) != 3) {
			t.Errorf("%s at %d: %d launches have it, want 3", m.ID, point, len(row.PerLaunch))
		}
		return row.Value
	}
	within := func(m metric.Metric, point int, low, high float64) {
		t.Helper()
		if got := value(m, point); got < low || got > high {
			t.Errorf("%s at %d = %v, want %v to %v", m.ID, point, got, low, high)
		}
	}
	const launch = metric.LaunchPoint
	within(metric.ColdListening, launch, 0.0001, 10)
	within(metric.ColdReady, launch, 0.3, 10)
	within(metric.ColdFirstRequest, launch, value(metric.ColdReady, launch), 10)
	within(metric.ColdFirstToken, launch, 0.5, 10)
	within(metric.ColdEnd, launch, value(metric.ColdFirstToken, launch), 10)
	within(metric.ColdOverheadTTFT, launch, 0.05, 1)
	within(metric.CacheSavingTTFT, launch, 0.002, 0.2)
	within(metric.CacheColdShare, launch, 0, 0.05)
	within(metric.CacheWarmShare, launch, 0.9, 1)
	within(metric.ServerRunning, 0, 1, 4.1)
	within(metric.ServerQueueTime, 0, 0.001, 1)
	// Little's law: what waits is what comes in a second times how long it waits.
	little := value(metric.RequestThroughput, 0) * value(metric.ServerQueueTime, 0)
	within(metric.ServerQueueDepth, 0, little-0.7, little+0.7)
	within(metric.KVCacheUsage, 0, 0.0001, 0.1)
	within(metric.KVCacheHitRate, 0, 0, 0.05)
	within(metric.ServerTTFT, 0, 0.01, 1)
	throughput := value(metric.OutputThroughput, 0)
	within(metric.ServerOutputThroughput, 0, 0.7*throughput, 1.3*throughput)
	for _, one := range r.Estimates.Readings {
		if one.Scrapes < 9 || one.Failed > 0 || one.Seconds <= 0 || len(one.Engines) != 1 || one.Engines[0] != "vLLM" {
			t.Errorf("readings %+v, want some thirty of a page in vLLM's names", one)
		}
	}
	for launch := range 3 {
		checkApart(t, b, launch)
	}
}

// checkApart wants the requests outside of points under their own phases, and
// the events of the start in their order.
func checkApart(t *testing.T, b *bundle.Bundle, launch int) {
	t.Helper()
	phases := map[record.Phase]int{}
	begin := map[record.Phase]int64{}
	for q, err := range bundle.Rows[record.Request](b, launch, bundle.Requests) {
		if err != nil {
			t.Fatal(err)
		}
		if (q.Point == -1) != (q.Phase == record.Cold || q.Phase == record.Warm || q.Phase == record.CacheCold || q.Phase == record.CacheWarm) {
			t.Errorf("request %d of phase %s has point %d", q.ID, q.Phase, q.Point)
		}
		phases[q.Phase]++
		if _, seen := begin[q.Phase]; !seen {
			begin[q.Phase] = q.Sent
		}
	}
	for phase, want := range map[record.Phase]int{record.Cold: 1, record.Warm: 3, record.CacheCold: 3, record.CacheWarm: 3} {
		if phases[phase] != want {
			t.Errorf("launch %d: %d requests of phase %s, want %d", launch, phases[phase], phase, want)
		}
	}
	if !(begin[record.Cold] < begin[record.Warm] && begin[record.Warm] < begin[record.CacheCold] && begin[record.CacheCold] < begin[record.Warmup]) {
		t.Errorf("launch %d: phases began at %v, want cold, warm, cache, warm-up", launch, begin)
	}
	order := []string{record.ServerStart, record.ServerListening, record.ServerReady, record.ColdSent, record.ColdToken, record.ColdDone}
	last := int64(0)
	for e, err := range bundle.Rows[record.Event](b, launch, bundle.Events) {
		if err != nil {
			t.Fatal(err)
		}
		if len(order) > 0 && e.Name == order[0] {
			if e.At < last || e.Point != -1 {
				t.Errorf("launch %d: %s at %d of point %d, after %d", launch, e.Name, e.At, e.Point, last)
			}
			last, order = e.At, order[1:]
		}
	}
	if len(order) > 0 {
		t.Errorf("launch %d lacks the events %v", launch, order)
	}
}
