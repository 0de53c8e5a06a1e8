package warehouse

import (
	"fmt"
	"slices"
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
var outcomeColumns = []Column{
	{"artifact_manifest_digest", Text, false}, {"run_id", Text, false}, {"benchmark_case_id", Text, false}, {"workload_spec_digest", Text, false}, {"query_spec_digest", Text, false},
	{"day", Text, false}, {"point_name", Text, false}, {"side", Text, false}, {"concurrency", Integer, false}, {"rate", Real, false}, {"ranks", Integer, false}, {"launches", Integer, false},
}

// ofRuns are those of them that a run has; the others, but for the count of launches, are of
// its points.
var ofRuns = []string{"artifact_manifest_digest", "run_id", "benchmark_case_id", "workload_spec_digest", "query_spec_digest", "day"}

const servingKinds, trainingKinds, everyKind = "f.kind = 'serving'", "f.kind = 'steps'", "1 = 1"

var outcomeViews = outcomeView("serving_outcome_fact", servingKinds, servingOutcomes) +
	outcomeView("training_outcome_fact", trainingKinds, trainingOutcomes) +
	outcomeView("telemetry_slice_fact", everyKind, telemetryOutcomes)

// outcomeView is the statement that makes one.
func outcomeView(name, kinds string, list []outcome) string {
	return "\nCREATE VIEW " + name + " AS " + outcomeQuery(kinds, list) + ";\n"
}

// outcomeQuery has a row for each run, point and side that has any of the metrics. Every
// engine understands it, which is why it groups by what follows from the run as well.
func outcomeQuery(kinds string, list []outcome) string {
	return outcomesOf(`metric_fact f JOIN benchmark_run_fact r ON r.artifact_manifest_digest = f.artifact_manifest_digest`, kinds, list)
}

// outcomesOfPartition is the same of one day and workload, from its runs to their facts: as a
// condition on the view it would make all of the view's rows first.
func outcomesOfPartition(kinds string, list []outcome) string {
	return outcomesOf(`benchmark_run_fact r CROSS JOIN metric_fact f ON r.artifact_manifest_digest = f.artifact_manifest_digest`,
		"r.day = ?1 AND r.workload_spec_digest = ?2 AND "+kinds, list)
}

func outcomesOf(tables, kinds string, list []outcome) string {
	var columns, metrics []string
	for _, o := range list {
		columns = append(columns, fmt.Sprintf("max(CASE WHEN f.metric = '%s' AND f.statistic = '%s' THEN f.value END) AS %s", o.metric, o.statistic, o.column))
		metrics = append(metrics, "'"+o.metric+"'")
	}
	var names, of []string
	for _, c := range outcomeColumns[:len(outcomeColumns)-1] {
		from := "f."
		if slices.Contains(ofRuns, c.Name) {
			from = "r."
		}
		// Named, since ClickHouse would call it r.run_id in the view.
		names, of = append(names, from+c.Name+" AS "+c.Name), append(of, from+c.Name)
	}
	return fmt.Sprintf(`SELECT %s, max(f.n) AS launches,
	%s
	FROM %s
	WHERE %s AND f.metric IN (%s)
	GROUP BY %s, f.point`, strings.Join(names, ", "), strings.Join(columns, ",\n\t"), tables, kinds, strings.Join(metrics, ", "), strings.Join(of, ", "))
}
