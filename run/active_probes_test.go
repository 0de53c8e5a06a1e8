package run

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"assay/bundle"
	"assay/metric"
	"assay/record"
)

// Probes go out on their own schedule beside a load that is stuck, are marked,
// counted apart, and enter no metric of the load.
func TestProbes(t *testing.T) {
	t.Parallel()
	var small atomic.Int64
	url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength < 300 {
			small.Add(1)
			reply(w)
			return
		}
		time.Sleep(150 * time.Millisecond)
		reply(w)
	})
	p := planOf(t, fmt.Sprintf(`workload: {model: m, sequenceLengthMix: [{inputTokens: 200, outputTokens: 1, weight: 1}]},
		target: {url: %q}, load: {concurrency: [2], duration: 1s, warmup: {duration: 200ms}, probe: {every: 100ms, inputTokens: 3, outputTokens: 2}}`, url))
	p.Launches = p.Launches[:1]
	b := carryOut(t, p)
	var probes, load int64
	dues := map[int64]bool{}
	for _, r := range rows[record.Request](t, b, bundle.Requests) {
		if r.Phase != record.Probe {
			load++
			continue
		}
		probes++
		dues[r.Due] = true
		if r.ID >= 0 || r.AskedInput != 3 || r.AskedOutput != 2 || r.User != -1 {
			t.Errorf("probe %+v", r)
		}
	}
	// 1.2 s and the last answers, one every 100 ms; a machine that stands still
	// sends the late ones at once.
	if probes < 12 || int64(len(dues)) != probes {
		t.Errorf("%d probes due at %d times, want at least 12, each at its own", probes, len(dues))
	}
	var health Health
	if err := json.Unmarshal(b.Manifest.Health, &health); err != nil {
		t.Fatal(err)
	}
	var told Balance
	if err := json.Unmarshal([]byte(event(t, b, record.ProbeBalance).Detail), &told); err != nil {
		t.Fatal(err)
	}
	if health.Probes != told || health.Probes.Begun != probes || health.Balance.Begun != load || health.Requests != load {
		t.Errorf("health %+v, event %+v; records hold %d probes and %d calls", health, told, probes, load)
	}
	estimates, _, err := metric.JudgeWatched(b, p, "test", metric.Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	row := func(m metric.Metric, statistic string) metric.Row {
		t.Helper()
		r, ok := estimates.Find(m.ID, statistic, 0)
		if !ok {
			t.Fatalf("no row %s %s", m.ID, statistic)
		}
		return r
	}
	if got := row(metric.ProbeTTFT, "p50"); got.PerLaunch[0].N < 8 || got.Value > row(metric.TTFT, "p50").Value {
		t.Errorf("probe TTFT %+v", got)
	}
	if got := row(metric.E2E, "p50"); got.Value < 0.14 {
		t.Errorf("E2E of the load is %v s: probes are in it", got.Value)
	}
	if got := row(metric.ProbeErrorRate, "value"); got.Value != 0 {
		t.Errorf("probe error rate %v", got.Value)
	}
	// Two users alone get 13 answers a second, and with the probes' it were 23.
	if got := row(metric.RequestThroughput, "value").Value; got > 18 {
		t.Errorf("request throughput %v: probes are in it", got)
	}
	if small.Load() < probes/2 {
		t.Errorf("the server saw %d probes of %d", small.Load(), probes)
	}
}

// Probes that fail count against nothing but themselves.
func TestProbesFail(t *testing.T) {
	url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength < 300 {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		reply(w)
	})
	p := planOf(t, fmt.Sprintf(`workload: {model: m, sequenceLengthMix: [{inputTokens: 200, outputTokens: 1, weight: 1}]},
		target: {url: %q}, load: {concurrency: [1], duration: 300ms, warmup: {}, thinkTime: 10ms, probe: {every: 20ms}}`, url))
	p.Launches = p.Launches[:1]
	b := carryOut(t, p)
	estimates, _, err := metric.JudgeWatched(b, p, "test", metric.Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := estimates.Find(metric.ProbeErrorRate.ID, "value", 0); !ok || r.Value != 1 {
		t.Errorf("probe error rate %+v, want 1", r)
	}
	if r, ok := estimates.Find(metric.ErrorRate.ID, "value", 0); !ok || r.Value != 0 {
		t.Errorf("error rate of the load %+v, want 0", r)
	}
}
