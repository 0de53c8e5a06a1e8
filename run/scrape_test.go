package run

import (
	"slices"
	"testing"

	"assay/spec"
)

func TestMetricsPages(t *testing.T) {
	off := false
	f := func(target spec.Target, want ...string) {
		t.Helper()
		if target.URL == "" {
			target.URL = "http://h:8000/v1"
		}
		r := &revealer{}
		if got := r.metrics(&target); !slices.Equal(got, want) || r.err != nil {
			t.Errorf("%+v: pages %v, %v; want %v", target.Metrics, got, r.err, want)
		}
	}
	f(spec.Target{}, "http://h:8000/metrics")
	f(spec.Target{URLs: []string{"http://a:1", "http://b:2"}}, "http://a:1/metrics", "http://b:2/metrics")
	f(spec.Target{Metrics: spec.ServerMetrics{Scrape: &off}})
	f(spec.Target{Metrics: spec.ServerMetrics{URLs: []string{"http://h:8002/metrics"}}}, "http://h:8002/metrics")
	f(spec.Target{Auth: spec.Auth{Kind: spec.AuthAWS}})
	f(spec.Target{Auth: spec.Auth{Kind: spec.AuthAWS}, Metrics: spec.ServerMetrics{URLs: []string{"http://p/m"}}}, "http://p/m")
}
