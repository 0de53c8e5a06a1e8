package sim

import (
	"math"

	dto "github.com/prometheus/client_model/go"
)

// families is the metrics page. The names are vLLM's, old and new ones side by side,
// so that a scraper made for any version finds its own.
func (m *meter) families(factor float64, model string) []*dto.MetricFamily {
	usage := math.Float64frombits(m.cacheUsage.Load())
	running := m.seqRunning.Load()
	if m.fixed {
		running = m.running.Load()
	}
	of := label("model_name", model)
	return []*dto.MetricFamily{
		gauge("vllm:num_requests_running", "Sequences in the batch.", float64(running), of),
		gauge("vllm:num_requests_waiting", "Sequences waiting to be admitted.", float64(m.seqWaiting.Load()+m.unseen.Load()), of),
		gauge("vllm:kv_cache_usage_perc", "Share of the KV cache in use, 1 is all.", usage, of),
		gauge("vllm:gpu_cache_usage_perc", "Share of the KV cache in use, 1 is all.", usage, of),
		family("vllm:num_preemptions_total", "Sequences put out of the batch.", counter(m.preemptions.Load(), of)),
		family("vllm:prompt_tokens_total", "Prompt tokens of accepted requests.", counter(m.promptTokens.Load(), of)),
		family("vllm:generation_tokens_total", "Tokens generated.", counter(m.generationTokens.Load(), of)),
		family("vllm:prefix_cache_queries_total", "Prompt tokens looked up in the prefix cache.", counter(m.prefixQueries.Load(), of)),
		family("vllm:prefix_cache_hits_total", "Prompt tokens found in the prefix cache.", counter(m.prefixHits.Load(), of)),
		family("vllm:request_success_total", "Choices completed.",
			counter(m.stops.Load(), label("finished_reason", "stop"), of), counter(m.lengths.Load(), label("finished_reason", "length"), of)),
		family("vllm:time_to_first_token_seconds", "From arrival to the first token.", m.ttft.metric(of)),
		family("vllm:inter_token_latency_seconds", "Between tokens of a choice.", m.itl.metric(of)),
		family("vllm:time_per_output_token_seconds", "Between tokens of a choice.", m.itl.metric(of)),
		family("vllm:e2e_request_latency_seconds", "From arrival to the last token.", m.e2e.metric(of)),
		family("vllm:request_queue_time_seconds", "From arrival to the first iteration.", m.queued.metric(of)),
		gauge("assay_sim_launch_factor", "What this launch multiplies every time of the cost model by.", factor, of),
	}
}

func label(name, value string) *dto.LabelPair { return &dto.LabelPair{Name: &name, Value: &value} }

// family is the metrics of one name, all of one kind.
func family(name, help string, metrics ...*dto.Metric) *dto.MetricFamily {
	kind := dto.MetricType_GAUGE
	switch {
	case metrics[0].Counter != nil:
		kind = dto.MetricType_COUNTER
	case metrics[0].Histogram != nil:
		kind = dto.MetricType_HISTOGRAM
	}
	return &dto.MetricFamily{Name: &name, Help: &help, Type: &kind, Metric: metrics}
}

func gauge(name, help string, v float64, labels ...*dto.LabelPair) *dto.MetricFamily {
	return family(name, help, &dto.Metric{Label: labels, Gauge: &dto.Gauge{Value: &v}})
}

func counter(n int64, labels ...*dto.LabelPair) *dto.Metric {
	return &dto.Metric{Label: labels, Counter: &dto.Counter{Value: new(float64(n))}}
}

func (h *histogram) metric(labels ...*dto.LabelPair) *dto.Metric {
	out := &dto.Histogram{SampleSum: new(float64(h.sum.Load()) / 1e9)}
	total := uint64(0)
	for i := range h.counts {
		total += uint64(h.counts[i].Load())
		if i < len(h.bounds) {
			out.Bucket = append(out.Bucket, &dto.Bucket{UpperBound: &h.bounds[i], CumulativeCount: new(total)})
		}
	}
	out.SampleCount = &total // the bucket +Inf is written from it
	return &dto.Metric{Label: labels, Histogram: out}
}
