// Package reporttest makes reports for the tests of those who show them, and compares
// what they write with golden files.
package reporttest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"assay/analysis/steady"
	"assay/bundle"
	"assay/claim"
	"assay/finding"
	"assay/judge"
	"assay/lint"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/report"
	"assay/spec"
	"assay/stats"
)

// Example is a small report with a certified row, a row that is not, a failed
// launch and a point that nobody measured.
func Example(t *testing.T) report.Report {
	t.Helper()
	p := examplePlan(t)
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
	p99.Warnings = []string{stats.TooFew("requests", 40, .99, .95) + ", in the smallest launch"}
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var launches []bundle.LaunchInfo
	for i, outcome := range []bundle.LaunchOutcome{bundle.LaunchCompleted, bundle.LaunchCompleted, bundle.LaunchCompleted, bundle.LaunchFailed} {
		launches = append(launches, bundle.LaunchInfo{Index: i, Order: i, Started: start, Ended: start.Add(time.Minute), Outcome: outcome})
	}
	return report.Report{
		Version: report.Version, RunID: "20260102_030405__run__example", Status: bundle.Failed, Signature: judge.Unsigned,
		Plan: p, Launches: launches, Steady: Steady(),
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
			Outliers: &metric.Outliers{Method: "mad", Action: "flag_and_keep", Fewest: 3, Marked: []metric.Marked{{
				Metric: metric.KVCacheHitRate.ID, Statistic: "value", Beyond: "far beyond the robust deviation from the median, as in up to 1.9 % of 3 normal launches",
				Launches: []metric.LaunchValue{{Launch: 2, Value: 0.31, N: 1}},
				All:      row(metric.KVCacheHitRate, "value", 0.25, 0.25, 0.31).Estimate, Without: row(metric.KVCacheHitRate, "value", 0.25, 0.25).Estimate,
			}}},
			Counts:   []metric.Count{{Point: 0, Of: metric.OfPrompt, Requests: 120, Ours: 100, Server: 107, Least: 7, Most: 7}},
			Outcomes: []metric.Outcomes{{Point: 0, Counts: map[record.Outcome]int{record.OK: 120, record.Timeout: 2}}},
			Readings: []metric.Readings{{Point: 0, Scrapes: 90, Failed: 1, Seconds: 0.0021, Slowest: 0.0104, Engines: []string{"vLLM"}}},
		},
		Warnings: []string{"an example of a warning"},
		Client:   Client(),
		Findings: []finding.Finding{{Check: "client-error", Severity: finding.Caution, Message: "an example of a finding", Fix: "an example of a cure"}},
	}
}

// examplePlan is a small plan. The golden file need not change with every default of
// the contract.
func examplePlan(t *testing.T) plan.Plan {
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
	full := p.Decided()
	p.Defaults = nil
	p.Run.Spec = spec.RunSpec{Intent: full.Intent, Workload: full.Workload, Target: full.Target, Load: full.Load, Trials: full.Trials, Cost: full.Cost}
	return p
}

// Client was calibrated before and after and has samples of one launch.
func Client() metric.Client {
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

// Steady has a point that was cold at first in one of three launches, and
// one that drifts.
func Steady() steady.Report {
	series := func(shape stats.Shape, begin, early int) steady.Series {
		s := steady.Series{
			Name: steady.TTFT, Warmup: 20, Window: steady.Figures{N: 200, Mean: .012, Median: .011, P99: .02, Max: .05},
			State: stats.Steadiness{Shape: shape, N: 220, Batch: 5, Begin: begin, End: 220, Warm: begin, Level: .011, Noise: .01, Reasons: []string{"as made up"}},
		}
		if shape == stats.Drift {
			s.State.End = 0
			return s
		}
		s.Early = &early
		s.Steady = &steady.Figures{N: 200 - early, Mean: .0115, Median: .011, P99: .02, Max: .05}
		s.Bias = &steady.Bias{MeanOfAll: .09 + float64(begin)/100, BestOfN: .12}
		s.Enough = &steady.Enough{Requests: begin / 2, Seconds: float64(begin) / 100}
		return s
	}
	point := func(launch int, s steady.Series) steady.Point {
		return steady.Point{Launch: launch, Requests: 220, Warmup: 20, WarmupSeconds: 5, Series: []steady.Series{s}}
	}
	second := point(0, series(stats.Drift, 0, 0))
	second.Point = 1
	return steady.Report{Version: steady.Version, Method: steady.Method, Points: []steady.Point{
		point(0, series(stats.Flat, 0, 0)), point(1, series(stats.WarmUp, 60, 40)), point(2, series(stats.Flat, 0, 0)), second,
	}}
}

// Judged is the example with checks and what may be said about it.
func Judged(t *testing.T) report.Report {
	r := Example(t)
	r.Findings = append([]finding.Finding{{Check: "client-limited", Severity: finding.Void, Message: "an example of a void <finding>"}}, r.Findings...)
	r.Checks = []lint.Result{
		{Check: "client-limited", State: lint.Found}, {Check: "client-error", State: lint.Found}, {Check: "short-run", State: lint.Passed},
		{Check: "thermal", State: lint.NotChecked, Missing: "samples of the accelerators"}, {Check: "ranks", State: lint.NotApplicable},
	}
	r.Claims = &claim.Claims{
		Grade: claim.Exploratory, Downgrades: []string{"unsigned"},
		Claims:  []claim.Claim{{Sentence: "At concurrency=1 the p50 of TTFT is 11 ms."}},
		Refused: []claim.Refusal{{What: "TTFT p99", Reason: "too few requests"}},
	}
	return r
}

// Update is the flag that asks for new golden files.
var Update = flag.Bool("update", false, "write the golden files anew")

// Golden holds what was written against testdata/name.golden.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *Update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("every format needs a golden file (-update writes it): %v", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got:\n%s\nwant:\n%s", name, got, want)
	}
}
