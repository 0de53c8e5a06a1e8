package run

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/analysis/saturation"
	"assay/bundle"
	"assay/load"
	"assay/record"
	"assay/search"
	"assay/sim"
	"assay/sim/simtest"
	"assay/stats"
	"assay/telemetry"
	"assay/tests/whole"
)

// capacity serves calls one at a time, service apart from each other, on a
// schedule of its own: late wake-ups do not add up. A call that would have to
// wait longer than most is refused.
func capacity(t *testing.T, service, most time.Duration) string {
	t.Helper()
	free := make(chan time.Time, 1) // holds the time at which the server is free
	free <- time.Now()
	return serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		begin := <-free
		if now := time.Now(); begin.Before(now) {
			begin = now
		}
		if time.Until(begin) > most {
			free <- begin
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		end := begin.Add(service)
		free <- end
		select {
		case <-time.After(time.Until(end)):
			reply(w)
		case <-r.Context().Done():
		}
	})
}

// A simulated engine of known capacity is searched over real sockets: one
// sequence at a time, one token each, 20 ms an iteration are 50 calls a second. The answer lies at the capacity, every probe is a point of the
// bundle with its schedule, and the records lead to the same path again.
func TestSearchFindsTheCapacity(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits
	url := simtest.Serve(t, sim.Config{Model: "m", Engine: sim.Engine{MaxSequences: 1, Cost: sim.Cost{Base: 20 * time.Millisecond}}})
	p := openPlan(t, url, `{arrival: constant, duration: 700ms, warmup: {duration: 100ms}, search: {min: 5, max: 300, start: 20, resolution: 0.4, confidence: 0.8, rounds: 3, probes: 12}}, slo: [{metric: ttft, percentile: 60, max: 150ms}]`)
	b := carryOut(t, p)
	path, err := search.Read(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	// 40 % apart: 19.2, 26.9, 37.6, 52.7, 73.8. Nothing makes a level far above the
	// capacity hold; a host that is busy with other things may lose one below it.
	if a := path.Answer; a.Holds != nil && *a.Holds > 55 {
		t.Errorf("answer %s, the server does 50 a second", a)
	}
	if a := path.Answer; quiet(t, b) && (a.Holds == nil || *a.Holds < 15 || a.Fails == nil || *a.Fails < 26) {
		t.Errorf("answer %s, the server does 50 a second: %+v", a, path.Steps)
	}
	steps := 0
	for _, e := range rows[record.Event](t, b, bundle.Events) {
		if e.Name == record.SearchStep {
			steps++
		}
	}
	if steps != len(path.Steps) {
		t.Errorf("%d events, %d steps", steps, len(path.Steps))
	}
	for _, step := range path.Steps {
		if _, err := b.ReadFile("raw/launch-00/schedule-" + twoDigits(step.Point) + ".json"); err != nil {
			t.Error(err)
		}
		if step.Verdict == search.Holds && step.Saturated || len(step.Evidence) != 1 {
			t.Errorf("step %+v", step)
		}
	}
	if err := search.Replay(b, *p.Search, 0, path); err != nil {
		t.Error(err)
	}
	forged := path
	forged.Steps = append([]search.Step(nil), path.Steps...)
	forged.Steps[0].Verdict += "!"
	if search.Replay(b, *p.Search, 0, forged) == nil {
		t.Error("a forged verdict was not noticed")
	}
	t.Logf("%d probes: %s", len(path.Steps), path.Answer)
}

// quiet reports whether the host let calls leave in time: three of four within 20
// ms of when they were due.
func quiet(t *testing.T, b *bundle.Bundle) bool {
	t.Helper()
	var lags []int64
	for _, r := range rows[record.Request](t, b, bundle.Requests) {
		lags = append(lags, r.Sent-r.Due)
	}
	slices.Sort(lags)
	if lag := time.Duration(lags[len(lags)*3/4]); lag > 20*time.Millisecond {
		t.Logf("calls left %v late: the host is too busy to hold it to a level", lag)
		return false
	}
	return true
}

func twoDigits(n int) string {
	if n < 10 {
		return "0" + string(rune('0'+n))
	}
	return string(rune('0'+n/10)) + string(rune('0'+n%10))
}

// A closed loop is searched for users: a server of 24 places refuses the others.
// Calls that the point before left behind take some, and on a busy host 32 users do
// not fill them all the time: the search may then end undecided there.
func TestSearchOfUsers(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits
	var inside atomic.Int64
	url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		full := inside.Add(1) > 24
		if !full {
			time.Sleep(60 * time.Millisecond)
		}
		inside.Add(-1) // before the answer: its user may ask again at once
		if full {
			http.Error(w, "full", http.StatusServiceUnavailable)
			return
		}
		reply(w)
	})
	p := planOf(t, `workload: {model: m, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]}, target: {url: "`+url+`"},
		load: {duration: 600ms, warmup: {}, search: {min: 2, max: 256, start: 4, resolution: 1, confidence: 0.8, rounds: 2}},
		slo: [{metric: error_rate, maxRatio: 0.1}]`)
	p.Launches = p.Launches[:1]
	b := carryOut(t, p)
	path, err := search.Read(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !quiet(t, b) {
		t.Skip("users that wait for a processor do not fill the server's places: want an idle machine")
	}
	last := path.Steps[len(path.Steps)-1]
	undecided := last.Verdict == search.Undecided && last.Load >= 32 && last.Load <= 128
	a := path.Answer
	if holds := a.Holds != nil && *a.Holds >= 8 && *a.Holds <= 32; !holds {
		t.Errorf("answer %s; 16 users fit, 64 do not: %+v", a, path.Steps)
	}
	if fails := a.Fails != nil && *a.Fails >= 32 && *a.Fails <= 128; !fails && !undecided {
		t.Errorf("answer %s; 64 users do not fit: %+v", a, path.Steps)
	}
}

// A server that is offered five times what it can do is seen to be saturated; the
// point ends early where the plan says so, and everything is accounted for.
func TestSaturatedPointStops(t *testing.T) {
	t.Parallel() // it mostly waits
	url := capacity(t, 50*time.Millisecond, time.Hour)
	p := openPlan(t, url, `{rate: [100], arrival: constant, duration: 6s, warmup: {duration: 200ms}, stopWhenSaturated: true}`)
	b := carryOut(t, p)
	var growth stats.QueueGrowth
	if err := json.Unmarshal([]byte(event(t, b, record.PointSaturated).Detail), &growth); err != nil {
		t.Fatal(err)
	}
	if growth.Slope < 20 || growth.Slope > 150 || growth.Rate < 40 || growth.P > .01 {
		t.Errorf("growth %+v, want about 80 a second of 100", growth)
	}
	window := event(t, b, record.WindowEnd).At - event(t, b, record.WindowBegin).At
	if window <= 0 || window >= int64(6*time.Second) {
		t.Errorf("the window lasted %v, want less than 6 s", time.Duration(window))
	}
	if list, err := saturation.Findings(b, p); err != nil || len(list) != 1 || !strings.Contains(list[0].Message, "the point was ended there") {
		t.Errorf("findings %v, %v", list, err)
	}
	if detail := event(t, b, record.PointBalance).Detail; strings.Contains(detail, `"cut":0`) || !strings.Contains(detail, `"failed":0`) {
		t.Errorf("balance %s; what is in flight is cut and does not count against the server", detail)
	}
}

// A server that keeps up is left alone, and without being asked to a saturated
// point goes on to its end.
func TestUnsaturatedPoints(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits
	quick := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { time.Sleep(5 * time.Millisecond); reply(w) })
	b := carryOut(t, openPlan(t, quick, `{rate: [30], duration: 1200ms, warmup: {duration: 100ms}, stopWhenSaturated: true}`))
	for _, e := range rows[record.Event](t, b, bundle.Events) {
		if e.Name == record.PointSaturated {
			t.Errorf("a server that keeps up is called saturated: %s", e.Detail)
		}
	}
	slow := capacity(t, 50*time.Millisecond, 500*time.Millisecond)
	b = carryOut(t, openPlan(t, slow, `{rate: [60], arrival: constant, duration: 1200ms, warmup: {}}`))
	if window := event(t, b, record.WindowEnd).At - event(t, b, record.WindowBegin).At; window != int64(1200*time.Millisecond) {
		t.Errorf("the window lasted %v, want 1.2 s", time.Duration(window))
	}
}

// A long point is watched to its end at a falling pace.
func TestQueueWatchThinsOut(t *testing.T) {
	if got := halved([]int64{0, 1, 2, 3, 4, 5}); len(got) != 3 || got[1] != 2 || got[2] != 4 {
		t.Errorf("halved to %v", got)
	}
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	l := &activeLaunch{clock: clock}
	w := &queueWatch{clock: clock, tally: &load.Tally{}, ended: &l.counter.ended, next: 20, stride: 1, open: true, grew: func(stats.QueueGrowth) {}}
	for range 5000 {
		w.sample()
	}
	if len(w.at) >= mostSamples || len(w.at) != len(w.inFlight) || len(w.at) != len(w.response) || w.stride < 16 {
		t.Errorf("%d samples at every %d ticks", len(w.at), w.stride)
	}
}

// A target that answers nothing is a failed launch, not an answer.
func TestSearchOfNothing(t *testing.T) {
	t.Parallel() // it mostly waits
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such model", http.StatusNotFound) })
	p := openPlan(t, url, `{duration: 200ms, warmup: {}, search: {min: 50, max: 100, confidence: 0.8}}, slo: [{metric: ttft, percentile: 50, max: 1s}]`)
	host := telemetry.Local(t.Context())
	defer host.Close()
	result, err := Execute(t.Context(), p, Options{
		Source: []byte("test"), Out: t.TempDir(), Tool: bundle.Tool{Name: "test", Version: "0"}, Now: time.Now(), Host: host,
	})
	if err == nil || !strings.Contains(err.Error(), "not one request succeeded") {
		t.Errorf("error %v, want one that says that nothing succeeded", err)
	}
	if result == nil || result.Status != bundle.Failed {
		t.Fatalf("result %+v, want a failed bundle", result)
	}
	if err := result.Bundle.Abandon(); err != nil {
		t.Error(err)
	}
}
