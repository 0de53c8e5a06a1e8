package foreign

import (
	"bytes"

	"assay/bundle"
	"assay/spec"
	"assay/unit"
)

const sglangWants = "results of sglang's bench_serving, one JSON object on each line"

// SGLang reads the results of SGLang's bench_serving.
var SGLang = Tool{
	Name: "sglang",
	Doc:  "JSONL files of sglang.bench_serving --output-file; with --output-details single requests are read; lines at one load become launches",
	Claims: func(path string) bool {
		head := Head(path)
		return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte(`"sharegpt_output_len"`)) && bytes.Contains(head, []byte(`"total_output_tokens_retokenized"`))
	},
	Read: func(paths []string) (Import, error) { return readServings(sglangKind, paths) },
}

var sglangKind = servingKind{
	tool: "sglang", want: sglangWants,
	figures: []servingFigure{
		{"completed", figure{unit: unit.Request, definition: "requests that the client calls a success; how many failed is not reported"}},
		{"total_input_tokens", figure{unit: unit.Token, definition: "tokens of the prompts as the client built them"}},
		{"total_output_tokens", figure{unit: unit.Token, definition: "usage of the server where it comes unasked, else the length that was asked for, produced or not"}},
		{"total_output_tokens_retokenized", figure{unit: unit.Token, definition: "tokens of the answers as the client's tokenizer counts them"}},
		{"request_throughput", figure{unit: unit.RequestPerSecond, metric: "request_throughput.v2"}},
		{"input_throughput", figure{unit: unit.TokenPerSecond, definition: "total_input_tokens / duration, the drain at the end included"}},
		{"output_throughput", figure{unit: unit.TokenPerSecond, definition: "total_output_tokens / duration, the drain at the end included"}},
		{"total_throughput", figure{unit: unit.TokenPerSecond, definition: "input and output tokens / duration, the drain at the end included"}},
		{"concurrency", figure{unit: unit.Ratio, definition: "sum of latencies / duration"}},
		{"accept_length", figure{unit: unit.Token, definition: "tokens accepted in a step of speculative decoding, as the server says"}},
		{"max_output_tokens_per_s", figure{unit: unit.TokenPerSecond, definition: "events, not tokens, in the fullest second"}},
		{"max_concurrent_requests", figure{unit: unit.Request, definition: "requests that touched the fullest second, whether or not at one time: above the number in flight"}},
	},
	statistics: []servingFigure{
		{"ttft", figure{definition: "from the send, the opening of a connection included, to the first event with text or reasoning"}},
		{"tpot", figure{definition: "(latency − TTFT) / (output tokens − 1), output tokens as asked for where the server does not tell"}},
		{"itl", figure{definition: "between two events with text; spread over the tokens of an event where the server speculates"}},
		{"e2e_latency", figure{definition: "from the send, the opening of a connection included, to the last line of the stream"}},
	},
	unknown: []bundle.Gap{
		{ID: bundle.GapWarmup, Detail: "warm-up requests are not in the result; ramp and drain are part of the run"},
		{ID: bundle.GapTokens, Detail: "usage is not asked for: without it the length that was asked for counts as produced"},
		{ID: bundle.GapClient, Detail: "it does not say when its one process was the limit, and opens a connection for each request"},
		{ID: bundle.GapHost, Detail: "neither the machine nor the version of the client is described"},
		{ID: bundle.GapSeed, Detail: "the seed is not stored"},
		{ID: bundle.GapServer, Detail: "the server's own counters are not read"},
	},
	notes: func(s serving) (list []string) {
		if s.lists.detailed() {
			list = append(list, "the end of single requests is not stored: a request is taken to end with its last event that held text")
		}
		if s.open() {
			list = append(list, "the client sleeps for a random time after each send: the offered rate is below the asked one by what sending costs")
		}
		return list
	},
	arrival: func(serving) string { return spec.ArrivalPoisson },
}
