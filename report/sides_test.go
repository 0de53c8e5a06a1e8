package report_test

import (
	"bytes"
	"strings"
	"testing"

	"assay/metric"
	"assay/report"
	"assay/report/reporttest"
	"assay/spec"
	"assay/stats"
)

// A run with candidates shows each side and their pairs, block by block, and no
// percentile that the sample cannot bound.
func TestPairedText(t *testing.T) {
	r := reporttest.Example(t)
	r.Plan.Run.Spec.Candidates = []spec.Candidate{{Name: "new", Target: spec.Target{URL: "http://127.0.0.1:9000", API: "openai-chat", Model: "m"}}}
	for i := range r.Estimates.Rows {
		r.Estimates.Rows[i].Side = spec.BaselineSide
	}
	a, b := []float64{0.010, 0.012, 0.011}, []float64{0.020, 0.024, 0.022}
	ratio, err := stats.PairedRatio(a, b, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	difference, err := stats.PairedDifference(a, b, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	pair := metric.Paired{
		Metric: metric.TTFT.ID, Name: metric.TTFT.Name, Unit: metric.TTFT.Unit, Statistic: "p50", Side: "new", Difference: difference, Ratio: &ratio,
		Blocks: []metric.Block{{Block: 0, Baseline: a[0], Candidate: b[0]}, {Block: 1, Baseline: a[1], Candidate: b[1]}, {Block: 2, Baseline: a[2], Candidate: b[2]}},
	}
	tail := pair
	tail.Statistic = "p99"
	weak := ratio
	weak.Interval, weak.Warnings = stats.Unbounded, []string{stats.TooFew("requests", 40, .99, .95) + ", in the smallest launch"}
	tail.Ratio = &weak
	r.Estimates.Paired = []metric.Paired{pair, tail}
	var out bytes.Buffer
	if err := report.Text(&out, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"side baseline  openai-chat http://127.0.0.1:8000", "side new       openai-chat http://127.0.0.1:9000",
		"concurrency=1, baseline\n  metric", "concurrency=1, new\n  no completed launch measured this point",
		"concurrency=1, new beside baseline, paired by block",
		"TTFT p50  2 [2, 2]                      11.0 ms [8.52, 13.5]  3       10.0 ms  12.0 ms  11.0 ms",
		"TTFT p99  too few requests (40 of 368)",
		"concurrency=4, new beside baseline, paired by block\n  no block has a completed launch of both sides",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}
