package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"assay/bundle"
	"assay/record"
	"assay/run/watch"
	"assay/target"
	"assay/target/fidelity"
	"assay/telemetry"
)

// A client that cannot be calibrated still measures, and the bundle says why its
// error is unknown. The helper's options have no simulator.
func TestCalibrationUnavailable(t *testing.T) {
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { reply(w) })
	b := carryOut(t, openPlan(t, url, `{rate: [20], duration: 200ms, warmup: {}}`))
	for _, when := range []string{record.CalibrationBefore, record.CalibrationAfter} {
		data, err := b.ReadFile("raw/launch-00/" + record.CalibrationFile(when))
		if err != nil {
			t.Fatal(err)
		}
		var c record.Calibration
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		if c.When != when || c.Version != record.CalibrationVersion || !strings.Contains(c.Unavailable, "cannot start a simulator") {
			t.Errorf("%s the run: %+v", when, c)
		}
		if c.Loop != "open" || c.Rate != 20 || c.EndNS < c.BeginNS || len(c.NotCovered) != 1 {
			t.Errorf("%s the run, the operating point: %+v", when, c)
		}
	}
}

func TestCalibrateFalse(t *testing.T) {
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { reply(w) })
	b := carryOut(t, openPlan(t, url, `{rate: [20], duration: 200ms, warmup: {}, calibrate: false}`))
	if _, err := b.ReadFile("raw/launch-00/" + record.CalibrationFile(record.CalibrationBefore)); err == nil {
		t.Error("a run that was told not to calibrate did")
	}
}

// A calibration goes through the point of a run: prompts of the run's length, the
// recorder's folder there while it lasts and gone afterwards, and no request of it in
// the counters that people watch.
func TestCalibrationIsAPoint(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, workload, load string }{
		{"closed", "prompt: {}", "concurrency: [3]"},
		{"open", "concurrencyModel: open_loop", "rate: [40]"},
		{"sessions", "session: {turns: 2}", "concurrency: [3]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			var asked, recorded, long atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || !bytes.Contains(body, []byte(`"max_tokens":2`)) {
					t.Errorf("asked %s, %v", body, err)
				}
				asked.Add(1)
				if len(body) > 300 {
					long.Add(1)
				}
				if found, _ := filepath.Glob(filepath.Join(out, ".calibration-*", "bundle", "raw", "launch-00")); len(found) == 1 {
					recorded.Add(1)
				}
				reply(w)
			}))
			defer server.Close()
			p := planOf(t, fmt.Sprintf(`workload: {model: m, sequenceLengthMix: [{inputTokens: 300, outputTokens: 9, weight: 1}], %s}, %s, load: {%s}`, tt.workload, endpoint, tt.load))
			in, err := accept(p)
			if err != nil {
				t.Fatal(err)
			}
			host := telemetry.Local(t.Context())
			defer host.Close()
			live := &watch.Live{}
			live.Begin(p, nil)
			e := &execution{plan: p, in: in, redactor: bundle.NewRedactor(nil, nil), opts: Options{Out: out, Tool: bundle.Tool{Name: "test", Version: "0"}, Host: host, Live: live}}
			clock, err := record.StartClock()
			if err != nil {
				t.Fatal(err)
			}
			found := demandOf(p).calibration(1)
			found.Truth = record.KnownStream{TTFTNS: 1e6, ITLNS: 1e6, Tokens: 2}
			seen, err := e.observe(t.Context(), clock, func(cfg *target.Config) error { cfg.URLs = []string{server.URL}; return nil }, &found)
			if err != nil {
				t.Fatal(err)
			}
			if n := asked.Load(); n == 0 || long.Load() != n || recorded.Load() != n || seen.Failed > 0 {
				t.Errorf("%d asked, %d with long prompts, %d while there was a recorder; %d failed: %s", n, long.Load(), recorded.Load(), seen.Failed, seen.Error)
			}
			if !slices.ContainsFunc(seen.Requests, func(a fidelity.Answer) bool { return a.Round == 1 && len(a.At) > 0 }) {
				t.Errorf("no request can be judged: %+v", seen.Requests)
			}
			if left, _ := os.ReadDir(out); len(left) > 0 {
				t.Errorf("%v was left behind", left)
			}
			if s := live.Snapshot(); s.Requests != 0 {
				t.Errorf("%d requests in the live view, want none", s.Requests)
			}
		})
	}
}
