package run

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/plan"
	"assay/spec"
	"assay/target"
)

func TestDemand(t *testing.T) {
	f := func(want demand, tokens int, itl time.Duration, points ...plan.Point) {
		t.Helper()
		got := demandOf(plan.Plan{Points: points})
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if truth := got.truth(1); truth.Tokens != tokens || time.Duration(truth.ITLNS) != itl {
			t.Errorf("%+v: %d tokens every %v, want %d every %v", got, truth.Tokens, time.Duration(truth.ITLNS), tokens, itl)
		}
		truth := got.truth(1)
		if e := float64(got.streams)*1e9/float64(truth.ITLNS) + got.rate*float64(truth.Tokens); e > mostEvents {
			t.Errorf("%+v asks the simulator for %.0f events a second, want at most %d", got, e, mostEvents)
		}
	}
	closed := func(n int) plan.Point { return plan.Point{Name: "c", Concurrency: n} }
	open := func(rate float64) plan.Point {
		return plan.Point{Name: "o", Rate: rate, Arrival: "poisson", MaxInFlight: 10000}
	}
	f(demand{point: "c", streams: 16}, 16, 10*time.Millisecond, closed(1), closed(16), closed(4))
	f(demand{point: "c", streams: 10_000}, 25, 200*time.Millisecond, closed(500), closed(10_000), closed(1000))
	f(demand{point: "o", rate: 100}, 25, 10*time.Millisecond, open(1), open(100))
	f(demand{point: "o", rate: 5000}, 10, 10*time.Millisecond, open(5000))
	f(demand{point: "r", rate: 30}, 25, 10*time.Millisecond, plan.Point{Name: "r", Arrival: "poisson", Stages: []spec.Stage{{Rate: 30}, {Rate: 2}}})
	f(demand{point: "t", streams: 8}, 10, 10*time.Millisecond, plan.Point{Name: "t", Arrival: "trace", MaxInFlight: 8})
	f(demand{streams: 1}, 10, 10*time.Millisecond)

	if truth := (demand{streams: 1000}).truth(2); time.Duration(truth.ITLNS) != 10*time.Millisecond {
		t.Errorf("1,000 streams of a simulator on two processors: a token every %v, want 10ms", time.Duration(truth.ITLNS))
	}
	half := demandOf(plan.Plan{Points: []plan.Point{open(100)}, Part: &plan.Part{Index: 0, Count: 2}})
	if half.rate != 50 {
		t.Errorf("half of 100/s is %v/s", half.rate)
	}
}

func TestNotCovered(t *testing.T) {
	f := func(cfg target.Config, s spec.RunSpec, want ...string) {
		t.Helper()
		got := notCovered(s, cfg)
		if len(got) != len(want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("got %q, want %q", got[i], want[i])
			}
		}
	}
	no := false
	chat := spec.RunSpec{Target: &spec.Target{API: "openai-chat"}, Load: &spec.Load{}}
	f(target.Config{URLs: []string{"http://127.0.0.1:8000"}}, chat, "the target's own use")
	f(target.Config{URLs: []string{"http://[::1]:8000", "https://example.com"}, HTTP2: true}, chat, "the network")
	f(target.Config{URLs: []string{"http://127.0.0.1:8000"}, Proxy: &url.URL{Host: "p"}}, chat, "the proxy", "the target's own use")
	f(target.Config{URLs: []string{"http://localhost"}},
		spec.RunSpec{Target: &spec.Target{API: "tgi"}, Load: &spec.Load{Stream: &no}}, "the target's own use", "the framing of tgi", "answers that are not streamed")
}

// The client is measured with users that begin as those of the run do.
func TestDemandBeginsTogether(t *testing.T) {
	p := plan.Plan{Points: []plan.Point{{Name: "concurrency=4", Concurrency: 4}}}
	if demandOf(p).together {
		t.Error("users are spread in the run and begin together in its calibration")
	}
	p.Points[0].Start = spec.StartTogether
	if !demandOf(p).together {
		t.Error("users begin together in the run and are spread in its calibration")
	}
}
