package run

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"assay/analysis/mlperf"
	"assay/bundle"
	"assay/record"
	"assay/tests/whole"
)

// Each scenario of MLPerf runs over real sockets and is judged by its rules.
func TestMLPerfScenarios(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { time.Sleep(2 * time.Millisecond); reply(w) })
	for _, tt := range []struct {
		name, model, load string
		samples           int // of one query
		valid             bool
	}{
		{"single", "closed_loop", `{mlperf: {scenario: single_stream, minDuration: 200ms}}`, 1, true},
		{"multi", "closed_loop", `{mlperf: {scenario: multi_stream, samples: 4, percentile: 80, minQueries: 31, minDuration: 100ms}}`, 4, true},
		{"offline", "closed_loop", `{maxInFlight: 10, mlperf: {scenario: offline, samples: 60, minDuration: 1ms}}`, 60, true},
		{"server", "open_loop", `{rate: [150], mlperf: {scenario: server, percentile: 80, minQueries: 30, minDuration: 500ms, maxTTFT: 10s, maxTPOT: 10s}}`, 1, true},
		{"interactive, too strict", "open_loop", `{rate: [150], mlperf: {scenario: interactive, percentile: 80, minQueries: 30, minDuration: 300ms, maxTTFT: 1us, maxTPOT: 10s}}`, 1, false},
		{"single, cut short", "closed_loop", `{mlperf: {scenario: single_stream, minDuration: 50ms, maxDuration: 60ms, minQueries: 100000}}`, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planOf(t, fmt.Sprintf(`workload: {model: m, concurrencyModel: %s, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]},
				target: {url: %q}, load: %s`, tt.model, url, tt.load))
			p.Launches = p.Launches[:1]
			b := carryOut(t, p)
			results, err := mlperf.Judge(b, p)
			if err != nil || len(results) != 1 {
				t.Fatalf("%d results, %v", len(results), err)
			}
			r := results[0]
			if r.Valid != tt.valid || r.Valid == (len(r.Reasons) > 0) {
				t.Errorf("valid %v, want %v: %v", r.Valid, tt.valid, r.Reasons)
			}
			measured, together := 0, map[int64]int{}
			for _, q := range rows[record.Request](t, b, bundle.Requests) {
				if q.Phase == record.Measure {
					measured++
					together[q.Due]++
				}
			}
			if r.Samples != measured || r.Queries*tt.samples != measured {
				t.Errorf("%d queries of %d samples, %d calls measured", r.Queries, tt.samples, measured)
			}
			if tt.model == "closed_loop" {
				for due, n := range together {
					if n != tt.samples {
						t.Errorf("%d samples were due at %d, want %d", n, due, tt.samples)
					}
				}
			}
		})
	}
}
