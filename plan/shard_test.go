package plan

import (
	"math/rand/v2"
	"strings"
	"testing"

	"assay/spec"
)

const openDocument = `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: open}
spec:
  workload:
    model: m
    concurrencyModel: open_loop
    sequenceLengthMix: [{inputTokens: 100, outputTokens: 41, weight: 1}]
  target: {url: "http://127.0.0.1:8000"}
  load: {rate: [5, 50.5], arrival: gamma, burstiness: 0.5, duration: 10s, requests: 7, maxInFlight: 64, cancel: {share: 0.1, after: 1s}}
`

func TestOpenPoints(t *testing.T) {
	p, err := New(parse(t, openDocument))
	if err != nil {
		t.Fatal(err)
	}
	point := p.Points[1]
	if !point.Open() || point.Name != "rate=50.5/s" || point.Arrival != spec.ArrivalGamma || point.Burstiness != 0.5 || point.MaxInFlight != 64 || point.Cancel.Share != 0.1 {
		t.Errorf("point = %+v", point)
	}
	closed, err := New(parse(t, document))
	if err != nil {
		t.Fatal(err)
	}
	if closed.Points[0].Open() {
		t.Error("a closed loop is taken for an open one")
	}
	stages, err := New(parse(t, strings.NewReplacer("rate: [5, 50.5], arrival: gamma, burstiness: 0.5", "stages: [{duration: 10s, rate: 10, ramp: linear}, {duration: 5s, rate: 10}, {duration: 10s, rate: 100, ramp: exponential}]",
		", requests: 7", "").Replace(openDocument)))
	if err != nil {
		t.Fatal(err)
	}
	// 50 along the line, 50 at rest, 90/ln 10 × 10 = 390.9 along the curve.
	if got := stages.Expected.PerPoint[0]; len(stages.Points) != 1 || got.Requests != 490 || stages.Points[0].Duration.Seconds() != 25 {
		t.Errorf("stages give %d points, %d requests in %v, want 1, 490 and 25s", len(stages.Points), got.Requests, stages.Points[0].Duration)
	}
}

// Stages of a closed loop are one point with as many users as the largest stage,
// which shards divide.
func TestClosedStages(t *testing.T) {
	p, err := New(parse(t, strings.NewReplacer("open_loop", "closed_loop",
		"rate: [5, 50.5], arrival: gamma, burstiness: 0.5", "stages: [{duration: 10s, concurrency: 10, ramp: linear}, {duration: 5s, concurrency: 4}]",
		", requests: 7, maxInFlight: 64", "").Replace(openDocument)))
	if err != nil {
		t.Fatal(err)
	}
	point := p.Points[0]
	if len(p.Points) != 1 || point.Open() || point.Concurrency != 10 || point.Duration.Seconds() != 15 || point.Name != "stages" {
		t.Errorf("%d points, the first %+v", len(p.Points), point)
	}
	// 50 and 20 seconds of users, at the assumed time of a request.
	input, output := meanLengths(p.Run.Spec.Workload)
	if want := int64(70 / (assumedFirstToken + assumedPerToken*output)); input == 0 || p.Expected.PerPoint[0].Requests != want {
		t.Errorf("%d requests expected, want %d", p.Expected.PerPoint[0].Requests, want)
	}
	part, err := p.Shard(1, 3)
	if err != nil || part.Points[0].Concurrency != 3 {
		t.Errorf("part 1 of 3 has %d users (%v), want 1, 4 and 7", part.Points[0].Concurrency, err)
	}
}

// The shards of a plan together are the plan: every user, call and place in
// flight belongs to exactly one of them.
func TestShardsAreTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		count := 1 + rng.IntN(9)
		whole := Plan{Points: []Point{
			{Index: 0, Concurrency: 1 + rng.IntN(40), Requests: count + rng.IntN(100), WarmupRequests: count + rng.IntN(20), PrefillConcurrency: count + rng.IntN(9)},
			{Index: 1, Arrival: spec.ArrivalPoisson, Rate: 3, MaxInFlight: count + rng.IntN(100), Requests: rng.IntN(3)},
		}}
		var sum [2]Point
		owners := make([]int, 200)
		for index := range count {
			shard, err := whole.Shard(index, count)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range shard.Points {
				sum[i].Concurrency += p.Concurrency
				sum[i].Requests += p.Requests
				sum[i].WarmupRequests += p.WarmupRequests
				sum[i].PrefillConcurrency += p.PrefillConcurrency
				sum[i].MaxInFlight += p.MaxInFlight
				if p.Idle != (i == 0 && p.Concurrency == 0) {
					t.Fatalf("part %d of %d: point %+v is idle: %v", index, count, p, p.Idle)
				}
			}
			for k := range owners {
				if shard.Share().Owns(int64(k)) {
					owners[k]++
				}
			}
		}
		closed, open := whole.Points[0], whole.Points[1]
		if got := sum[0]; got.Concurrency != closed.Concurrency || got.Requests != closed.Requests || got.WarmupRequests != closed.WarmupRequests || got.PrefillConcurrency != closed.PrefillConcurrency {
			t.Fatalf("%d shards together have %+v, want %+v", count, got, closed)
		}
		// An open loop's limit in requests is a place in its schedule, the same
		// for every shard.
		if got := sum[1]; got.MaxInFlight != open.MaxInFlight || got.Requests != open.Requests*count {
			t.Fatalf("%d shards together have %+v, want %+v", count, got, open)
		}
		for k, n := range owners {
			if n != 1 {
				t.Fatalf("call %d belongs to %d of %d shards", k, n, count)
			}
		}
	}
}

func TestShardRefuses(t *testing.T) {
	p, err := New(parse(t, openDocument))
	if err != nil {
		t.Fatal(err)
	}
	f := func(p Plan, index, count int) {
		t.Helper()
		if _, err := p.Shard(index, count); err == nil {
			t.Errorf("Shard(%d, %d) of %+v was made", index, count, p.Part)
		}
	}
	f(p, -1, 2)
	f(p, 2, 2)
	f(p, 0, 0)
	f(p, 0, 65) // more than places in flight
	part, err := p.Shard(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	f(part, 0, 2)
	encoded, err := part.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if read, err := Decode(encoded); err != nil || read.Share() != (Part{1, 2}) {
		t.Errorf("a shard read back is %+v (%v), want 1 of 2", read.Part, err)
	}
}
