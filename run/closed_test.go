package run

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/telemetry"
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
			time.Sleep(300 * time.Millisecond)
			reply(w)
		}, "not one request began in the measured window"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planOf(t, `workload: {model: m, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]},
				target: {url: "`+serverOf(t, tt.handle)+`"}, load: {concurrency: [2], duration: 60ms, warmup: {duration: 40ms}}`)
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
