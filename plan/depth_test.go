package plan

import (
	"testing"
	"time"
)

// A deep dive reads more often and traces training steps; what the document says of
// these itself stands.
func TestDepth(t *testing.T) {
	f := func(fields, want string, sampling time.Duration) {
		t.Helper()
		p := planned(t, fields)
		if got := p.Depth(); got != want || p.Sampling() != sampling {
			t.Errorf("{%s} is %q, sampled every %v; want %q, %v", fields, got, p.Sampling(), want, sampling)
		}
	}
	const serving = `workload: {model: m}, target: {url: "http://127.0.0.1:1"}`
	const deep = `, observability: {profileDepth: deep_dive}`
	f(serving, "minimal: the host and its devices every 1s, the server's page every 1s", time.Second)
	f(serving+deep, "deep_dive: the host and its devices every 100ms, the server's page every 250ms", 100*time.Millisecond)
	f(`workload: {model: m}, target: {url: "http://127.0.0.1:1", metrics: {interval: 2s}}`+deep,
		"deep_dive: the host and its devices every 100ms, the server's page every 2s", 100*time.Millisecond)
	const training = `workload: {model: m}, intent: {workloadType: training}, train: {ranks: [1]}`
	f(training, "minimal: the host and its devices every 1s", time.Second)
	f(training+deep, "deep_dive: the host and its devices every 100ms, a profiler's trace of training steps", 100*time.Millisecond)
}
