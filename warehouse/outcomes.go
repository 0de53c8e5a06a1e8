package warehouse

import (
	"fmt"
	"strings"
)

// An outcome is one column of a table of outcomes: a statistic of a metric.
type outcome struct{ column, metric, statistic string }

// The columns of the tables of outcomes, as the contract lists them. They are views: the
// number itself stands once, in metric_fact, with its interval.
var (
	servingOutcomes = []outcome{
		{"ttft_p50_s", "ttft.v2", "p50"}, {"ttft_p95_s", "ttft.v2", "p95"}, {"ttft_p99_s", "ttft.v2", "p99"},
		{"tpot_p50_s", "tpot.v1", "p50"}, {"tpot_p95_s", "tpot.v1", "p95"}, {"tpot_p99_s", "tpot.v1", "p99"},
		{"itl_p50_s", "itl_chunk.v2", "p50"}, {"itl_p95_s", "itl_chunk.v2", "p95"}, {"itl_p99_s", "itl_chunk.v2", "p99"},
		{"e2e_p50_s", "e2e.v2", "p50"}, {"e2e_p95_s", "e2e.v2", "p95"}, {"e2e_p99_s", "e2e.v2", "p99"},
		{"jitter_s", "jitter_sd.v2", "mean"}, {"output_tokens_per_s", "output_throughput.v1", "value"},
		{"requests_per_s", "request_throughput.v2", "value"}, {"error_rate", "error_rate.v1", "value"},
		{"queueing_delay_s", "server_queue_time.v1", "mean"}, {"cost_per_request_usd", "cost_per_request.v1", "value"},
		{"cost_per_token_usd", "cost_per_output_token.v1", "value"},
	}
	trainingOutcomes = []outcome{
		{"step_time_p50_s", "step_time.v1", "p50"}, {"step_time_p95_s", "step_time.v1", "p95"}, {"step_time_p99_s", "step_time.v1", "p99"},
		{"tokens_per_s", "training_tokens.v1", "value"}, {"time_to_train_s", "time_to_train.v1", "value"}, {"mfu", "training_mfu.v1", "value"},
		{"scaling_efficiency", "scaling_efficiency.v1", "value"}, {"reliability", "training_reliability.v1", "value"},
	}
	telemetryOutcomes = []outcome{
		{"gpu_utilisation", "gpu_utilisation.v1", "value"}, {"gpu_power_w", "gpu_power.v1", "value"}, {"gpu_energy_j", "gpu_energy.v1", "value"},
		{"gpu_memory_bytes", "gpu_memory.v1", "value"}, {"host_energy_j", "host_energy.v1", "value"},
		{"server_queue_depth", "server_queue_depth.v1", "value"}, {"kv_cache_usage", "kv_cache_usage.v1", "value"},
	}
)

// outcomeColumns are what every table of outcomes begins with.
var outcomeColumns = []column{
	{"artifact_manifest_digest", text}, {"run_id", text}, {"benchmark_case_id", text}, {"workload_spec_digest", text}, {"query_spec_digest", text},
	{"day", text}, {"point_name", text}, {"side", text}, {"concurrency", integer}, {"rate", real}, {"ranks", integer}, {"launches", integer},
}

const servingKinds, trainingKinds, everyKind = "f.kind = 'serving'", "f.kind = 'steps'", "1"

var outcomeViews = outcomeView("serving_outcome_fact", servingKinds, servingOutcomes) +
	outcomeView("training_outcome_fact", trainingKinds, trainingOutcomes) +
	outcomeView("telemetry_slice_fact", everyKind, telemetryOutcomes)

// outcomeView is the statement that makes one: a row for each run, point and side that has
// any of the metrics.
func outcomeView(name, kinds string, list []outcome) string {
	var columns, metrics []string
	for _, o := range list {
		columns = append(columns, fmt.Sprintf("max(CASE WHEN f.metric = '%s' AND f.statistic = '%s' THEN f.value END) AS %s", o.metric, o.statistic, o.column))
		metrics = append(metrics, "'"+o.metric+"'")
	}
	return fmt.Sprintf(`
CREATE VIEW %s AS SELECT r.artifact_manifest_digest, r.run_id, r.benchmark_case_id, r.workload_spec_digest, r.query_spec_digest, r.day,
	f.point_name, f.side, f.concurrency, f.rate, f.ranks, max(f.n) AS launches,
	%s
	FROM metric_fact f JOIN benchmark_run_fact r USING (artifact_manifest_digest)
	WHERE %s AND f.metric IN (%s)
	GROUP BY r.artifact_manifest_digest, f.point, f.side;
`, name, strings.Join(columns, ",\n\t"), kinds, strings.Join(metrics, ", "))
}
