package spec

import "slices"

// RequestTimes are the metrics, beside ttft, tpot and e2e, that have one time for
// each request: an objective limits it by max. Each is the metric of that name in
// docs/reference/metrics.md.
var RequestTimes = []string{
	"ttft_content", "ttft_reasoning", "ttft_event", "ttft_service", "answer_ttft", "ttft_visible", "answer_ttft_visible", "ttfb", "ttst",
	"tpot_tokenizer", "tpot_done", "tpot_done_tokenizer", "tpot_request", "tpot_after_first", "ntpot", "ntpot_tokenizer",
	"lag", "turnaround", "service_time", "last_output", "output_latency", "reasoning_time",
	"longest_gap", "jitter_sd", "jitter_step",
}

// RequestSpeeds are the metrics that have one speed for each request, in tokens
// per second: an objective limits it by min.
var RequestSpeeds = []string{
	"user_speed", "user_speed_tokenizer", "user_speed_e2e", "user_speed_e2e_tokenizer", "prefill_speed",
}

func sloMetricNames() []string {
	return slices.Concat([]string{"ttft", "tpot", "itl", "e2e", "error_rate", "tokens_per_second", "requests_per_second"}, RequestTimes, RequestSpeeds)
}

// ObjectiveBound says which bound a metric takes; empty for an unknown one.
func ObjectiveBound(metric string) string {
	switch {
	case slices.Contains(RequestTimes, metric):
		return "max"
	case slices.Contains(RequestSpeeds, metric):
		return "min"
	}
	return sloBounds[metric]
}
