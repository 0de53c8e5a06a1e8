package plan

import (
	"strings"
	"testing"

	"assay/spec"
)

// What sessions are expected to take counts every turn, pause, tool and branch.
func TestSessionsExpected(t *testing.T) {
	f := func(session, load, model string, requests int64, assumed string) {
		t.Helper()
		p, err := New(parse(t, strings.NewReplacer("SESSION", session, "LOAD", load, "MODEL", model).Replace(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: s},
			spec: {workload: {model: m, concurrencyModel: MODEL, sequenceLengthMix: [{inputTokens: 10, outputTokens: 40, weight: 1}], session: SESSION},
			target: {url: "http://127.0.0.1:1"}, load: LOAD}}`)))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Expected.PerPoint[0].Requests; got != requests || !strings.Contains(p.Expected.Assumption, assumed) {
			t.Errorf("%s %s: %d requests (%s), want %d (%s)", session, load, got, p.Expected.Assumption, requests, assumed)
		}
	}
	// Two sessions a second for 100 s; a request is taken to last a second.
	f(`{turns: 3}`, `{rate: [2], duration: 100s}`, spec.OpenLoop, 600, "")
	f(`{turns: 3, limit: 50}`, `{rate: [2], duration: 100s}`, spec.OpenLoop, 150, "")
	f(`{turns: 4, fork: {every: 2, branches: 3}}`, `{rate: [1], duration: 100s}`, spec.OpenLoop, 1000, "")
	// Three turns, two pauses, two tools: 3 + 2·1 + 2·0.5 = 6 s for 3 requests.
	f(`{turns: 3, thinkTime: 1s, tool: {time: 500ms}}`, `{concurrency: [6], duration: 100s}`, spec.ClosedLoop, 300, "per request")
	// 50 along the line, 100 at rest.
	f(`{turns: 2}`, `{stages: [{duration: 10s, rate: 10, ramp: linear}, {duration: 10s, rate: 10}]}`, spec.OpenLoop, 300, "")
	f(`{from: trace}`, `{traceRef: t.jsonl, trace: {format: weka}, duration: 100s}`, spec.OpenLoop, 0, "a trace says itself")
}
