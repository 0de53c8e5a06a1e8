package run

import (
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/run/watch"
	"assay/telemetry"
)

func TestLiveAgreesWithTheBundle(t *testing.T) {
	var asked atomic.Int64
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1)%5 == 0 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		time.Sleep(2 * time.Millisecond)
		reply(w)
	})
	p := planOf(t, `workload: {model: m, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]},
		target: {url: "`+url+`"}, load: {concurrency: [2, 3], duration: 150ms, warmup: {duration: 50ms}, calibrate: false}`)
	p.Launches = p.Launches[:2]
	host := telemetry.Local(t.Context())
	defer host.Close()
	live := &watch.Live{}
	result, err := Execute(t.Context(), p, Options{
		Source: []byte("test"), Out: t.TempDir(), Tool: bundle.Tool{Name: "test", Version: "0"}, Now: time.Now(), Host: host, Live: live,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := live.Snapshot()
	b, err := bundle.Open(result.Bundle.Dir())
	if err != nil {
		t.Fatal(err)
	}
	var total, failed, last, measured int64
	var e2e []float64
	for _, launch := range []int{0, 1} {
		for r, err := range bundle.Rows[record.Request](b, launch, bundle.Requests) {
			if err != nil {
				t.Fatal(err)
			}
			total++
			if r.Result.Failure() {
				failed++
			}
			if launch != 1 || int(r.Point) != s.Point.Index {
				continue
			}
			last++
			if r.Phase == record.Measure {
				measured++
				if r.Result == record.OK {
					e2e = append(e2e, float64(r.Done-r.Origin())/1e9)
				}
			}
		}
	}
	if failed == 0 || measured == 0 {
		t.Fatalf("%d failed and %d measured: the test needs both", failed, measured)
	}
	if s.Requests != total || s.Failed != failed || s.AtPoint != last {
		t.Errorf("watched %d requests, %d failed, %d at the last point; the bundle has %d, %d and %d", s.Requests, s.Failed, s.AtPoint, total, failed, last)
	}
	if len(s.Errors) != 1 || s.Errors[0] != (watch.ErrorKind{Kind: record.HTTPError, Count: failed}) {
		t.Errorf("errors %v, want %d of %s", s.Errors, failed, record.HTTPError)
	}
	slices.Sort(e2e)
	if want := e2e[(len(e2e)-1)/2]; s.E2E.N != int64(len(e2e)) || math.Abs(s.E2E.P50/want-1) > .02 {
		t.Errorf("E2E of %d answers, p50 %v; the bundle has %d with %v", s.E2E.N, s.E2E.P50, len(e2e), want)
	}
	if s.InFlight != 0 || s.Launch != 2 || s.Launches != 2 || s.Number != 2 || s.Of != 2 {
		t.Errorf("%d in flight in launch %d of %d, point %d of %d; want 0, 2 of 2, 2 of 2", s.InFlight, s.Launch, s.Launches, s.Number, s.Of)
	}
	if s.Client.Requests == 0 || s.Client.LagP99 == nil {
		t.Errorf("nothing is known of the client: %+v", s.Client)
	}
	if !slices.ContainsFunc(s.Log, func(l watch.LogLine) bool { return strings.Contains(l.Text, "http_error with status 503") }) {
		t.Errorf("the log does not tell the first failure: %v", s.Log)
	}
}
