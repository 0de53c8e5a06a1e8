package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"assay/analysis/mlperf"
	"assay/metric"
	"assay/spec"
)

// MLPerfSummary writes each point of each launch of a run by MLPerf's rules in the
// manner of LoadGen's mlperf_log_summary.txt, so that people who read those find
// everything where they look for it. It is no MLPerf result, and says so on top of
// each: the name belongs to MLCommons, and results come from LoadGen itself.
func MLPerfSummary(w io.Writer, r Report) error {
	if len(r.MLPerf) == 0 {
		return errors.New("the run was not measured by the rules of an MLPerf scenario: set load.mlperf in the spec and run it (docs/guides/search.md)")
	}
	var b bytes.Buffer
	b.WriteString(r.heading("", "\n\n"))
	for i, result := range r.MLPerf {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeSummary(&b, r, result)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// loadgenNames are how LoadGen spells its scenarios.
var loadgenNames = map[string]string{
	spec.SingleStream: "SingleStream", spec.MultiStream: "MultiStream",
	spec.ServerLoad: "Server", spec.Interactive: "Server", spec.Offline: "Offline",
}

const rule = "================================================"

func writeSummary(b *bytes.Buffer, r Report, result mlperf.Result) {
	line := func(key, format string, args ...any) { fmt.Fprintf(b, "%s : %s\n", key, fmt.Sprintf(format, args...)) }
	head := func(title string) { fmt.Fprintf(b, "%s\n%s\n%s\n", rule, title, rule) }
	asked := r.Plan.Load().MLPerf
	head("assay summary in the manner of LoadGen: NO MLPerf RESULT")
	line("Run", "%s, launch %d, %s, %s", r.RunID, result.Launch+1, r.PointName(result.Point), r.Signature)
	line("SUT name", "%s", r.Plan.Name)
	line("Scenario", "%s", loadgenNames[result.Scenario])
	line("Mode", "PerformanceOnly")
	samples, tokens := "Samples per second", "Tokens per second"
	if asked.Arrives() {
		samples, tokens = "Completed samples per second", "Completed tokens per second"
	}
	if result.Latency != nil {
		line(fmt.Sprintf("%gth percentile latency (ns), by early stopping", result.Percentile), "%.0f", *result.Latency*1e9)
	}
	line(samples, "%.6g", result.SamplesPerSecond)
	if result.TokensPerSecond != nil {
		line(tokens, "%.6g", *result.TokensPerSecond)
	}
	line("Result is", "%s", map[bool]string{true: "VALID", false: "INVALID"}[result.Valid])
	kept := true
	for _, l := range result.Limits {
		kept = kept && l.Kept
	}
	line("  Performance constraints satisfied", "%s", yes(kept))
	line("  Min duration satisfied", "%s", yes(result.Seconds >= asked.MinDuration.Seconds()))
	line("  Min queries satisfied", "%s", yes(result.Queries >= asked.MinQueries))
	line("  Early stopping satisfied", "%s", yes(stopped(result, kept)))
	for _, reason := range result.Reasons {
		fmt.Fprintf(b, "  * %s\n", reason)
	}
	for _, l := range result.Limits {
		estimate := "too few requests"
		if l.Estimate != nil {
			estimate = fmt.Sprintf("%.0f ns", *l.Estimate*1e9)
		}
		line("  "+l.Metric+" by early stopping", "%s, limit %.0f ns, %d over, needs %d queries", estimate, l.Max*1e9, l.Over, l.Need)
	}
	head("Additional Stats")
	writeSummaryStats(r, result, line)
	head("Test Parameters Used")
	line("samples_per_query", "%d", asked.Samples)
	line("target_latency_percentile", "%g", asked.Percentile)
	line("min_duration (ms)", "%d", asked.MinDuration.Std().Milliseconds())
	line("min_query_count", "%d", asked.MinQueries)
	if asked.Arrives() {
		line("target_qps", "%g", pointRate(r, result.Point))
		line("ttft_latency (ns)", "%d", asked.MaxTTFT.Std().Nanoseconds())
		line("tpot_latency (ns)", "%d", asked.MaxTPOT.Std().Nanoseconds())
	}
	line("seed", "%d", launchSeed(r, result.Launch))
}

func yes(ok bool) string {
	if ok {
		return "Yes"
	}
	return "NO"
}

// stopped reports whether early stopping allows the result: its percentile, or in
// the server scenarios its limits, could be bounded.
func stopped(result mlperf.Result, kept bool) bool {
	switch result.Scenario {
	case spec.SingleStream, spec.MultiStream:
		return result.Latency != nil
	}
	return kept
}

// writeSummaryStats lists what the launch gave. LoadGen's minimum, maximum and p97
// are no estimates of assay and are left out.
func writeSummaryStats(r Report, result mlperf.Result, line func(key, format string, args ...any)) {
	line("Queries", "%d, of %d samples in %.6g s", result.Queries, result.Samples, result.Seconds)
	for _, m := range []struct {
		metric metric.Metric
		name   string
	}{{metric.E2E, "latency"}, {metric.TTFT, "first token latency"}, {metric.TPOT, "time per output token"}} {
		for _, statistic := range []string{"mean", "p50", "p90", "p95", "p99", "p99.9"} {
			for _, row := range r.Estimates.Rows {
				if row.Metric != m.metric.ID || row.Statistic != statistic || row.Point != result.Point {
					continue
				}
				for _, v := range row.PerLaunch {
					if v.Launch == result.Launch {
						line(fmt.Sprintf("%s %s (ns)", statistic, m.name), "%.0f", v.Value*1e9)
					}
				}
			}
		}
	}
}

func pointRate(r Report, index int) float64 {
	point, _ := r.Plan.PointByIndex(index)
	return point.Rate
}

func launchSeed(r Report, index int) int64 {
	for _, l := range r.Plan.Launches {
		if l.Index == index {
			return l.Seed
		}
	}
	return 0
}
