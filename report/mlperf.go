package report

import (
	"bytes"
	"fmt"
	"strings"

	"assay/analysis/mlperf"
	"assay/unit"
)

// writeMLPerf shows the judgement of each point by MLPerf's rules.
func writeMLPerf(b *bytes.Buffer, results []mlperf.Result, name func(point int) string) {
	if len(results) == 0 {
		return
	}
	fmt.Fprintf(b, "\nby the rules of MLPerf LoadGen (method only, not a submission)\n")
	for _, r := range results {
		verdict := "VALID"
		if !r.Valid {
			verdict = "INVALID"
		}
		parts := []string{fmt.Sprintf("%d queries, %d samples in %s", r.Queries, r.Samples, unit.Format(r.Seconds, unit.Second))}
		if r.Latency != nil {
			parts = append(parts, fmt.Sprintf("p%g latency at most %s", r.Percentile, unit.Format(*r.Latency, unit.Second)))
		}
		for _, l := range r.Limits {
			estimate := "too few requests"
			if l.Estimate != nil {
				estimate = "at most " + unit.Format(*l.Estimate, unit.Second)
			}
			parts = append(parts, fmt.Sprintf("p%g %s %s (limit %s, %d over)", r.Percentile, l.Metric, estimate, unit.Format(l.Max, unit.Second), l.Over))
		}
		parts = append(parts, unit.Format(r.SamplesPerSecond, unit.RequestPerSecond))
		if r.TokensPerSecond != nil {
			parts = append(parts, unit.Format(*r.TokensPerSecond, unit.TokenPerSecond))
		}
		fmt.Fprintf(b, "  %s, launch %d: %s: %s\n", name(r.Point), r.Launch+1, verdict, strings.Join(parts, ", "))
		for _, reason := range r.Reasons {
			fmt.Fprintf(b, "    %s\n", reason)
		}
	}
}
