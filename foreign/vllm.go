package foreign

import (
	"bytes"

	"assay/bundle"
	"assay/spec"
	"assay/unit"
)

const vllmWants = "a result of vllm bench serve --save-result"

// VLLM reads results of vLLM's serving benchmark, of the Python program and of
// the Rust one, which writes the same fields.
var VLLM = Tool{
	Name: "vllm",
	Doc:  "JSON files of vllm bench serve or vllm-bench with --save-result; with --save-detailed single requests are read; files at one load become launches",
	Claims: func(path string) bool {
		head := Head(path)
		return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte(`"endpoint_type"`)) && bytes.Contains(head, []byte(`"backend"`))
	},
	Read: func(paths []string) (Import, error) { return readServings(vllmKind, paths) },
}

var vllmKind = servingKind{
	tool: "vllm", want: vllmWants,
	figures: []servingFigure{
		{"completed", figure{unit: unit.Request, definition: "requests with at least one event that held choices"}},
		{"failed", figure{unit: unit.Request, definition: "requests without one; vllm-bench first sends a request whose connection failed up to three times more"}},
		{"total_input_tokens", figure{unit: unit.Token, definition: "tokens of the prompts as the tokenizer or the server counts them"}},
		{"total_output_tokens", figure{unit: unit.Token, definition: "usage of the server, else the tokenizer's count, else 1 for each answer"}},
		{"request_throughput", figure{unit: unit.RequestPerSecond, metric: "request_throughput.v2"}},
		{"request_goodput", figure{unit: unit.RequestPerSecond, definition: "requests within all limits that were given / duration; counted from the send"}},
		{"output_throughput", figure{unit: unit.TokenPerSecond, definition: "total_output_tokens / duration, the drain at the end included"}},
		{"total_token_throughput", figure{unit: unit.TokenPerSecond, definition: "input and output tokens / duration, the drain at the end included"}},
		{"max_output_tokens_per_s", figure{unit: unit.TokenPerSecond, definition: "events, not tokens, in the fullest second"}},
		{"max_concurrent_requests", figure{unit: unit.Request, definition: "requests that touched the fullest second, whether or not at one time: above the number in flight"}},
	},
	statistics: []servingFigure{
		{"ttft", figure{definition: "from the send, after any wait for a place in flight, to the first event with choices, whether or not it holds text"}},
		{"tpot", figure{definition: "(latency − TTFT) / (output tokens − 1)"}},
		{"itl", figure{definition: "between two events with choices, those without text too; one gap per event, whatever number of tokens it holds"}},
		{"e2el", figure{definition: "from the send, after any wait for a place in flight, to the last event with choices; in older versions to the usage event"}},
		{"client_queue_time", figure{definition: "wait of a request for a place among --max-concurrency"}},
		{"e2el_including_client_queue", figure{definition: "latency and the wait for a place among --max-concurrency"}},
	},
	unknown: []bundle.Gap{
		{ID: bundle.GapRetries, Detail: "the Rust program sends a request whose connection failed up to three times more and does not say so"},
		{ID: bundle.GapWarmup, Detail: "warm-up requests are not in the result; ramp and drain are part of the run"},
		{ID: bundle.GapTokens, Detail: "usage, or else the tokenizer: which of them counted is not stored"},
		{ID: bundle.GapClient, Detail: "it does not say when its one process was the limit"},
		{ID: bundle.GapHost, Detail: "neither the machine nor the version of the tool is described"},
		{ID: bundle.GapSeed, Detail: "seed and data set are not stored"},
		{ID: bundle.GapServer, Detail: "of the server's own counters only those of speculative decoding are read"},
	},
	notes: func(s serving) (list []string) {
		if s.open() && s.lists.detailed() && s.lists.arrivals() {
			list = append(list, "a request was due when the client's loop reached it, which is its send less its queue time; how late that loop was is not reported")
		}
		if s.chat() && s.lists.detailed() {
			list = append(list, "in chats the first event counts as the first token even when it only names the role: then TTFT is early and the first gap is no gap between tokens")
		}
		if s.lists.detailed() && len(s.lists.latencies) == 0 {
			list = append(list, "latencies are not stored: a request is taken to end with its last event")
		}
		return list
	},
	arrival: func(s serving) string {
		if b, ok := s.numbers["burstiness"]; ok && b != 1 {
			return "" // gamma, rescaled to the asked total
		}
		return spec.ArrivalPoisson
	},
}
