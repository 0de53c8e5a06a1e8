package metric

import (
	"math"
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// asked is a request that was due at and whose output events came so many
// milliseconds later.
func asked(hash, due int64, cached int32, at ...int64) *Timeline {
	input := int32(100)
	t := timeline(int32(len(at)))
	t.Due, t.Sent, t.PromptHash, t.UsageCached, t.UsageInput = due*ms, due*ms, hash, &cached, &input
	for _, a := range at {
		t.Events = append(t.Events, record.Chunk{At: (due + a) * ms, Kind: record.Content, TextBytes: 1})
		t.Done = (due + a) * ms
	}
	return t
}

func once(t *testing.T, l *Launch, m Metric, want float64) {
	t.Helper()
	if got, ok := m.Of.(Once)(l); !ok || math.Abs(got-want) > 1e-9 {
		t.Errorf("%s = %v, %v; want %v", m.ID, got, ok, want)
	}
}

func none(t *testing.T, l *Launch, metrics ...Metric) {
	t.Helper()
	for _, m := range metrics {
		if got, ok := m.Of.(Once)(l); ok {
			t.Errorf("%s = %v, want none", m.ID, got)
		}
	}
}

func TestColdStart(t *testing.T) {
	l := &Launch{
		Stages: map[string]int64{record.ServerStart: 5 * ms, record.ServerListening: 25 * ms, record.ServerReady: 105 * ms},
		Apart: map[record.Phase][]*Timeline{
			record.Cold: {asked(1, 205, 0, 100, 200)},
			record.Warm: {asked(2, 500, 0, 10, 60), asked(3, 600, 0, 20, 70)},
		},
	}
	once(t, l, ColdListening, 0.020)
	once(t, l, ColdReady, 0.100)
	once(t, l, ColdFirstRequest, 0.200)
	once(t, l, ColdFirstToken, 0.300)
	once(t, l, ColdEnd, 0.400)
	l.Samples = gpuPoint("power").Samples
	once(t, l, ColdGPUEnergy, 400*0.4) // 400 W for 400 ms
	once(t, l, ColdTTFT, 0.100)
	once(t, l, WarmTTFT, 0.015)
	once(t, l, ColdOverheadTTFT, 0.085)
	once(t, l, ColdOverheadE2E, 0.200-0.065)

	l.Apart[record.Cold][0].Result = record.Timeout // a failed request has no latency
	none(t, l, ColdFirstToken, ColdEnd, ColdGPUEnergy, ColdTTFT, ColdOverheadTTFT, ColdOverheadE2E)
	once(t, l, ColdReady, 0.100)
	none(t, &Launch{}, ColdGPUEnergy, ColdListening, ColdReady, ColdFirstRequest, ColdTTFT, WarmTTFT) // the server was there before
}

func TestCacheProbe(t *testing.T) {
	failed := asked(3, 0, 0, 500)
	failed.Result = record.HTTPError
	l := &Launch{Apart: map[record.Phase][]*Timeline{
		record.CacheCold: {asked(1, 0, 0, 100), asked(2, 0, 10, 140), failed},
		record.CacheWarm: {asked(1, 500, 90, 20), asked(2, 500, 80, 40), asked(3, 500, 96, 30)},
	}}
	once(t, l, CacheColdTTFT, 0.120)
	once(t, l, CacheWarmTTFT, 0.030) // of the pairs alone
	once(t, l, CacheSavingTTFT, 0.090)
	once(t, l, CacheColdShare, 0.05)
	once(t, l, CacheWarmShare, 0.85)
	none(t, &Launch{}, CacheColdTTFT, CacheWarmTTFT, CacheSavingTTFT, CacheWarmShare)
}

// A difference may be negative, and its interval too.
func TestSigned(t *testing.T) {
	var launches []judgedLaunch
	for i, saved := range []int64{-10, 10, 30} {
		one := &launchReader{launch: Launch{Apart: map[record.Phase][]*Timeline{
			record.CacheCold: {asked(1, 0, 0, 100)}, record.CacheWarm: {asked(1, 200, 0, 100-saved)},
		}}}
		launches = append(launches, (&launchCollector{reader: one}).end(bundle.LaunchInfo{Index: i}))
	}
	e := Estimates{Confidence: 0.95}
	if err := e.once("", launches); err != nil {
		t.Fatal(err)
	}
	row, ok := e.Find(CacheSavingTTFT.ID, "value", LaunchPoint)
	if !ok || math.Abs(row.Value-0.010) > 1e-9 || row.Interval.Lo >= 0 || row.CV != nil || len(row.PerLaunch) != 3 {
		t.Errorf("got %+v, want a mean of 10 ms whose interval reaches below zero", row)
	}
}

func TestHereby(t *testing.T) {
	f := func(target *spec.Target, want bool) {
		t.Helper()
		var p plan.Plan
		p.Run.Spec.Target = target
		if got := Here(p.Run.Spec.Target); got != want {
			t.Errorf("%+v: %v, want %v", target, got, want)
		}
	}
	f(nil, false)
	f(&spec.Target{URL: "http://127.0.0.1:8000/v1"}, true)
	f(&spec.Target{URL: "http://[::1]:8000"}, true)
	f(&spec.Target{URL: "http://localhost:8000"}, true)
	f(&spec.Target{URL: "http://gpu-7:8000"}, false)
	f(&spec.Target{URLs: []string{"http://127.0.0.1:1", "http://10.0.0.1:1"}}, false)
	f(&spec.Target{URL: "http://gpu-7:8000", Server: &spec.Server{}}, true)
}
