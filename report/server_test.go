package report

import (
	"testing"

	"assay/bundle"
	"assay/metric"
	"assay/record"
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
	// Of an import the text says who read, and what is missing where nobody did.
	r := Report{Source: &bundle.Source{Tool: "aiperf", Unknown: []bundle.Gap{{ID: bundle.GapServer, Detail: "AIPerf stored nothing"}}}}
	for _, tt := range []struct {
		read     metric.Readings
		reported []record.Reported
		want     string
	}{
		{metric.Readings{}, nil, "AIPerf stored nothing"},
		{metric.Readings{}, []record.Reported{{Server: true}, {Server: true, Point: 1}}, "1 values of its own metrics as aiperf aggregated them over the run; single readings were not stored"},
		{metric.Readings{Scrapes: 9, Seconds: .001, Slowest: .002, Elsewhere: true}, nil, "metrics page read 9 times by aiperf in all launches; 1.00 ms each, at most 2.00 ms; it has no name that assay knows"},
	} {
		r.Estimates.Readings, r.Reported = []metric.Readings{tt.read}, tt.reported
		if got := ScrapedText(r, 0); got != tt.want {
			t.Errorf("import: got %q, want %q", got, tt.want)
		}
	}
	f([]metric.Readings{{Scrapes: 3, Seconds: 0.001, Slowest: 0.002, Elsewhere: true}}, nil,
		"metrics page read 3 times in all launches, 0 failed; 1.00 ms each, at most 2.00 ms; it has no name that assay knows; GPUs and energy of this host are left out: the target is elsewhere")
}
