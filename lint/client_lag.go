package lint

import (
	"fmt"
	"slices"

	"assay/metric"
	"assay/stats"
)

// The share of a latency that the client's delay may be. In an open loop latency counts
// from when a call was due, so that the send lag is part of it; in a closed loop the
// turnaround comes between two answers, and users ask that much less often. Up to a
// twentieth is less than people compare. An interval that is wider hides a little more,
// but never more than a tenth: what shifts every launch alike shows in no interval.
const (
	limitLagShare = .05
	mostLagShare  = .1
)

// delays are the metrics of the client's own delay: each point has one of them.
var delays = []metric.Metric{metric.Lag, metric.Turnaround}

// lagging lists the latencies beside which the client's delay is too large. Each is held
// against the delay at its own percentile, as far as the report shows it: the slowest
// hundredth of the sends says nothing about a median.
func lagging(f *Facts) []string {
	var list []string
	for _, statistic := range []string{"p50", "p90", "p99"} {
		for _, delay := range delays {
			list = append(list, delayed(f, delay, statistic)...)
		}
	}
	return list
}

func delayed(f *Facts, delay metric.Metric, statistic string) (list []string) {
	for _, row := range rowsOf(f, delay.ID, statistic) {
		reported, ok := latencyBeside(f, row)
		if !ok {
			continue
		}
		if limit := lagShare(reported); row.Value > limit*reported.Value {
			list = append(list, fmt.Sprintf("%s: %s %s %s is %.0f %% of %s %s %s (limit %.2g %%)", rowName(f, row), delay.Name, statistic,
				duration(row.Value), 100*row.Value/reported.Value, reported.Name, statistic, duration(reported.Value), 100*limit))
		}
	}
	return list
}

// latencyBeside is the latency that a delay is held against. A send lag is part of TTFT,
// or of E2E where answers come in one piece; a turnaround follows a whole answer. One that too few requests were made for is not shown, and not judged.
func latencyBeside(f *Facts, lag metric.Row) (metric.Row, bool) {
	at := placeTally{side: lag.Side}
	at.point.Index = lag.Point
	candidates := []metric.Metric{metric.TTFT, metric.E2E}
	if lag.Metric == metric.Turnaround.ID {
		candidates = candidates[1:]
	}
	for _, of := range candidates {
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

// LagLimit is the delay, in seconds, beyond which the client is the limit of a
// latency; 0 while that is not known.
func LagLimit(latency float64) float64 { return limitLagShare * latency }
