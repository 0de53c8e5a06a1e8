package compare

import (
	"slices"
	"strings"

	"assay/metric"
	"assay/spec"
)

// A named is the row that a name of the contract stands for.
type named struct{ name, metric, statistic string }

// contractNames are the names under which documents declare metrics. A document
// may also name a definition: ttft.v2, or ttft.v2 p99.
var contractNames = []named{
	{"ttft_ms", "ttft.v2", "p50"},
	{"p50_ttft_ms", "ttft.v2", "p50"},
	{"p99_ttft_ms", "ttft.v2", "p99"},
	{"tpot_ms", "tpot.v1", "p50"},
	{"tokens_per_second", "output_throughput.v1", "value"},
	{"requests_per_second", "request_throughput.v2", "value"},
	{"p50_latency_ms", "e2e.v2", "p50"},
	{"p95_latency_ms", "e2e.v2", "p95"},
	{"p99_latency_ms", "e2e.v2", "p99"},
	{"jitter_ms", "jitter_sd.v2", "p50"},
	{"request_goodput", "goodput.v2", "value"},
	{"gpu_utilization_pct", "gpu_utilisation.v1", "value"},
	{"cost_per_token_usd", "cost_per_output_token.v1", "value"},
	{"cost_per_request_usd", "cost_per_request.v1", "value"},
	{"error_rate", "error_rate.v1", "value"},
	{"time_to_train_hours", "time_to_train.v1", "value"},
	{"mfu_pct", "training_mfu.v1", "value"},
	{"scaling_efficiency_pct", "scaling_efficiency.v1", "value"},
	{"training_reliability_pct", "training_reliability.v1", "value"},
}

// stands returns what a declared name stands for; false when this version
// computes nothing of that name.
func stands(declared string) (named, bool) {
	for _, n := range contractNames {
		if n.name == declared {
			return n, slices.ContainsFunc(metric.All, func(m metric.Metric) bool { return m.ID == n.metric })
		}
	}
	id, statistic, _ := strings.Cut(declared, " ")
	i := slices.IndexFunc(metric.All, func(m metric.Metric) bool { return m.ID == id })
	if i < 0 {
		return named{}, false
	}
	if statistic == "" {
		statistic = "value"
		if m := metric.All[i]; m.Distributed() {
			statistic = "p50"
		}
	}
	return named{declared, id, statistic}, true
}

// declaredPrimary lists the primary metrics of a plan.
func declaredPrimary(s spec.RunSpec) []string {
	var list []string
	for _, set := range []spec.MetricSet{s.Metrics.Inference, s.Metrics.Training} {
		if set.Enabled != nil && *set.Enabled {
			list = append(list, set.Primary...)
		}
	}
	return list
}

// markPrimary marks the rows of the metrics that the baseline's plan declares as
// primary, and names those that have none.
func (c *Comparison) markPrimary(a, b Side) {
	for _, declared := range declaredPrimary(a.Plan.Decided()) {
		meant, known := stands(declared)
		if !known {
			c.Missing = append(c.Missing, Missing{What: "primary metric " + declared, Side: a.Label + " and " + b.Label, Why: "this version computes no such metric"})
			continue
		}
		marked := false
		for i := range c.Rows {
			if c.Rows[i].Metric == meant.metric && c.Rows[i].Statistic == meant.statistic {
				c.Rows[i].Primary, marked = true, true
			}
		}
		if !marked {
			c.Missing = append(c.Missing, Missing{What: "primary metric " + declared + " (" + meant.metric + ")", Side: a.Label + " and " + b.Label, Why: "no launch of both has a value"})
		}
	}
}
