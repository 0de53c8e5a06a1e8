package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/report"
	"assay/report/reporttest"
	"assay/spec"
	"assay/stats"
)

// summaryOf is the summary as a program reads it.
func summaryOf(t *testing.T, r report.Report) []report.SummaryRow {
	t.Helper()
	var text bytes.Buffer
	if err := report.JSON(&text, r); err != nil {
		t.Fatal(err)
	}
	var read struct{ Summary []report.SummaryRow }
	if err := json.Unmarshal(text.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	return read.Summary
}

// Results of requests have names, and a percentile of too few requests has a reason in
// place of a value. The point that nobody measured is not there.
func TestSummaryOfRequests(t *testing.T) {
	r := reporttest.Example(t)
	r.Estimates.Outcomes[0].Counts[record.Cut] = 5 // neither a request nor an error, as for the error rate
	rows := summaryOf(t, r)
	if len(rows) != 1 || rows[0].Point != "concurrency=1" || rows[0].Kind != plan.KindServing || *rows[0].Concurrency != 1 || rows[0].Rate != nil {
		t.Fatalf("got %+v, want the one point that was measured", rows)
	}
	s := rows[0].ServingSummary
	if s.Requests != 122 || s.Errors != 2 {
		t.Errorf("%d errors of %d requests, want 2 of 122", s.Errors, s.Requests)
	}
	if p50 := s.TTFT.P50; math.Abs(*p50.Value-0.011) > 1e-9 || !(*p50.Low < 0.011 && 0.011 < *p50.High) || p50.Unit != "s" {
		t.Errorf("p50 of TTFT: %+v, want 0.011 s inside its interval", p50)
	}
	if p99 := s.TTFT.P99; p99.Value != nil || p99.Low != nil || !strings.HasPrefix(p99.Reason, "too few") {
		t.Errorf("p99 of TTFT: %+v, want null and why", p99)
	}
	if s.TTFT.P95 != nil || s.E2E != nil || s.Goodput != nil {
		t.Errorf("results that the run does not have: %+v %+v %+v", s.TTFT.P95, s.E2E, s.Goodput)
	}
	if s.RequestThroughput.Metric != metric.RequestThroughput.ID || *s.RequestThroughput.Value != 12.5 {
		t.Errorf("request throughput %+v, want 12.5", s.RequestThroughput)
	}
}

// Each side has a row of its own.
func TestSummaryOfSides(t *testing.T) {
	r := reporttest.Example(t)
	r.Plan.Run.Spec.Candidates = []spec.Candidate{{Name: "new", Target: spec.Target{URL: "http://127.0.0.1:9000"}}}
	for i, row := range r.Estimates.Rows {
		r.Estimates.Rows[i].Side = spec.BaselineSide
		row.Side = "new"
		r.Estimates.Rows = append(r.Estimates.Rows, row)
	}
	rows := summaryOf(t, r)
	var sides []string
	for _, row := range rows {
		sides = append(sides, row.Side)
	}
	if want := []string{spec.BaselineSide, "new"}; !slices.Equal(sides, want) {
		t.Errorf("sides %q, want %q", sides, want)
	}
}

// Ranks and probes have the results that people ask of them, and none of requests.
func TestSummaryOfRanks(t *testing.T) {
	for _, row := range summaryOf(t, reporttest.Exchanged(t)) {
		if c := row.CollectiveSummary; row.Kind != plan.KindCollective || c == nil || c.Op == "" || c.Time.Value == nil || row.Ranks == 0 || row.ServingSummary != nil {
			t.Errorf("collective: %+v", row)
		}
	}
	for _, row := range summaryOf(t, reporttest.Probed(t)) {
		if p := row.ProbeSummary; row.Kind != plan.KindProbe || p == nil || p.Probe == "" || p.Result.Value == nil || p.Result.Unit == "" {
			t.Errorf("probe: %+v", row)
		}
	}
	r := reporttest.Trained(t)
	r.Estimates.Rows = nil
	for _, p := range r.Plan.Points {
		r.Estimates.Rows = append(r.Estimates.Rows, metric.Row{
			Metric: metric.StepTime.ID, Statistic: "p50", Unit: metric.StepTime.Unit, Point: p.Index,
			Estimate: stats.Estimate{Value: .25, Interval: stats.Unbounded},
		})
	}
	rows := summaryOf(t, r)
	if len(rows) != len(r.Plan.Points) {
		t.Fatalf("%d rows, want one for each of %d points", len(rows), len(r.Plan.Points))
	}
	if s := rows[0].TrainingSummary; s == nil || *s.StepTime.P50.Value != .25 || s.StepTime.P50.Low != nil || s.Parallelism == "" || s.MFU != nil {
		t.Errorf("training: %+v", s)
	}
}

// The primary results of serving (TTFT, tokens per second, tail latency, jitter and cost)
// are in the summary, and on the page and the sheet without being asked for.
func TestPrimaryResults(t *testing.T) {
	r := reporttest.Sweep(t, []string{""}, []int{1, 4})
	s := summaryOf(t, r)[1].ServingSummary
	if s.Jitter.P99.Value == nil || s.CostPerMillionOutput.Value == nil || s.CostPerRequest.Unit != "$" || s.E2E.P99.Value == nil {
		t.Errorf("jitter %+v, cost %+v and %+v", s.Jitter, s.CostPerMillionOutput, s.CostPerRequest)
	}
	heads := func(room report.Room) string {
		return strings.Join(r.Headlines()[0].Block(room).Head, " | ")
	}
	if got := heads(report.Page); got != "users | req/s | out tok/s | TTFT p50 | p95 | p99 | TPOT p50 | E2E p50 | p99 | jitter p50 | per M out tok | errors" {
		t.Errorf("the page has %s", got)
	}
	var long []string
	for _, c := range r.Headlines()[0].In(report.Sheet).Columns {
		long = append(long, c.Long)
	}
	if got := strings.Join(long, " | "); !strings.Contains(got, "jitter p50 | jitter p90 | jitter p95 | jitter p99 | jitter mean") {
		t.Errorf("the sheet has %s", got)
	}
}
