package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/finding"
	"assay/judge"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

var update = flag.Bool("update", false, "write the golden files anew")

// example is a small report with a certified row, a row that is not, a failed
// launch and a point that nobody measured.
func example(t *testing.T) Report {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: example},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:8000"}, load: {concurrency: [1, 4]}, trials: {minReplicates: 4}, cost: {gpuCount: 8, gpuHourlyUSD: 2.5}}}`))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	// The golden file need not change with every default of the contract.
	full := p.Run.Spec
	p.Defaults = nil
	p.Run.Spec = spec.RunSpec{Intent: full.Intent, Workload: full.Workload, Target: full.Target, Load: full.Load, Trials: full.Trials, Cost: full.Cost}
	row := func(m metric.Metric, statistic string, values ...float64) metric.Row {
		est, err := stats.Mean(values, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		cv := stats.CV(values)
		r := metric.Row{Metric: m.ID, Name: m.Name, Statistic: statistic, Unit: m.Unit, Better: m.Better, Estimate: est, CV: &cv}
		for i, v := range values {
			r.PerLaunch = append(r.PerLaunch, metric.LaunchValue{Launch: i, Value: v, N: 40 + i})
		}
		return r
	}
	apart := func(r metric.Row) metric.Row {
		r.Point = metric.LaunchPoint
		return r
	}
	p99 := row(metric.TTFT, "p99", 0.021, 0.022, 0.025)
	p99.Interval = stats.Unbounded
	p99.Warnings = []string{stats.NotCertifiable(.99, .95) + ", have 40 in the smallest launch"}
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var launches []bundle.LaunchInfo
	for i, outcome := range []bundle.LaunchOutcome{bundle.LaunchCompleted, bundle.LaunchCompleted, bundle.LaunchCompleted, bundle.LaunchFailed} {
		launches = append(launches, bundle.LaunchInfo{Index: i, Order: i, Started: start, Ended: start.Add(time.Minute), Outcome: outcome})
	}
	return Report{
		Version: Version, RunID: "20260102_030405__run__example", Status: bundle.Failed, Signature: judge.Unsigned,
		Plan: p, Launches: launches, Steady: steadyExample(),
		Estimates: metric.Estimates{
			Version: metric.EstimatesVersion, Code: "test", RunID: "20260102_030405__run__example", Confidence: 0.95,
			Launches: []int{0, 1, 2},
			LeftOut:  []metric.LeftOut{{Launch: 3, Reason: "failed: the server ended by itself"}},
			Rows: []metric.Row{
				row(metric.TTFT, "mean", 0.011, 0.012, 0.0125),
				row(metric.TTFT, "p50", 0.0105, 0.011, 0.0115),
				row(metric.TTFT, "p90", 0.0155, 0.016, 0.0165),
				p99,
				row(metric.RequestThroughput, "value", 12, 12.5, 13),
				row(metric.ErrorRate, "value", 0, 0.01, 0.02),
				row(metric.ServerQueueDepth, "value", 0.5, 0.6, 0.7),
				row(metric.KVCacheHitRate, "value", 0.25, 0.25, 0.31),
				row(metric.EnergyPerOutputToken, "value", 0.41, 0.42, 0.43),
				row(metric.CostPerRequest, "value", 0.0004, 0.00041, 0.00042),
				row(metric.CostPerOutputToken, "value", 4e-6, 4.1e-6, 4.2e-6),
				row(metric.LongestGap, "mean", 0.03, 0.031, 0.032),
				row(metric.LongestGap, "p50", 0.02, 0.021, 0.022),
				apart(row(metric.ColdReady, "value", 41, 42, 44)),
				apart(row(metric.ColdOverheadTTFT, "value", -0.01, 0.3, 0.4)),
				apart(row(metric.CacheWarmShare, "value", 0.9, 0.91, 0.92)),
			},
			Counts:   []metric.Count{{Point: 0, Of: metric.OfPrompt, Requests: 120, Ours: 100, Server: 107, Least: 7, Most: 7}},
			Outcomes: []metric.Outcomes{{Point: 0, Counts: map[record.Outcome]int{record.OK: 120, record.Timeout: 2}}},
			Readings: []metric.Readings{{Point: 0, Scrapes: 90, Failed: 1, Seconds: 0.0021, Slowest: 0.0104, Engines: []string{"vLLM"}}},
		},
		Warnings: []string{"an example of a warning"},
		Client:   exampleClient(),
		Findings: []finding.Finding{{Check: "client-error", Severity: finding.Caution, Message: "an example of a finding", Fix: "an example of a cure"}},
	}
}

// exampleClient was calibrated before and after and has samples of one launch.
func exampleClient() metric.Client {
	at := func(v float64) *float64 { return &v }
	made := func(when string) *record.Calibration {
		return &record.Calibration{
			Version: record.CalibrationVersion, When: when, Point: "concurrency=4", Loop: "closed", Streams: 4,
			Truth:      record.KnownStream{TTFTNS: 50e6, ITLNS: 10e6, Tokens: 10},
			NotCovered: []string{"the network and its card"},
		}
	}
	return metric.Client{
		Version: metric.ClientVersion, Before: made(record.CalibrationBefore), After: made(record.CalibrationAfter),
		Bounds: &metric.Bounds{
			TTFT: metric.Bound{Seconds: 4e-4, Statistic: "max", N: 28, Before: at(3e-4), After: at(4e-4)},
			Gap:  metric.Bound{Seconds: 2e-5, Statistic: "p99", N: 310, Before: at(2e-5), After: at(1e-5)},
		},
		Launches: []metric.ClientHealth{
			{Launch: 0, Requests: 40, LagP50: at(2e-5), LagP99: at(3e-4), LateShare: at(0), CPUShare: at(.12), ResidentMax: at(30 << 20), OpenFilesMax: at(22)},
		},
	}
}

// A run that was not calibrated says so, and one that was calibrated once says when.
func TestOwnError(t *testing.T) {
	f := func(want string, change func(*metric.Client)) {
		t.Helper()
		r := Report{Client: exampleClient()}
		change(&r.Client)
		if got := strings.Join(ownError(r), "\n"); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f("before and after the run", func(*metric.Client) {})
	f("before the run only", func(c *metric.Client) { c.Bounds.TTFT.After = nil })
	f("after the run only", func(c *metric.Client) { c.Bounds.TTFT.Before = nil })
	f("open loop of 50/s", func(c *metric.Client) { c.After.Loop, c.After.Rate = "open", 50 })
	f("not covered: the network", func(*metric.Client) {})
	f("not measured", func(c *metric.Client) { c.Bounds = nil })
}

// Every format has a golden file, and the same report gives the same bytes.
func TestFormats(t *testing.T) {
	r := example(t)
	for _, f := range All {
		t.Run(f.Name, func(t *testing.T) {
			var got, again bytes.Buffer
			if err := f.Format(&got, r); err != nil {
				t.Fatal(err)
			}
			if err := f.Format(&again, r); err != nil || !bytes.Equal(got.Bytes(), again.Bytes()) {
				t.Errorf("two writings of one report differ (%v)", err)
			}
			if f.Name == "xlsx" { // its bytes are a packed archive: what its cells hold is compared
				text, err := workbookText(got.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				got = *bytes.NewBufferString(text)
			}
			if f.Name == "html" {
				got = *bytes.NewBuffer(staticPart(got.Bytes()))
			}
			path := filepath.Join("testdata", f.File+".golden")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("every format needs a golden file (-update writes it): %v", err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("got:\n%s\nwant:\n%s", got.Bytes(), want)
			}
			if !strings.Contains(got.String(), judge.Unsigned) {
				t.Errorf("the report does not say %s", judge.Unsigned)
			}
		})
	}
}

// Metrics of detail are counted, and shown when all are asked for.
func TestAllMetrics(t *testing.T) {
	f := func(all bool, want string, hidden ...string) {
		t.Helper()
		r := example(t)
		r.All = all
		var got bytes.Buffer
		if err := Text(&got, r); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got.String(), want) {
			t.Errorf("all %v: no %q in\n%s", all, want, got.String())
		}
		for _, text := range hidden {
			if strings.Contains(got.String(), text) {
				t.Errorf("all %v: %q in\n%s", all, text, got.String())
			}
		}
	}
	f(false, "2 more metrics in the JSON; assay report --all shows them", metric.LongestGap.Name, metric.CostPerOutputToken.Name)
	f(false, "as declared: 8 GPUs, $2.5 for one of them an hour\n    "+metric.CostPerRequest.Name)
	f(true, metric.LongestGap.Name, "more metrics")
	f(true, metric.CostPerOutputToken.Name)
}

func TestFind(t *testing.T) {
	if _, err := Find("pdf"); err == nil || !strings.Contains(err.Error(), "text") {
		t.Errorf("error %v does not say what is accepted", err)
	}
}
