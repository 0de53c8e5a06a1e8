package watch

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/load"
	"assay/plan"
	"assay/record"
	"assay/unit"
)

// What people watched must be what the bundle says afterwards.
// twoPoints is a run of two launches of two points, ten seconds each.
func twoPoints() plan.Plan {
	p := plan.Plan{Name: "two", Launches: []plan.Launch{{Index: 0, Order: []int{0, 1}}, {Index: 1, Order: []int{1, 0}}}}
	for i := range 2 {
		p.Points = append(p.Points, plan.Point{Index: i, Warmup: unit.Duration(2 * time.Second), Duration: unit.Duration(8 * time.Second), Concurrency: 1})
		p.Expected.PerPoint = append(p.Expected.PerPoint, plan.PointExpect{Point: i, Seconds: 10})
	}
	return p
}

func TestLiveProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &Live{}
		if s := v.Snapshot(); s.Stage != Preparing || s.RunProgress.Known {
			t.Errorf("before the run: %+v", s)
		}
		p := twoPoints()
		v.Begin(p, nil)
		v.EnterLaunch(p.Launches[0])
		v.Enter(Calibrating)
		time.Sleep(2 * time.Second)
		v.Enter(Starting)
		time.Sleep(3 * time.Second)
		tally := &load.Tally{}
		v.EnterPoint(p.Points[0], tally)
		time.Sleep(2 * time.Second)
		v.EnterPhase(record.Measure)
		time.Sleep(3 * time.Second)
		s := v.Snapshot()
		if s.PointProgress != (Progressed{.5, 5 * time.Second, true}) || s.Stage != Measuring {
			t.Errorf("%s, point %+v; want half of it and 5 s left", s.Stage, s.PointProgress)
		}
		// 5 s of this point, 30 s of the others, 3 s to start the other launch and 2 s
		// for the calibration at the end.
		if want := 40 * time.Second; s.RunProgress.Left != want || math.Abs(s.RunProgress.Share-.2) > 1e-9 {
			t.Errorf("run %+v, want %v left and a fifth done", s.RunProgress, want)
		}
		v.EnterPhase(record.Cooldown)
		if s := v.Snapshot(); s.PointProgress.Share != 1 {
			t.Errorf("after the window %+v", s.PointProgress)
		}
		v.Enter(Judging)
		if s := v.Snapshot(); s.RunProgress.Share != 1 {
			t.Errorf("while judging %+v", s.RunProgress)
		}
	})
}

// A point that ends with its requests is as far as they are.
func TestLiveProgressByRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := twoPoints()
		p.Points[0].Requests = 40
		v := &Live{}
		v.Begin(p, nil)
		v.EnterLaunch(p.Launches[0])
		v.EnterPoint(p.Points[0], &load.Tally{})
		v.EnterPhase(record.Measure)
		time.Sleep(time.Second)
		for range 30 {
			v.Ended(&record.Request{Phase: record.Measure, Result: record.OK}, nil)
		}
		got := v.Snapshot().PointProgress
		if got.Share != .75 || got.Left.Round(time.Millisecond) != 333*time.Millisecond {
			t.Errorf("%+v, want three quarters and a third of a second", got)
		}
	})
}

// What points really took tells how long the others will take.
func TestLiveProgressLearns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := twoPoints()
		p.Points[0].Requests, p.Points[1].Requests = 40, 40
		v := &Live{}
		v.Begin(p, nil)
		v.EnterLaunch(p.Launches[0])
		v.EnterPoint(p.Points[0], &load.Tally{})
		time.Sleep(time.Second) // a tenth of what the plan allows
		v.EnterPoint(p.Points[1], &load.Tally{})
		// The second point is taken to be as quick, and both come again.
		if got := v.Snapshot().RunProgress; got.Left != 3*time.Second {
			t.Errorf("%+v, want 3 s left", got)
		}
		time.Sleep(4 * time.Second)
		v.EnterLaunch(p.Launches[1])
		if got := v.Snapshot().RunProgress; got.Left != 5*time.Second {
			t.Errorf("%+v, want the 1 s and the 4 s that the points took", got)
		}
	})
}

func TestLiveRatesAndRing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, p := &Live{}, twoPoints()
		p.Points[0].Concurrency, p.Points[0].Rate = 0, 8
		v.Begin(p, nil)
		v.EnterLaunch(p.Launches[0])
		tally := &load.Tally{}
		v.EnterPoint(p.Points[0], tally)
		if s := v.Snapshot(); !math.IsNaN(s.Achieved) {
			t.Errorf("a rate of %v from nothing", s.Achieved)
		}
		tokens := int32(7)
		for i := range 100 * 4 { // four answers a second, 100 s
			time.Sleep(250 * time.Millisecond)
			if i == 8 {
				v.EnterPhase(record.Measure)
			}
			tally.Begun.Add(2) // every other one never ends
			chunks := []record.Chunk{{Kind: record.Content, At: 5e7}, {Kind: record.Content, At: 6e7}}
			v.Ended(&record.Request{User: -1, Phase: record.Measure, Result: record.OK, Due: 1e7, Sent: 2e7, Done: 6e7, UsageOutput: &tokens}, chunks)
			v.Snapshot()
		}
		s := v.Snapshot()
		if s.Achieved != 4 || s.Offered != 8 || s.OutputTokens != 28 || s.InFlight != 400 {
			t.Errorf("offered %v/s, achieved %v/s, %v tok/s, %d in flight; want 8, 4, 28 and 400", s.Offered, s.Achieved, s.OutputTokens, s.InFlight)
		}
		if len(s.Answers) != ringSeconds || slices.Min(s.Answers) != 4 || slices.Max(s.Tokens) != 28 || math.Abs(s.TTFTs[30]-.04) > 1e-9 {
			t.Errorf("ring of %d s: answers %v, tokens %v, TTFT %v", len(s.Answers), s.Answers, s.Tokens, s.TTFTs)
		}
		if s.TTFT.N != 392 || math.Abs(s.TTFT.P99/.04-1) > liveError || math.Abs(s.ITL.P50/.01-1) > liveError || math.Abs(s.E2E.P90/.05-1) > liveError {
			t.Errorf("TTFT %+v, ITL %+v, E2E %+v; want 40, 10 and 50 ms of 392", s.TTFT, s.ITL, s.E2E)
		}
		if s.Steady.State != Level {
			t.Errorf("constant and called %+v", s.Steady)
		}
		if math.Abs(*s.Client.LagP99/.01-1) > liveError {
			t.Errorf("lag %v, want 10 ms", *s.Client.LagP99)
		}
	})
}

func TestSteadySoFar(t *testing.T) {
	series := func(n int, ttft func(i int) float64) []second {
		list := make([]second, n)
		for i := range list {
			list[i].ok = 50 + int64(i%3)
			list[i].addTTFT(ttft(i))
		}
		return list
	}
	wobble := func(i int) float64 { return .1 + .004*math.Sin(float64(i*i)) }
	f := func(name string, window []second, want SteadyState, sign float64) {
		t.Helper()
		got := steadySoFar(window)
		if got.State != want || sign != 0 && got.Change*sign <= 0 {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	f("nothing", nil, TooEarly, 0)
	f("eleven seconds", series(11, wobble), TooEarly, 0)
	f("wobbling", series(60, wobble), Level, 0)
	f("rising", series(60, func(i int) float64 { return wobble(i) * (1 + float64(i)/60) }), Moving, 1)
	f("settled", series(60, func(i int) float64 { return wobble(i) * (1 + math.Exp(-float64(i)/5)) }), Level, 0)
	f("still settling", series(15, func(i int) float64 { return wobble(i) * (1 + math.Exp(-float64(i)/8)) }), Moving, -1)
	slower := series(30, wobble)
	for i := range slower {
		slower[i].ok = 100 - 2*int64(i)
	}
	f("fewer answers", slower, Moving, -1)
}

func TestLiveSamples(t *testing.T) {
	v := &Live{Gauge: func(name, _ string) (string, int, bool) {
		switch name {
		case "new":
			return "waiting", 0, true
		case "old":
			return "waiting", 1, true
		}
		return "", 0, false
	}}
	v.Begin(twoPoints(), nil)
	sample := func(at int64, source, name, scope string, value float64) record.Sample {
		return record.Sample{At: at, Source: source, Name: name, Scope: scope, Value: &value}
	}
	client := func(at int64, user float64) {
		v.Sampled([]record.Sample{sample(at, "client", "gomaxprocs", "", 2)})
		v.Sampled([]record.Sample{sample(at, "client", "cpu.user.total", "", user), sample(at, "client", "cpu.system.total", "", 1)})
	}
	client(1e9, 10)
	client(2e9, 11.8)
	client(3e9, 12)
	v.Sampled([]record.Sample{sample(1e9, "host", "cpu.psi.some.total", "", 5)})
	v.Sampled([]record.Sample{sample(3e9, "host", "cpu.psi.some.total", "", 5.2)})
	v.Sampled([]record.Sample{sample(1e9, "host", "rapl.energy.total", "package-0", 100), sample(1e9, "host", "rapl.energy.total", "dram", 1)})
	v.Sampled([]record.Sample{sample(2e9, "host", "rapl.energy.total", "package-0", 180), sample(2e9, "host", "rapl.energy.total", "dram", 9)})
	v.Sampled([]record.Sample{sample(1e9, "gpu", "power", "b", 300), sample(1e9, "gpu", "power", "a", 250), sample(1e9, "gpu", "utilisation", "a", .5)})
	v.Sampled([]record.Sample{sample(1e9, "server", "old", "x", 90), sample(1e9, "server", "new", "x", 2), sample(1e9, "server", "new", "y", 4), sample(1e9, "server", "old", "x", 90), {Source: "server", Name: "new"}})
	s := v.Snapshot()
	c := s.Client
	if math.Abs(*c.CPUShareMax-.9) > 1e-9 || math.Abs(*c.CPUShare-.1) > 1e-9 || math.Abs(*c.Pressure-.1) > 1e-9 || *c.HostPower != 80 {
		t.Errorf("processors %v, at most %v, pressure %v, %v W; want 0.1, 0.9, 0.1 and 80", *c.CPUShare, *c.CPUShareMax, *c.Pressure, *c.HostPower)
	}
	if c.Throttled != nil || c.LagP99 != nil {
		t.Error("something is known that nobody read")
	}
	if len(s.GPUs) != 2 || s.GPUs[0].ID != "a" || *s.GPUs[0].Power != 250 || s.GPUs[1].Utilisation != nil {
		t.Errorf("GPUs %+v", s.GPUs)
	}
	if want := []ServerGauge{{"waiting", 6, 3}}; !slices.Equal(s.Server, want) {
		t.Errorf("server %v, want %v: the newer name counts", s.Server, want)
	}
}

// Answers that wait to be recorded are not in flight.
func TestLiveInFlight(t *testing.T) {
	v, p := &Live{}, twoPoints()
	v.Begin(p, nil)
	v.EnterLaunch(p.Launches[0])
	tally := &load.Tally{}
	tally.Begun.Store(5)
	v.EnterPoint(p.Points[0], tally)
	if got := v.Snapshot().InFlight; got != 1 {
		t.Errorf("%d in flight of one user", got)
	}
}

// A run that nobody watches has a nil Live.
func TestNobodyWatches(t *testing.T) {
	var v *Live
	v.Begin(plan.Plan{}, nil)
	v.Enter(Judging)
	v.EnterLaunch(plan.Launch{})
	v.EnterPoint(plan.Point{}, nil)
	v.EnterPhase(record.Measure)
	v.Ended(&record.Request{}, nil)
	v.Sampled(nil)
	v.Tell("x")
}

// The log is bounded and without secrets.
func TestLiveLog(t *testing.T) {
	v := &Live{}
	v.Begin(plan.Plan{}, func(text string) string { return strings.ReplaceAll(text, "secret", "***") })
	for range mostLines + 5 {
		v.Tell("the secret")
	}
	if log := v.Snapshot().Log; len(log) != mostLines || log[0].Text != "the ***" {
		t.Errorf("%d lines, the first %q", len(log), log[0].Text)
	}
}

// What was seen stays as it was seen.
func TestSnapshotSharesNothing(t *testing.T) {
	v := &Live{}
	v.Begin(twoPoints(), nil)
	read := func(at int64, pause, power float64) {
		v.Sampled([]record.Sample{
			{At: at, Source: "client", Name: "gc.pause.max", Value: &pause}, {At: at, Source: "gpu", Name: "power", Scope: "a", Value: &power},
		})
	}
	read(1e9, .001, 300)
	v.Tell("one")
	s := v.Snapshot()
	read(2e9, .5, 400)
	v.Tell("two")
	if *s.Client.GCPauseMax != .001 || *s.GPUs[0].Power != 300 || len(s.Log) != 1 {
		t.Errorf("a snapshot changed: pause %v, %v W, log %v", *s.Client.GCPauseMax, *s.GPUs[0].Power, s.Log)
	}
}
