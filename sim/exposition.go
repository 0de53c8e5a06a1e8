package sim

import (
	"fmt"
	"io"
	"math"
	"strconv"
)

// A series is one metric of the metrics page. The names are vLLM's, old and new
// ones side by side, so that a scraper made for any version finds its own.
type series struct {
	name, kind, help string
	write            func(w io.Writer, name, model string)
}

func (m *meter) series(factor float64) []series {
	usage := math.Float64frombits(m.cacheUsage.Load())
	running := m.seqRunning.Load()
	if m.fixed {
		running = m.running.Load()
	}
	count := func(n int64) func(io.Writer, string, string) { return value(float64(n)) }
	return []series{
		{"vllm:num_requests_running", "gauge", "Sequences in the batch.", count(running)},
		{"vllm:num_requests_waiting", "gauge", "Sequences waiting to be admitted.", count(m.seqWaiting.Load() + m.unseen.Load())},
		{"vllm:kv_cache_usage_perc", "gauge", "Share of the KV cache in use, 1 is all.", value(usage)},
		{"vllm:gpu_cache_usage_perc", "gauge", "Share of the KV cache in use, 1 is all.", value(usage)},
		{"vllm:num_preemptions_total", "counter", "Sequences put out of the batch.", count(m.preemptions.Load())},
		{"vllm:prompt_tokens_total", "counter", "Prompt tokens of accepted requests.", count(m.promptTokens.Load())},
		{"vllm:generation_tokens_total", "counter", "Tokens generated.", count(m.generationTokens.Load())},
		{"vllm:prefix_cache_queries_total", "counter", "Prompt tokens looked up in the prefix cache.", count(m.prefixQueries.Load())},
		{"vllm:prefix_cache_hits_total", "counter", "Prompt tokens found in the prefix cache.", count(m.prefixHits.Load())},
		{"vllm:request_success_total", "counter", "Choices completed.", m.writeSuccess},
		{"vllm:time_to_first_token_seconds", "histogram", "From arrival to the first token.", m.ttft.write},
		{"vllm:inter_token_latency_seconds", "histogram", "Between tokens of a choice.", m.itl.write},
		{"vllm:time_per_output_token_seconds", "histogram", "Between tokens of a choice.", m.itl.write},
		{"vllm:e2e_request_latency_seconds", "histogram", "From arrival to the last token.", m.e2e.write},
		{"vllm:request_queue_time_seconds", "histogram", "From arrival to the first iteration.", m.queued.write},
		{"assay_sim_launch_factor", "gauge", "What this launch multiplies every time of the cost model by.", value(factor)},
	}
}

func value(v float64) func(io.Writer, string, string) {
	return func(w io.Writer, name, model string) {
		fmt.Fprintf(w, "%s{model_name=%q} %s\n", name, model, number(v))
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func (m *meter) writeSuccess(w io.Writer, name, model string) {
	fmt.Fprintf(w, "%s{finished_reason=\"stop\",model_name=%q} %d\n", name, model, m.stops.Load())
	fmt.Fprintf(w, "%s{finished_reason=\"length\",model_name=%q} %d\n", name, model, m.lengths.Load())
}

func (h *histogram) write(w io.Writer, name, model string) {
	total := int64(0)
	for i, bound := range h.bounds {
		total += h.counts[i].Load()
		fmt.Fprintf(w, "%s_bucket{le=%q,model_name=%q} %d\n", name, number(bound), model, total)
	}
	total += h.counts[len(h.bounds)].Load()
	fmt.Fprintf(w, "%s_bucket{le=\"+Inf\",model_name=%q} %d\n", name, model, total)
	fmt.Fprintf(w, "%s_sum{model_name=%q} %s\n", name, model, number(float64(h.sum.Load())/1e9))
	fmt.Fprintf(w, "%s_count{model_name=%q} %d\n", name, model, total)
}
