package plan

import (
	"math"
	"strings"
	"testing"
)

const searching = `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: search}
spec:
  workload: {model: m, concurrencyModel: open_loop}
  target: {url: "http://127.0.0.1:8000"}
  load:
    duration: 60s
    search: {min: 1, max: 64, start: 8}
  slo:
    - {metric: ttft, percentile: 99, max: 300ms}
    - {metric: error_rate, maxRatio: 0.01}
`

// The plan of a search holds every point that any path may visit.
func TestSearch(t *testing.T) {
	p, err := New(parse(t, searching))
	if err != nil {
		t.Fatal(err)
	}
	s := p.Search
	if s == nil || len(p.Points) != 3*len(s.Levels) || len(p.Launches[0].Order) != 0 {
		t.Fatalf("%d points, order %v: want three for each level and no order", len(p.Points), p.Launches[0].Order)
	}
	if s.Levels[0] != 1 || s.Levels[len(s.Levels)-1] != 64 || s.Levels[s.Start] > 8 || s.Levels[s.Start+1] <= 8 {
		t.Errorf("levels %v, start %v", s.Levels, s.Levels[s.Start])
	}
	for i := 1; i < len(s.Levels); i++ {
		if gap := s.Levels[i]/s.Levels[i-1] - 1; gap < .02 || gap > .08 {
			t.Errorf("levels %v and %v are %.3f apart, want 0.05", s.Levels[i-1], s.Levels[i], gap)
		}
	}
	if factor := math.Pow(1.05, float64(s.Step)); factor < 1.9 || factor > 2.1 {
		t.Errorf("%d levels are a factor of %v, want two", s.Step, factor)
	}
	for round, want := range []float64{60, 60, 120} {
		if got := p.Points[s.PointOf(5, round)]; got.Duration.Seconds() != want || got.Rate != s.Levels[5] || got.Index != 15+round {
			t.Errorf("round %d is %+v, want %v s", round+1, got, want)
		}
	}
	// 0.99^n must fall to a third of 1 %.
	if s.Need != 568 {
		t.Errorf("a level holds from %d requests on, want 568", s.Need)
	}
	if part, err := p.Shard(0, 2); err != nil || part.Search == nil || len(part.Points) != len(p.Points) {
		t.Errorf("split: %v", err)
	}
	if p.Expected.Requests == 0 || !strings.Contains(p.Expected.Assumption, "search") {
		t.Errorf("expected %+v", p.Expected)
	}
}

func TestSearchRefuses(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{"duration: 60s", "duration: 1s", "lengthen load.duration"},
		{"start: 8", "resolution: 0.001", "possible points"},
		{"percentile: 99,", "percentile: 99.9999999,", "no sample can show"},
	} {
		if _, err := New(parse(t, strings.Replace(searching, tt.from, tt.to, 1))); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error about %s", tt.to, err, tt.want)
		}
	}
}

// Users are whole, and goodput is one objective with several limits.
func TestSearchOfUsers(t *testing.T) {
	text := strings.NewReplacer("open_loop", "closed_loop", "start: 8", "goodput: 0.95", "- {metric: error_rate", "- {metric: e2e, max: 2s}\n    - {metric: error_rate").Replace(searching)
	p, err := New(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, level := range p.Search.Levels {
		if level != float64(int(level)) || int(level) <= last {
			t.Errorf("levels %v: want rising whole numbers", p.Search.Levels)
		}
		last = int(level)
	}
	if p.Points[3].Concurrency != 2 || p.Points[3].Name != "concurrency=2" {
		t.Errorf("second level %+v", p.Points[3])
	}
	o := p.Search.Objectives
	if len(o) != 2 || o[0].Name != "95 % of requests with ttft ≤ 300ms and e2e ≤ 2s" || math.Abs(o[0].Allowed-.05) > 1e-9 || o[1].Allowed != .01 {
		t.Errorf("objectives %+v", o)
	}
}

// An MLPerf scenario lasts until both of its minima can be met.
func TestMLPerf(t *testing.T) {
	text := strings.Replace(searching, "search: {min: 1, max: 64, start: 8}", "rate: [0.5, 10]\n    mlperf: {scenario: server, benchmark: llama2-70b}", 1)
	p, err := New(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Points[0].Duration.Seconds() * .5; got < 459 {
		t.Errorf("%v requests at 0.5/s, want at least 459", got)
	}
	if p.Points[1].Duration.Seconds() != 600 || p.Points[1].Warmup != 0 || p.Points[1].Arrival != "poisson" {
		t.Errorf("at 10/s: %+v", p.Points[1])
	}
	text = strings.NewReplacer("open_loop", "closed_loop", "search: {min: 1, max: 64, start: 8}", "mlperf: {scenario: multi_stream}").Replace(searching)
	if p, err = New(parse(t, text)); err != nil {
		t.Fatal(err)
	}
	if q := p.Points[0].Query; len(p.Points) != 1 || q == nil || q.Samples != 8 || q.MinQueries != 662 || q.InFlight != 8 || q.Once {
		t.Errorf("multi-stream: %+v", p.Points)
	}
	if _, err := p.Shard(0, 2); err == nil {
		t.Error("queries were split over two load generators")
	}
}
