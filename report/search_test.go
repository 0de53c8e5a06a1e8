package report

import (
	"bytes"
	"strings"
	"testing"

	"assay/analysis/mlperf"
	"assay/search"
)

// The answer stands in a sentence, the path below it, and a path that the records
// do not bear out is shouted about.
func TestSearchText(t *testing.T) {
	lo, hi, next := 12.5, 14.0, 14.0
	path := search.Path{
		Steps: []search.Step{
			{Load: 12.5, Round: 1, Verdict: search.Holds, Next: &next, Evidence: []search.Evidence{{N: 800, Misses: 2, Share: .0025, AtLeast: .0001, AtMost: .0096, Allowed: .01}}},
			{Load: 14, Round: 1, Verdict: search.Fails, Saturated: true, Evidence: []search.Evidence{{N: 900, Misses: 90, Share: .1, AtLeast: .08, AtMost: .13, Allowed: .01}}},
		},
		Answer: search.Answer{Holds: &lo, Fails: &hi, End: search.Resolved},
	}
	s := &search.Summary{
		Kind: "rate", Unit: "/s", Objectives: []string{"ttft p99 ≤ 300ms"}, Confidence: .99, Together: .98, Answer: path.Answer,
		Launches: []search.Launched{{Launch: 0, Path: path}, {Launch: 1, Path: path, Doubt: "step 1 differs"}},
	}
	var b bytes.Buffer
	writeSearch(&b, s)
	for _, want := range []string{
		"search for the highest rate that keeps ttft p99 ≤ 300ms",
		"held in every launch, failed in any: highest rate shown to hold: 12.5/s, lowest shown to fail: 14/s",
		"that none is wrong, at least 98 %",
		"0.25 % [0.01, 0.96] of 1", "fails (saturated)", "launch 2: THE RECORDS DO NOT LEAD THERE: step 1 differs",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	writeSearch(&b, &search.Summary{Kind: "rate"})
	if !strings.Contains(b.String(), "no completed launch searched") {
		t.Errorf("without launches:\n%s", b.String())
	}
}

func TestMLPerfText(t *testing.T) {
	latency, tokens := .25, 640.0
	var b bytes.Buffer
	writeMLPerf(&b, []mlperf.Result{
		{Scenario: "single_stream", Valid: true, Queries: 80, Samples: 80, Seconds: 600, Percentile: 90, Latency: &latency, SamplesPerSecond: .13, TokensPerSecond: &tokens},
		{Launch: 1, Scenario: "server", Reasons: []string{"too short"}, Percentile: 99, Limits: []mlperf.Limit{{Metric: "ttft.v2", Max: 2, Over: 3}}},
	}, func(int) string { return "the point" })
	for _, want := range []string{"the point, launch 1: VALID: 80 queries, 80 samples", "p90 latency at most 250 ms", "640 tok/s", "launch 2: INVALID", "p99 ttft.v2 too few requests (limit 2.00 s, 3 over)", "    too short"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
