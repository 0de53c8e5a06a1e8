package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/finding"
	"assay/metric"
	"assay/report"
	"assay/tests/whole"
)

// reportedValue is a figure as the source computed it; NaN when it is not there.
func reportedValue(r report.Report, name, statistic string, point int) float64 {
	for _, f := range r.Reported {
		if f.Name == name && f.Statistic == statistic && f.Point == point {
			return f.Value
		}
	}
	return math.NaN()
}

// Where a tool means the same as assay, what assay computes anew from the tool's
// single requests is what the tool says itself. Each tool wrote both.
func TestImportAgrees(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	type same struct {
		metric    metric.Metric
		statistic string
		name      string // of the tool's figure
		stat      string // of it
	}
	for _, tt := range []struct {
		path string
		same []same
	}{
		{"vllm/c2.json", []same{
			{metric.TTFT, "mean", "mean_ttft_ms", "mean"}, {metric.ITL, "mean", "mean_itl_ms", "mean"}, {metric.TPOT, "mean", "mean_tpot_ms", "mean"},
			{metric.E2E, "mean", "mean_e2el_ms", "mean"}, {metric.RequestThroughput, "value", "request_throughput", "value"},
			{metric.OutputThroughput, "value", "output_throughput", "value"},
		}},
		{"vllm/rust.json", []same{{metric.TTFT, "mean", "mean_ttft_ms", "mean"}, {metric.E2E, "mean", "mean_e2el_ms", "mean"}}},
		{"sglang/online.jsonl", []same{
			{metric.TTFT, "mean", "mean_ttft_ms", "mean"}, {metric.ITL, "mean", "mean_itl_ms", "mean"},
			{metric.RequestThroughput, "value", "request_throughput", "value"}, {metric.OutputThroughput, "value", "output_throughput", "value"},
		}},
		{"aiperf/c2", []same{
			{metric.ITL, "mean", "inter_chunk_latency", "mean"}, {metric.TPOT, "mean", "inter_token_latency", "mean"},
			{metric.TTFTService, "mean", "time_to_first_token", "mean"},
		}},
		{"guidellm/c2.json", []same{{metric.TTFT, "mean", "time_to_first_token_ms", "mean"}, {metric.E2E, "mean", "request_latency", "mean"}}},
		{"inference-perf/concurrent", []same{{metric.TTFT, "mean", "time_to_first_token", "mean"}, {metric.E2E, "mean", "request_latency", "mean"}}},
	} {
		t.Run(tt.path, func(t *testing.T) {
			r, _ := importJSON(t, "../../foreign/testdata/"+tt.path)
			for _, s := range tt.same {
				got, want := value(r, s.metric, s.statistic, 0), reportedValue(r, s.name, s.stat, 0)
				if !(math.Abs(got-want) <= 1e-6*want) {
					t.Errorf("%s %s = %v, the tool's %s is %v", s.metric.ID, s.statistic, got, s.name, want)
				}
			}
		})
	}
}

// The report of vegeta over the same requests gives the same mean and rate. An
// open loop without a limit has reached none.
func TestImportVegeta(t *testing.T) {
	t.Parallel()
	r, _ := importJSON(t, "../../foreign/testdata/vegeta/rate10.jsonl")
	own, _ := importJSON(t, "../../foreign/testdata/vegeta/rate10-report.json")
	if got, want := value(r, metric.E2E, "mean", 0), reportedValue(own, "latencies", "mean", 0); !(math.Abs(got-want) <= 1e-8) {
		t.Errorf("E2E mean = %v, vegeta's own %v", got, want)
	}
	if got, want := value(r, metric.RequestThroughput, "value", 0), reportedValue(own, "throughput", "value", 0); !(math.Abs(got-want) <= 1e-6*want) {
		t.Errorf("request throughput = %v, vegeta's own %v", got, want)
	}
	if slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Check == "in-flight-cap" }) {
		t.Error("in-flight-cap fires for a source without a limit")
	}
}

// A summary alone is shown as the tool's own, with nothing computed.
func TestImportSummaries(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"vllm/rate10.json", "sglang/summary.jsonl", "k6/summary.json"} {
		r, _ := importJSON(t, "../../foreign/testdata/"+path)
		if len(r.Reported) == 0 || !math.IsNaN(value(r, metric.E2E, "mean", 0)) || r.Source == nil {
			t.Errorf("%s: %d figures of the tool, E2E %v, source %v: want figures and no estimate", path, len(r.Reported), value(r, metric.E2E, "mean", 0), r.Source)
		}
	}
	_, stderr, code := call(t, "import", "-o", t.TempDir(), "vllm", "../../foreign/testdata/k6/summary.json")
	if code != exitUsage || !strings.Contains(stderr, "summary.json") || !strings.Contains(stderr, "vllm bench serve") {
		t.Errorf("a file of another tool: exit %d, %q; want 1, the file and what belongs there", code, stderr)
	}
}
