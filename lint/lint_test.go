package lint

import (
	"slices"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// healthy is a run that nothing can be said against: TTFT 100 ms, ITL 10 ms, and
// a client that errs by 1 ms and 0.1 ms.
func healthy() *Facts {
	row := func(m metric.Metric, statistic string, v float64) metric.Row {
		return metric.Row{Metric: m.ID, Name: m.Name, Statistic: statistic, Estimate: stats.Estimate{Value: v}}
	}
	bound := func(v float64) metric.Bound {
		before, after := v, v*.9
		return metric.Bound{Seconds: v, Statistic: "p99", N: 1000, Before: &before, After: &after}
	}
	small := 1e-6
	return &Facts{
		Plan: plan.Plan{Points: []plan.Point{{Name: "rate=50/s", Duration: unit.Duration(10 * time.Second)}}, Run: spec.Run{Spec: spec.RunSpec{Load: &spec.Load{}}}},
		Estimates: metric.Estimates{Rows: []metric.Row{
			row(metric.TTFT, "p50", .1), row(metric.TTFT, "p99", .2), row(metric.ITL, "p50", .01),
			row(metric.OfferedRate, "value", 50), row(metric.SentRate, "value", 50.1),
		}},
		Client: metric.Client{
			Before: &record.Calibration{When: "before"}, After: &record.Calibration{When: "after"},
			Bounds:   &metric.Bounds{TTFT: bound(1e-3), Gap: bound(1e-4)},
			Launches: []metric.ClientHealth{{Requests: 500, LagP99: &small, CPUShareMax: &small}},
		},
	}
}

// A spoiled run has one fault and must be told so.
type spoiled struct {
	name     string
	spoil    func(f *Facts)
	check    string
	severity finding.Severity
	want     string
}

func TestChecks(t *testing.T) {
	if found := Run(healthy()).Findings; len(found) != 0 {
		t.Fatalf("a healthy run has findings: %+v", found)
	}
	tests := []spoiled{
		{"coarse for TTFT", func(f *Facts) { f.Client.Bounds.TTFT.Usual = .006 }, "client-error", finding.Caution, "6 % of the p50 of TTFT at rate=50/s (100 ms)"},
		{"coarse for gaps", func(f *Facts) { f.Client.Bounds.Gap.Usual = .006 }, "client-error", finding.Void, "60 % of the p50 of ITL (chunk)"},
		{"a third of TTFT", func(f *Facts) { f.Client.Bounds.TTFT.Usual = .03 }, "client-error", finding.Void, "30 % of the p50 of TTFT"},
		{"saturated", saturatedClient, "client-limit", finding.Void, "rate=50/s: send lag p99 178 ms, E2E p50 56.6 ms (limit 50 %)"},
		{"loses events", func(f *Facts) { f.Client.After.Lost = 3 }, "client-error", finding.Void, "after the run the client lost 3 events"},
		{"counts other tokens", func(f *Facts) {
			f.Plan.Run.Spec.Workload.Tokenizer.Kind = spec.TokenizerFile
			f.Estimates.Counts = []metric.Count{{Of: metric.OfPrompt, Requests: 9, Ours: 100, Server: 111, Least: 2, Most: 20}}
		}, "token-count", finding.Caution, "111.0 on average by the server's count"},
		{"queue grew", func(f *Facts) {
			f.Saturated = []finding.Finding{{Severity: finding.Caution, Message: "the queue grew by 3 requests a second"}}
		}, "over-saturation", finding.Caution, "the queue grew by 3 requests a second"},
		{"changed", func(f *Facts) { v := 9e-3; f.Client.Bounds.TTFT.After = &v }, "client-drift", finding.Caution, "1.00 ms before the run and 9.00 ms after"},
		{"not asked for", func(f *Facts) { no := false; f.Plan.Run.Spec.Load.Calibrate = &no; f.Client = metric.Client{} }, "client-unmeasured", finding.Caution, "load.calibrate is false"},
		{"never came to it", func(f *Facts) { f.Client = metric.Client{} }, "client-unmeasured", finding.Caution, "was not measured"},
		{"could not", func(f *Facts) { f.Client.After.Unavailable = "no simulator" }, "client-unmeasured", finding.Caution, "after the run: no simulator"},
		{"late", lateBy(.006, "p50", .002), "client-limit", finding.Caution, "rate=50/s: send lag p50 6.00 ms is 6 % of TTFT p50 100 ms (limit 5 %)"},
		{"late beside a wide interval", lateBy(.012, "p50", .03), "client-limit", finding.Caution, "12 % of TTFT p50 100 ms (limit 10 %)"},
		{"busy", func(f *Facts) { v := .9; f.Client.Launches[0].CPUShareMax = &v }, "client-limit", finding.Caution, "90.0 % (limit 80 %)"},
		{"hot", func(f *Facts) { v := 3.0; f.Client.Launches[0].HeatThrottles = &v }, "client-limit", finding.Caution, "heat slowed the host's processors 3 times"},
		{"throttled", func(f *Facts) { v := .2; f.Client.Launches[0].Throttled = &v }, "client-limit", finding.Caution, "control group's limit 200 ms"},
		{"pauses", func(f *Facts) { v := .02; f.Client.Launches[0].GCPauseMax = &v }, "client-limit", finding.Caution, "pause 20.0 ms"},
		{"dropped", func(f *Facts) { f.Client.Launches[0].Dropped = 5 }, "client-limit", finding.Caution, "5 of 505 calls dropped"},
		{"too slow", func(f *Facts) { f.Estimates.Rows[4].Value = 45 }, "client-limit", finding.Caution, "sent 45/s of 50/s due"},
		{"imported", imported(bundle.GapRetries), "foreign-source", finding.Caution, "other-bench: requests may have been sent again in silence"},
		{"busy host", func(f *Facts) { v := .3; f.Client.Launches[0].RunQueue = &v }, "client-limit", finding.Note, "the client's threads waited for a processor 30.0 %"},
		{"coalesced", func(f *Facts) { v := .3; f.Client.Launches[0].SharedRead = &v }, "client-limit", finding.Note, "shared a read"},
	}
	for _, c := range instrument {
		if c.Doc == "" || !slices.ContainsFunc(tests, func(tt spoiled) bool { return tt.check == c.ID }) {
			t.Errorf("%s: every check needs its doc and a run that trips it", c.ID)
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := healthy()
			tt.spoil(f)
			found := Run(f).Findings
			if len(found) != 1 {
				t.Fatalf("got %+v, want one finding", found)
			}
			if got := found[0]; got.Check != tt.check || got.Severity != tt.severity || !strings.Contains(got.Message, tt.want) {
				t.Errorf("got %+v, want %s %s with %q", got, tt.severity, tt.check, tt.want)
			}
		})
	}
}

// saturatedClient keeps the users of a fast server waiting three times as long as
// the server does.
func saturatedClient(f *Facts) {
	per := func(v float64) (list []metric.LaunchValue) {
		for i := range 5 {
			list = append(list, metric.LaunchValue{Launch: i, Value: v})
		}
		return list
	}
	f.Estimates.Rows = append(f.Estimates.Rows,
		metric.Row{Metric: metric.Lag.ID, Statistic: "p99", Estimate: stats.Estimate{Value: .178}, PerLaunch: per(.178)},
		metric.Row{Metric: metric.E2E.ID, Statistic: "p50", Estimate: stats.Estimate{Value: .0566}, PerLaunch: per(.0566)})
}

// A launch that met a busy moment does not make the client the subject of a run.
func TestLateInOneLaunch(t *testing.T) {
	f := healthy()
	saturatedClient(f)
	lags := f.Estimates.Rows[len(f.Estimates.Rows)-2].PerLaunch
	for i := range lags[1:] {
		lags[i].Value = 1e-4
	}
	for _, one := range Run(f).Findings {
		if one.Severity == finding.Void {
			t.Errorf("%s: %s", one.Severity, one.Message)
		}
	}
}

// lateBy gives the sends of the healthy run a lag, and the latency beside it an interval
// of that half-width, in seconds.
func lateBy(lag float64, statistic string, halfWidth float64) func(*Facts) {
	return func(f *Facts) {
		r := &f.Estimates.Rows[0]
		r.Interval = stats.Interval{Lo: r.Value - halfWidth, Hi: r.Value + halfWidth}
		f.Estimates.Rows = append(f.Estimates.Rows, metric.Row{Metric: metric.Lag.ID, Statistic: statistic, Estimate: stats.Estimate{Value: lag}})
	}
}

// A lag that changes no figure beside which it stands is not worth a word: a small part
// of it, less than its interval hides, or of a percentile that nobody is shown.
func TestLagThatChangesNothing(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*Facts)
	}{
		{"1.09 ms of 54 ms", func(f *Facts) {
			lateBy(1.09e-3, "p50", 1e-3)(f)
			f.Estimates.Rows[0].Value = .054
		}},
		{"7 % where the interval is ± 8 %", lateBy(.007, "p50", .008)},
		{"the slowest hundredth beside a median", func(f *Facts) {
			lateBy(.05, "p99", .002)(f)
			f.Estimates.Rows = slices.DeleteFunc(f.Estimates.Rows, func(r metric.Row) bool { return r.Metric == metric.TTFT.ID && r.Statistic == "p99" })
		}},
		{"beside a p99 of too few requests", func(f *Facts) {
			lateBy(.05, "p99", .002)(f)
			for i, r := range f.Estimates.Rows {
				if r.Metric == metric.TTFT.ID && r.Statistic == "p99" {
					f.Estimates.Rows[i].Warnings = []string{stats.TooFew("requests", 40, .99, .95)}
				}
			}
		}},
	}
	for _, tt := range tests {
		f := healthy()
		tt.spoil(f)
		if found := Run(f).Findings; len(found) != 0 {
			t.Errorf("%s: %+v", tt.name, found)
		}
	}
}

func TestWorstFirst(t *testing.T) {
	f := healthy()
	v := .3
	f.Client.Launches[0].RunQueue, f.Client.After.Failed, f.Client.Bounds.TTFT.Usual = &v, 1, .006
	var order []finding.Severity
	for _, one := range Run(f).Findings {
		order = append(order, one.Severity)
	}
	if len(order) != 3 || order[0] != finding.Void || order[1] != finding.Caution || order[2] != finding.Note {
		t.Errorf("severities come as %v", order)
	}
}
