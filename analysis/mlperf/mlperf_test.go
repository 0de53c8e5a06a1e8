package mlperf

import (
	"math"
	"strings"
	"testing"

	"assay/metric"
	"assay/record"
	"assay/spec"
	"assay/unit"
)

// pointOf makes a point of n calls, one per second, whose first token takes ttft
// and whose nine further ones tpot each.
func pointOf(n int, ttft, tpot func(k int) float64) *metric.Point {
	p := &metric.Point{Begin: 0, End: int64(n) * 1e9}
	tokens := int32(10)
	for k := range n {
		due := int64(k) * 1e9
		first := due + int64(ttft(k)*1e9)
		last := first + int64(9*tpot(k)*1e9)
		p.Requests = append(p.Requests, &metric.Timeline{
			Request: record.Request{ID: int64(k) + 7e9, Phase: record.Measure, Due: due, Sent: due, Done: last, Result: record.OK, UsageOutput: &tokens},
			Events:  []record.Chunk{{At: first, Kind: record.Content}, {At: last, Kind: record.Content}},
		})
	}
	return p
}

func always(v float64) func(int) float64 { return func(int) float64 { return v } }

// slowOnes are slow in the first n calls.
func slowOnes(n int, slow, else_ float64) func(int) float64 {
	return func(k int) float64 {
		if k < n {
			return slow
		}
		return else_
	}
}

func server() spec.MLPerf {
	return spec.MLPerf{Scenario: spec.ServerLoad, Percentile: 99, Samples: 1, MinQueries: 459, MinDuration: unit.Duration(600e9), MaxTTFT: unit.Duration(2e9), MaxTPOT: unit.Duration(1e8)}
}

// Early stopping decides as in LoadGen's table: 662 queries bear one over the
// limit, 661 do not.
func TestServer(t *testing.T) {
	for _, tt := range []struct {
		name       string
		n          int
		ttft, tpot func(int) float64
		valid      bool
		reason     string
	}{
		{"all in time", 700, always(.5), always(.05), true, ""},
		{"one over, enough queries", 662, slowOnes(1, 3, .5), always(.05), true, ""},
		{"one over, a query short", 661, slowOnes(1, 3, .5), always(.05), false, "ttft.v2: 1 of 661 queries over 2 s, which takes at least 662"},
		{"tokens too slow", 700, always(.5), slowOnes(3, .2, .05), false, "tpot.v1"},
		{"too short", 599, always(.5), always(.05), false, "the test lasted"},
		{"too few queries", 458, always(.5), always(.05), false, "458 queries, want at least 459"},
	} {
		r := judge(server(), pointOf(tt.n, tt.ttft, tt.tpot))
		if r.Valid != tt.valid || !strings.Contains(strings.Join(r.Reasons, "\n"), tt.reason) || r.Queries != tt.n {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
	p := pointOf(700, always(.5), always(.05))
	p.Requests[3].Result = record.Timeout
	p.Requests[4].UsageOutput = nil
	r := judge(server(), p)
	if r.Limits[0].Over != 1 || r.Limits[1].Over != 2 || r.TokensPerSecond != nil {
		t.Errorf("a failed call is over both limits and one without a count over TPOT: %+v", r)
	}
	if r := judge(server(), pointOf(700, always(.5), always(.05))); math.Abs(*r.TokensPerSecond-7000/r.Seconds) > 1e-9 || *r.Limits[0].Estimate != .5 {
		t.Errorf("rates and estimates: %+v", r)
	}
}

func TestStreams(t *testing.T) {
	single := spec.MLPerf{Scenario: spec.SingleStream, Percentile: 90, Samples: 1, MinQueries: 64, MinDuration: unit.Duration(60e9)}
	// Of a thousand, 78 worst make the estimate: the 78th of them.
	r := judge(single, pointOf(1000, func(k int) float64 { return float64(k) / 1000 }, always(0)))
	if !r.Valid || math.Abs(*r.Latency-.922) > 1e-6 {
		t.Errorf("single-stream: %+v, latency %v", r, *r.Latency)
	}
	if r := judge(single, pointOf(63, always(1), always(0))); r.Valid || r.Latency != nil {
		t.Errorf("63 queries: %+v", r)
	}
	multi := spec.MLPerf{Scenario: spec.MultiStream, Percentile: 99, Samples: 8, MinQueries: 662, MinDuration: unit.Duration(60e9)}
	p := pointOf(8*662, always(.1), always(0))
	p.Requests[9].Done = p.Requests[9].Due + 5e9 // the slowest sample is its query's time
	if r := judge(multi, p); !r.Valid || r.Queries != 662 || *r.Latency != 5 {
		t.Errorf("multi-stream: %+v", r)
	}
	p.Requests[3].Result = record.Reset
	if r := judge(multi, p); r.Valid || !strings.Contains(r.Reasons[0], "1 of 5296 samples failed") {
		t.Errorf("with a failed sample: %+v", r)
	}
	p.Requests[3].Result = record.Cut
	if r := judge(multi, p); r.Valid || !strings.Contains(r.Reasons[0], "cut") {
		t.Errorf("with a cut sample: %+v", r)
	}
}

func TestOffline(t *testing.T) {
	p := pointOf(100, always(.1), always(0))
	for k, c := range p.Requests {
		c.Due, c.Done = 0, int64(k+1)*1e9
	}
	m := spec.MLPerf{Scenario: spec.Offline, Percentile: 99, Samples: 100, MinQueries: 1, MinDuration: unit.Duration(60e9)}
	r := judge(m, p)
	if !r.Valid || r.Queries != 1 || r.SamplesPerSecond != 1 || *r.TokensPerSecond != 10 || r.Latency != nil {
		t.Errorf("offline: %+v", r)
	}
	m.MinDuration = unit.Duration(101e9)
	if r := judge(m, p); r.Valid {
		t.Errorf("an offline test of 100 s is valid although 101 are wanted: %+v", r)
	}
}
