package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/analysis/mlperf"
	"assay/bundle"
	"assay/claim"
	"assay/metric"
	"assay/record"
	"assay/report"
	"assay/report/reporttest"
	"assay/spec"
	"assay/unit"
)

func TestMarkdown(t *testing.T) {
	var got bytes.Buffer
	if err := report.Markdown(&got, reporttest.Judged(t)); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "judged.md", got.Bytes())
	at := -1
	for _, next := range []string{"| users | req/s |", "### Findings", "> At concurrency=1", "### concurrency=1", "### Where it comes from"} {
		i := strings.Index(got.String(), next)
		if i <= at {
			t.Errorf("%q is missing or not in its place:\n%s", next, got.String())
		}
		at = i
	}
}

// One sentence leads, and the others are folded away.
func TestMarkdownFoldsSentences(t *testing.T) {
	r := reporttest.Judged(t)
	for i := range 20 {
		r.Claims.Claims = append(r.Claims.Claims, claim.Claim{Sentence: fmt.Sprintf("Sentence %d.", i)})
	}
	var got bytes.Buffer
	if err := report.Markdown(&got, r); err != nil {
		t.Fatal(err)
	}
	open, folded, _ := strings.Cut(got.String(), "<details><summary>20 more, 1 not quotable</summary>\n\n")
	folded, _, ended := strings.Cut(folded, "\n</details>\n")
	if n := strings.Count(open, "\n> "); n != 1 || strings.Count(folded, "> ") != 20 || !strings.Contains(folded, "Not quotable: TTFT p99") || !ended {
		t.Errorf("%d sentences are shown, want 1; folded:\n%s", n, folded)
	}
	r.Claims.Claims = nil
	got.Reset()
	if err := report.Markdown(&got, r); err != nil || !strings.Contains(got.String(), "> Nothing may be quoted.\n\nNot quotable: TTFT p99") || strings.Contains(got.String(), "<details>") {
		t.Errorf("why nothing may be quoted is not shown (%v):\n%s", err, got.String())
	}
}

// Many points have one table, with the columns that have something in them.
func TestMarkdownOfManyPoints(t *testing.T) {
	r := reporttest.Example(t)
	rows := r.Estimates.Rows
	r.Plan.Points, r.Estimates.Rows = nil, nil
	for i := range 9 {
		point := reporttest.Example(t).Plan.Points[0]
		point.Index, point.Name = i, fmt.Sprintf("concurrency=%d", i+1)
		r.Plan.Points = append(r.Plan.Points, point)
		for _, row := range rows {
			if row.Point >= 0 {
				row.Point = i
				r.Estimates.Rows = append(r.Estimates.Rows, row)
			}
		}
	}
	var got bytes.Buffer
	if err := report.Markdown(&got, r); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(got.String(), "\n| "); n != 2+len(r.Tiles())+2+9 {
		t.Errorf("%d lines of tables, want the tiles and 9 points, each with a head and its rule", n)
	}
	if strings.Contains(got.String(), "n per launch") || strings.Contains(got.String(), "| E2E p50 |") || !strings.Contains(got.String(), "| req/s | TTFT p50 | p95 | p99 | errors |") {
		t.Errorf("want one table with the columns that have something in them:\n%s", got.String())
	}
}

// Every estimate is a row, with all of its digits.
func TestCSV(t *testing.T) {
	r := reporttest.Example(t)
	var out bytes.Buffer
	if err := report.CSV(&out, r); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+len(r.Estimates.Rows) {
		t.Fatalf("%d rows, want a head and %d", len(rows), len(r.Estimates.Rows))
	}
	at := func(row []string, column string) string { return row[slices.Index(rows[0], column)] }
	for i, row := range r.Estimates.Rows {
		got := rows[i+1]
		if at(got, "metric") != row.Metric || at(got, "value") != fmt.Sprint(row.Value) || at(got, "launches") != "3" || at(got, "n") != "40" {
			t.Errorf("row %v, want %s of %v", got, row.Metric, row.Value)
		}
		if bounded := row.Interval.Bounded(); bounded != (at(got, "lo") != "") || !bounded && at(got, "warnings") == "" {
			t.Errorf("%s %s: from %q with warnings %q", row.Metric, row.Statistic, at(got, "lo"), at(got, "warnings"))
		}
	}
}

// Figures of another tool come as they are, and say whose they are.
func TestReportedFigures(t *testing.T) {
	r := reporttest.Example(t)
	r.Source = &bundle.Source{Tool: "genai-bench", Version: "0.0.4", Unknown: []bundle.Gap{{ID: bundle.GapReplicates}}}
	r.Reported = []record.Reported{{Point: 1, Name: "error_rate", Statistic: "value", Value: .25, Unit: "1", Wrong: "it counts warm-up requests"}}
	var table, page bytes.Buffer
	if err := errors.Join(report.CSV(&table, r), report.Markdown(&page, r)); err != nil {
		t.Fatal(err)
	}
	want := ",concurrency=4,1,4,,,,,,error_rate,value,1,,0.25,,,,0,0,,as genai-bench computed it,it counts warm-up requests,"
	if !strings.Contains(table.String(), want) {
		t.Errorf("no %q in\n%s", want, table.String())
	}
	for _, want := range []string{"| concurrency=4 | error_rate | value | 0.25 | wrong: it counts warm-up requests |", "assay measured none of it. It does not tell: replicates."} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in\n%s", want, page.String())
		}
	}
}

// What forbids a claim fails, what lacks evidence is skipped, and the rest passes.
func TestJUnit(t *testing.T) {
	var out bytes.Buffer
	if err := report.JUnit(&out, reporttest.Judged(t)); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "judged.xml", out.Bytes())
	var suite report.JUnitSuite
	if err := xml.Unmarshal(out.Bytes(), &suite); err != nil {
		t.Fatal(err)
	}
	var failed, skipped []string
	for _, c := range suite.Cases {
		if c.Failure != nil {
			failed = append(failed, c.Name)
		}
		if c.Skipped != nil {
			skipped = append(skipped, c.Name)
		}
	}
	if !slices.Equal(failed, []string{"launch 4", "client-limited"}) || !slices.Equal(skipped, []string{"thermal", "ranks"}) || suite.Tests != 9 || suite.Failures != 2 || suite.Skipped != 2 {
		t.Errorf("%d tests, failed %v, skipped %v", suite.Tests, failed, skipped)
	}
}

func TestMLPerfSummary(t *testing.T) {
	r := reporttest.Example(t)
	if err := report.MLPerfSummary(&bytes.Buffer{}, r); err == nil || !strings.Contains(err.Error(), "load.mlperf") {
		t.Errorf("a run of no scenario: error %v does not say what to do", err)
	}
	minute := unit.Duration(60e9)
	r.Plan.Run.Spec.Load.MLPerf = &spec.MLPerf{Scenario: spec.ServerLoad, MinDuration: minute, MinQueries: 100, Samples: 1, Percentile: 99, MaxTTFT: unit.Duration(2e9), MaxTPOT: unit.Duration(2e8)}
	latency, tokens := .0221, 640.
	r.MLPerf = []mlperf.Result{
		{
			Scenario: spec.ServerLoad, Valid: true, Queries: 900, Samples: 900, Seconds: 61, Percentile: 99, SamplesPerSecond: 14.75, TokensPerSecond: &tokens,
			Limits: []mlperf.Limit{{Metric: metric.TTFT.ID, Max: 2, Over: 1, Need: 662, Estimate: &latency, Kept: true}},
		},
		{Launch: 1, Scenario: spec.ServerLoad, Reasons: []string{"90 queries, want at least 100"}, Queries: 90, Samples: 90, Seconds: 61, Percentile: 99, Limits: []mlperf.Limit{{Metric: metric.TTFT.ID, Max: 2, Over: 9, Need: 1500}}},
	}
	var out bytes.Buffer
	if err := report.MLPerfSummary(&out, r); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "mlperf_log_summary.txt", out.Bytes())
	if n := strings.Count(out.String(), "NO MLPerf RESULT"); n != 2 {
		t.Errorf("two summaries say %d times that they are no MLPerf result", n)
	}
}

func TestResults(t *testing.T) {
	var out bytes.Buffer
	if err := report.Results(&out, reporttest.Example(t)); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "results.json", out.Bytes())
	var got report.ShortResult
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if figure := got.Results["concurrency=1"]["ttft.v2 p50"]; math.Abs(figure.Value-.011) > 1e-9 || figure.Launches != 3 || got.WorldSize == nil || *got.WorldSize != 8 {
		t.Errorf("TTFT p50 %+v on %v devices, want 11 ms of 3 launches on 8", figure, got.WorldSize)
	}
}
