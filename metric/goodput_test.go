package metric

import (
	"slices"
	"strings"
	"testing"

	"assay/record"
	"assay/spec"
	"assay/unit"
)

// Goodput counts the requests that kept every limit, and nothing else.
func TestGoodput(t *testing.T) {
	request := func(ttft int64, result record.Outcome) *Timeline {
		return &Timeline{
			Request: record.Request{Phase: record.Measure, Done: ttft + 1e8, Result: result},
			Events:  []record.Chunk{{At: ttft, Kind: record.Content}},
		}
	}
	p := &Point{End: 2e9, Requests: []*Timeline{
		request(1e8, record.OK), request(2e8, record.OK), request(2e8, record.OK), // good
		request(4e8, record.OK),      // too late
		request(1e8, record.Timeout), // failed
		request(1e8, record.Dropped), // never sent
		request(1e8, record.Cut),     // neither
		{Request: record.Request{Phase: record.Warmup, Result: record.OK}},
	}}
	if _, ok := Goodput.Whole(p); ok {
		t.Error("goodput without limits")
	}
	p.Declared = &Declared{Limits: limitsOf(sloRun(spec.Objective{Metric: "ttft", Max: unit.Duration(3e8)}))}
	if got, ok := Goodput.Whole(p); !ok || got != 1.5 {
		t.Errorf("goodput %v, %v, want 3 in 2 s", got, ok)
	}
	if good, all := Attainment.Of.(Share)(p); good != 3 || all != 6 {
		t.Errorf("%d of %d are good, want 3 of 6", good, all)
	}
}

func sloRun(list ...spec.Objective) spec.Run { return spec.Run{Spec: spec.RunSpec{SLO: list}} }

// Limits on several metrics must be kept at once, and each is also reported alone.
func TestConjunction(t *testing.T) {
	good := timeline(6, 10, 20, 30)
	stalled := timeline(6, 10, 20, 90)
	slow := timeline(2, 10, 20, 30) // few tokens for its time
	late := timeline(6, 50, 60, 70)
	unknown := timeline(6, 10, 20, 30)
	unknown.UsageOutput = nil
	short := timeline(1, 10) // no gap to keep, and no speed
	refused := timeline(6)
	refused.Result = record.HTTPError
	p := &Point{End: 1e9, Requests: []*Timeline{good, stalled, slow, late, unknown, short, refused}}
	p.Declared = declared(sloRun(
		spec.Objective{Metric: "longest_gap", Max: unit.Duration(40 * ms)},
		spec.Objective{Metric: "user_speed", Min: 60},
		spec.Objective{Metric: "ttft", Max: unit.Duration(45 * ms)},
		spec.Objective{Metric: "ttft", Max: unit.Duration(30 * ms)}, // the tighter counts
		spec.Objective{Metric: "itl", Max: unit.Duration(ms)},       // no request has one of it
		spec.Objective{Metric: "error_rate", MaxRatio: 0.1},
	))
	f := func(id string, want int) {
		t.Helper()
		m := byName(id)
		if good, all := m.Of.(Share)(p); good != want || all != 7 {
			t.Errorf("%s: %d of %d, want %d of 7", id, good, all, want)
		}
	}
	f("slo_attainment_longest_gap", 5) // not stalled, not refused
	f("slo_attainment_user_speed", 4)  // good, stalled (5 tokens in 80 ms), late, short
	f("slo_attainment_ttft", 5)
	f("slo_attainment", 2) // good and short
	if got, ok := Goodput.Whole(p); !ok || got != 2 {
		t.Errorf("goodput = %v, %v; want 2 in 1 s", got, ok)
	}
	if got, ok := TokenGoodput.Whole(p); !ok || got != 7 {
		t.Errorf("token goodput = %v, %v; want 6 + 1 in 1 s", got, ok)
	}
	if _, all := byName("slo_attainment_e2e").Of.(Share)(p); all != 0 {
		t.Errorf("an objective that nobody declared has %d requests", all)
	}
	// The verdict stands when the events are let go.
	for _, one := range p.Requests {
		one.Events = nil
	}
	f("slo_attainment", 2)
}

// spec.slo can limit every metric that has one time or speed for each request,
// and nothing else.
func TestLimitable(t *testing.T) {
	named := map[string]bool{}
	for _, name := range limitable() {
		named[name] = true
	}
	for _, m := range All {
		name, _, _ := strings.Cut(m.ID, ".")
		_, each := m.Of.(Each)
		one := each && !m.Only(Probes) && !m.Only(Sessions) && (m.Unit == unit.Second || m.Unit == unit.TokenPerSecond)
		if inForce, _ := Called(name); m.ID == FirstByte.ID || m.ID != inForce.ID {
			continue // of sounds only; ttfb.v2 is that of text
		}
		if one != named[name] {
			t.Errorf("%s: one value for each request %v, in spec.slo %v", m.ID, one, named[name])
		}
		delete(named, name)
	}
	for name := range named {
		t.Errorf("spec.slo names %s, which is no metric", name)
	}
}

// A request that cannot tell misses a limit, unless there is nothing to keep.
func TestNothingToKeep(t *testing.T) {
	noUsage := timeline(6, 10, 20, 30)
	noUsage.UsageOutput = nil
	reasons := timeline(6, 10, 20, 30)
	reasons.Events[1].Kind = record.Reasoning
	f := func(name string, one *Timeline, want bool) {
		t.Helper()
		o := spec.Objective{Metric: name, Max: unit.Duration(1e12)}
		if slices.Contains(spec.RequestSpeeds, name) {
			o = spec.Objective{Metric: name, Min: 1e-9}
		}
		again := *one // a verdict stands
		if missed, _ := again.verdict(limitsOf(sloRun(o))); (missed != 0) != want {
			t.Errorf("%s: missed %v, want %v", name, missed != 0, want)
		}
	}
	for _, name := range limitable() {
		f(name, timeline(6), !slices.Contains([]string{"e2e", "lag", "service_time", "ntpot", "ttft_event"}, name)) // no output and no time at all
	}
	for _, name := range []string{"tpot", "tpot_done", "user_speed", "ttst", "longest_gap", "jitter_sd", "jitter_step", "ttft_reasoning", "reasoning_time"} {
		f(name, timeline(1, 10), false) // one token
	}
	for _, name := range []string{"tpot", "tpot_done", "tpot_request", "tpot_after_first", "ntpot", "user_speed", "user_speed_e2e", "tpot_tokenizer", "prefill_speed"} {
		f(name, noUsage, true) // no count
	}
	f("jitter_sd", timeline(2, 10, 20), false) // one gap
	f("user_speed", timeline(6, 10), false)    // all at once
	f("tpot_after_first", timeline(6, 10), false)
	f("reasoning_time", reasons, false)
	f("ttft_content", reasons, false)
}
