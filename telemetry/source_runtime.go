package telemetry

import (
	"context"
	"math"
	"runtime/metrics"
)

// Runtime reads what Go's own runtime did to the measurement.
//
// Its scheduling latency sees neither run-queue delay nor steal: on a crowded
// machine it shows microseconds where calls leave milliseconds late. It bounds
// our own part only.
var Runtime = Source{
	ID: "runtime", Name: "client", Doc: "garbage collection and scheduling of the measuring process, from runtime/metrics",
	Gauges: []Gauge{
		{"gc.cycles.total", "1", "garbage collections"},
		{"gc.cpu.total", "s", "processor time of garbage collection"},
		{"gc.pauses.total", "1", "pauses that stopped the program for garbage collection"},
		{"gc.pause.max", "s", "longest such pause since the reading before, as the upper end of its bucket"},
		{"sched.latency.p99", "s", "99 % of goroutines waited no longer to run since the reading before"},
		{"heap.live", "B", "memory found in use by the last collection"},
		{"goroutines", "1", "goroutines"},
		{"gomaxprocs", "1", "threads that may run Go code at once"},
	},
	Open: func(Host, Options) Reader {
		r := &runtimeReader{}
		return func(context.Context) ([]Reading, error) { return r.read(), nil }
	},
}

// runtimeReader remembers the histograms of the reading before: they count from
// the start of the process.
type runtimeReader struct{ pauses, latencies []uint64 }

func (r *runtimeReader) read() []Reading {
	s := []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"},
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/sched/pauses/total/gc:seconds"},
		{Name: "/sched/latencies:seconds"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/sched/goroutines:goroutines"},
		{Name: "/sched/gomaxprocs:threads"},
	}
	metrics.Read(s)
	pauses, latencies := s[2].Value.Float64Histogram(), s[3].Value.Float64Histogram()
	newPauses := since(r.pauses, pauses.Counts)
	newLatencies := since(r.latencies, latencies.Counts)
	r.pauses, r.latencies = pauses.Counts, latencies.Counts
	return []Reading{
		{Name: "gc.cycles.total", Value: float64(s[0].Value.Uint64())},
		{Name: "gc.cpu.total", Value: s[1].Value.Float64()},
		{Name: "gc.pauses.total", Value: float64(count(pauses.Counts))},
		{Name: "gc.pause.max", Value: upperQuantile(pauses.Buckets, newPauses, 1)},
		{Name: "sched.latency.p99", Value: upperQuantile(latencies.Buckets, newLatencies, 0.99)},
		{Name: "heap.live", Value: float64(s[4].Value.Uint64())},
		{Name: "goroutines", Value: float64(s[5].Value.Uint64())},
		{Name: "gomaxprocs", Value: float64(s[6].Value.Uint64())},
	}
}

// since subtracts the counts of the reading before; there is none at first.
func since(before, now []uint64) []uint64 {
	out := make([]uint64, len(now))
	for i := range now {
		out[i] = now[i]
		if i < len(before) {
			out[i] -= before[i]
		}
	}
	return out
}

func count(counts []uint64) uint64 {
	var n uint64
	for _, c := range counts {
		n += c
	}
	return n
}

// upperQuantile returns the upper end of the bucket that holds quantile q, or 0
// for no events. The last bucket is open; its lower end is then the answer.
func upperQuantile(buckets []float64, counts []uint64, q float64) float64 {
	want := uint64(math.Ceil(q * float64(count(counts))))
	if want == 0 {
		return 0
	}
	var seen uint64
	for i, c := range counts {
		if seen += c; seen >= want {
			if math.IsInf(buckets[i+1], 1) {
				return buckets[i]
			}
			return buckets[i+1]
		}
	}
	return 0
}
