package lint

import (
	"fmt"
	"slices"

	"assay/metric"
	"assay/stats"
)

// The share of a latency that the send lag may be. Latency counts from when a call was
// due, so that the lag is part of it: up to a twentieth is less than people compare. An
// interval that is wider hides a little more, but never more than a tenth: what shifts
// every launch alike shows in no interval.
const (
	limitLagShare = .05
	mostLagShare  = .1
)

// lagging lists the latencies of which the send lag is too large a part. Each is held
// against the lag at its own percentile, as far as the report shows it: the slowest
// hundredth of the sends says nothing about a median.
func lagging(f *Facts) []string {
	var list []string
	for _, statistic := range []string{"p50", "p90", "p99"} {
		for _, lag := range rowsOf(f, metric.Lag.ID, statistic) {
			reported, ok := latencyBeside(f, lag)
			if !ok {
				continue
			}
			if limit := lagShare(reported); lag.Value > limit*reported.Value {
				list = append(list, fmt.Sprintf("%s: send lag %s %s is %.0f %% of %s %s %s (limit %.2g %%)", rowName(f, lag), statistic,
					duration(lag.Value), 100*lag.Value/reported.Value, reported.Name, statistic, duration(reported.Value), 100*limit))
			}
		}
	}
	return list
}

// latencyBeside is the latency that a lag is part of: TTFT, or E2E where answers come in
// one piece. One that too few requests were made for is not shown, and not judged.
func latencyBeside(f *Facts, lag metric.Row) (metric.Row, bool) {
	at := placeTally{side: lag.Side}
	at.point.Index = lag.Point
	for _, of := range []metric.Metric{metric.TTFT, metric.E2E} {
		if row, ok := find(f, of.ID, lag.Statistic, at); ok && row.Value > 0 {
			row.Name = of.Name
			return row, !slices.ContainsFunc(row.Warnings, stats.IsTooFew)
		}
	}
	return metric.Row{}, false
}

// lagShare is the share of a latency that the lag may be.
func lagShare(row metric.Row) float64 {
	if !row.Interval.Bounded() {
		return limitLagShare
	}
	return min(mostLagShare, max(limitLagShare, (row.Interval.Hi-row.Interval.Lo)/2/row.Value))
}

// LagLimit is the send lag, in seconds, beyond which the client is the limit of a
// latency; 0 while that is not known.
func LagLimit(latency float64) float64 { return limitLagShare * latency }
