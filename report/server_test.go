package report

import (
	"testing"

	"assay/metric"
	"assay/spec"
)

// A point says why there is nothing of the server.
func TestScraped(t *testing.T) {
	off := false
	f := func(readings []metric.Readings, target *spec.Target, want string) {
		t.Helper()
		r := Report{Estimates: metric.Estimates{Readings: readings}}
		r.Plan.Run.Spec.Target = target
		if got := ScrapedText(r, 0); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(nil, nil, "nothing was read beside this point")
	f([]metric.Readings{{}}, &spec.Target{}, "its counters were not read in this window")
	f([]metric.Readings{{}}, &spec.Target{Metrics: spec.ServerMetrics{Scrape: &off}}, "its counters were not read: target.metrics.scrape is false")
	f([]metric.Readings{{Scrapes: 3, Failed: 3}}, nil, "its metrics page could not be read, tried 3 times (event telemetry.unavailable says why)")
	f([]metric.Readings{{Scrapes: 2, Engines: []string{"vLLM"}}}, nil,
		"metrics page read 2 times in all launches, 0 failed; 0 s each, at most 0 s; names of vLLM; too few readings in the window for a figure: shorten target.metrics.interval")
	f([]metric.Readings{{Scrapes: 3, Seconds: 0.001, Slowest: 0.002, Elsewhere: true}}, nil,
		"metrics page read 3 times in all launches, 0 failed; 1.00 ms each, at most 2.00 ms; it has no name that assay knows; GPUs and energy of this host are left out: the target is elsewhere")
}
