package metric

import (
	"slices"
	"strings"
)

// A serverStat is something that servers count, each under a name of its own.
type serverStat string

// The serverStats that metrics are made of.
const (
	running      serverStat = "requests running"
	waiting      serverStat = "requests waiting"
	cacheUsage   serverStat = "KV cache in use"
	cacheHits    serverStat = "prefix cache hits"
	preemptions  serverStat = "preemptions"
	promptTokens serverStat = "prompt tokens"
	outputTokens serverStat = "generated tokens"
	firstToken   serverStat = "time to first token"
	queueTime    serverStat = "time in the queue"
	accepted     serverStat = "draft tokens accepted"
	iteration    serverStat = "tokens in an iteration"
)

// A serverName is how one engine writes a serverStat on its metrics page.
type serverName struct {
	stat   serverStat
	engine string
	name   string  // as the page has it
	label  string  // a pair that the series must have, such as request_type="waiting"; empty takes every series
	per    string  // the counter to divide the growth of name by; empty where name says it all
	scale  float64 // what the value is multiplied with to be in our unit; 0 means 1
}

// serverNames lists the names, newest spelling first: of two names for one on
// one page the first one here counts. The raw samples keep the servers' own
// names. Durations and shares are ratios of two counters over the window; engines
// that publish a share only as a gauge have no per, and its mean is taken.
//
// The spellings are those of vLLM 0.4 to 0.11 (V0 and V1), SGLang 0.4 to 0.5,
// Text Generation Inference 2 and 3, trtllm-serve 1.x, Triton 24 and 25 with its
// TensorRT-LLM backend, and llama.cpp's server. The simulator speaks vLLM's.
var serverNames = []serverName{
	{running, "vLLM", "vllm:num_requests_running", "", "", 0},
	{running, "SGLang", "sglang:num_running_reqs", "", "", 0},
	{running, "TGI", "tgi_batch_current_size", "", "", 0},
	{running, "TensorRT-LLM", "trtllm_num_requests_running", "", "", 0},
	{running, "Triton", "nv_trt_llm_request_metrics", `request_type="scheduled"`, "", 0},
	{running, "llama.cpp", "llamacpp:requests_processing", "", "", 0},

	{waiting, "vLLM", "vllm:num_requests_waiting", "", "", 0},
	{waiting, "SGLang", "sglang:num_queue_reqs", "", "", 0},
	{waiting, "TGI", "tgi_queue_size", "", "", 0},
	{waiting, "TensorRT-LLM", "trtllm_num_requests_waiting", "", "", 0},
	{waiting, "Triton", "nv_trt_llm_request_metrics", `request_type="waiting"`, "", 0},
	{waiting, "Triton", "nv_inference_pending_request_count", "", "", 0},
	{waiting, "llama.cpp", "llamacpp:requests_deferred", "", "", 0},

	{cacheUsage, "vLLM", "vllm:kv_cache_usage_perc", "", "", 0},
	{cacheUsage, "vLLM", "vllm:gpu_cache_usage_perc", "", "", 0},
	{cacheUsage, "SGLang", "sglang:token_usage", "", "", 0},
	{cacheUsage, "TensorRT-LLM", "trtllm_kv_cache_utilization", "", "", 0},
	{cacheUsage, "Triton", "nv_trt_llm_kv_cache_block_metrics", `kv_cache_block_type="fraction"`, "", 0},
	{cacheUsage, "llama.cpp", "llamacpp:kv_cache_usage_ratio", "", "", 0},

	{cacheHits, "vLLM", "vllm:prefix_cache_hits_total", "", "vllm:prefix_cache_queries_total", 0},
	{cacheHits, "vLLM", "vllm:gpu_prefix_cache_hits_total", "", "vllm:gpu_prefix_cache_queries_total", 0},
	{cacheHits, "vLLM", "vllm:gpu_prefix_cache_hit_rate", "", "", 0},
	{cacheHits, "SGLang", "sglang:cached_tokens_total", "", "sglang:prompt_tokens_total", 0},
	{cacheHits, "SGLang", "sglang:cache_hit_rate", "", "", 0},
	{cacheHits, "TensorRT-LLM", "trtllm_kv_cache_hit_rate", "", "", 0},

	{preemptions, "vLLM", "vllm:num_preemptions_total", "", "", 0},

	{promptTokens, "vLLM", "vllm:prompt_tokens_total", "", "", 0},
	{promptTokens, "SGLang", "sglang:prompt_tokens_total", "", "", 0},
	{promptTokens, "TGI", "tgi_request_input_length_sum", "", "", 0},
	{promptTokens, "llama.cpp", "llamacpp:prompt_tokens_total", "", "", 0},

	{outputTokens, "vLLM", "vllm:generation_tokens_total", "", "", 0},
	{outputTokens, "SGLang", "sglang:generation_tokens_total", "", "", 0},
	{outputTokens, "TGI", "tgi_request_generated_tokens_sum", "", "", 0},
	{outputTokens, "llama.cpp", "llamacpp:tokens_predicted_total", "", "", 0},

	{firstToken, "vLLM", "vllm:time_to_first_token_seconds_sum", "", "vllm:time_to_first_token_seconds_count", 0},
	{firstToken, "SGLang", "sglang:time_to_first_token_seconds_sum", "", "sglang:time_to_first_token_seconds_count", 0},
	{firstToken, "TensorRT-LLM", "trtllm_time_to_first_token_seconds_sum", "", "trtllm_time_to_first_token_seconds_count", 0},
	{firstToken, "Triton", "nv_inference_first_response_histogram_ms_sum", "", "nv_inference_first_response_histogram_ms_count", 1e-3},

	{queueTime, "vLLM", "vllm:request_queue_time_seconds_sum", "", "vllm:request_queue_time_seconds_count", 0},
	{queueTime, "vLLM", "vllm:time_in_queue_requests_sum", "", "vllm:time_in_queue_requests_count", 0},
	{queueTime, "SGLang", "sglang:queue_time_seconds_sum", "", "sglang:queue_time_seconds_count", 0},
	{queueTime, "TGI", "tgi_request_queue_duration_sum", "", "tgi_request_queue_duration_count", 0},
	{queueTime, "TensorRT-LLM", "trtllm_request_queue_time_seconds_sum", "", "trtllm_request_queue_time_seconds_count", 0},
	{queueTime, "Triton", "nv_inference_queue_duration_us", "", "nv_inference_request_success", 1e-6},

	{iteration, "vLLM", "vllm:iteration_tokens_total_sum", "", "vllm:iteration_tokens_total_count", 0},

	{accepted, "vLLM", "vllm:spec_decode_num_accepted_tokens_total", "", "vllm:spec_decode_num_draft_tokens_total", 0},
	{accepted, "vLLM", "vllm:spec_decode_draft_acceptance_rate", "", "", 0},
	{accepted, "SGLang", "sglang:spec_accept_rate", "", "", 0},
}

// isTotal reports whether name is a counter of the table rather than a gauge.
func isTotal(name string) bool {
	return slices.ContainsFunc(serverNames, func(n serverName) bool {
		total := n.per != "" || n.stat == preemptions || n.stat == promptTokens || n.stat == outputTokens
		return total && (n.name == name || n.per == name)
	})
}

// takes reports whether a series with this scope is one that n speaks of.
func (n serverName) takes(scope string) bool {
	return n.label == "" || strings.Contains(scope, n.label)
}

func (n serverName) factor() float64 {
	if n.scale == 0 {
		return 1
	}
	return n.scale
}

// Levels are the serverStats that stand at some level at every moment, in the order in
// which people ask for them.
var Levels = []string{string(running), string(waiting), string(cacheUsage)}

// ServerLevel says which of Levels a series of a target's metrics page is, whatever
// the engine calls it, and false for anything else. Where a page has a level under
// two names, the one of the lower place counts.
func ServerLevel(name, scope string) (stat string, place int, ok bool) {
	for i, n := range serverNames {
		if n.name == name && n.takes(scope) && slices.Contains(Levels, string(n.stat)) {
			return string(n.stat), i, true
		}
	}
	return "", 0, false
}

// SharedLevel reports whether a level is a share, whose mean and not sum over
// several replicas has a meaning.
func SharedLevel(stat string) bool { return stat == string(cacheUsage) }
