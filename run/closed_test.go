package run

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/spec"
	"assay/telemetry"
	"assay/unit"
)

// A launch that measured nothing must not look like one that did.
func TestLaunchWithoutMeasurement(t *testing.T) {
	for _, tt := range []struct {
		name   string
		handle http.HandlerFunc
		reason string
	}{
		{"every request refused", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "unknown field max_tokens", http.StatusUnprocessableEntity)
		}, "unknown field max_tokens"},
		{"slower than the window", func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(time.Second)
			reply(w)
		}, "not one request began in the measured window"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planOf(t, `workload: {model: m, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]},
				target: {url: "`+serverOf(t, tt.handle)+`"}, load: {concurrency: [2], start: together, duration: 60ms, warmup: {duration: 600ms}}`)
			p.Launches = p.Launches[:1]
			host := telemetry.Local(t.Context())
			defer host.Close()
			result, err := Execute(t.Context(), p, Options{
				Source: []byte("test"), Out: t.TempDir(), Tool: bundle.Tool{Name: "test", Version: "0"}, Now: time.Now(), Host: host,
			})
			if err == nil || !strings.Contains(err.Error(), tt.reason) || result.Status != bundle.Failed {
				t.Errorf("status %s, error %v; want a failed run that says %s", result.Status, err, tt.reason)
			}
		})
	}
}

// Users begin over half of the warm-up, unless they are to begin together.
func TestSpreadOfUsers(t *testing.T) {
	point := plan.Point{Concurrency: 4, Warmup: unit.Duration(4 * time.Second)}
	if got := spread(point); got != 2*time.Second {
		t.Errorf("spread over %v, want 2 s", got)
	}
	point.Start = spec.StartTogether
	if got := spread(point); got != 0 {
		t.Errorf("together, spread over %v, want none", got)
	}
}
