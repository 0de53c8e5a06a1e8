package agreement

import "assay/metric"

// A quantity is something that every tool reports, and our definitions of it, the
// first that a bundle has.
type quantity struct {
	name    string
	metrics []string
	rate    bool // one number for a point, which some tools call a mean
	tokens  bool // it depends on who counted the tokens
}

var (
	ttft       = quantity{name: "TTFT", metrics: []string{metric.TTFT.ID}}
	e2e        = quantity{name: "E2E", metrics: []string{metric.E2E.ID}}
	itl        = quantity{name: "ITL", metrics: []string{metric.ITL.ID}}
	tpot       = quantity{name: "TPOT", metrics: []string{metric.TPOT.ID, metric.TPOTDone.ID}, tokens: true}
	outputRate = quantity{name: "output throughput", metrics: []string{metric.OutputThroughput.ID}, rate: true, tokens: true}
	rate       = quantity{name: "request throughput", metrics: []string{metric.RequestThroughput.ID}, rate: true}
)

// A tool is what one tool reports, and how it makes percentiles.
type tool struct {
	results     []result
	percentiles string
}

// A result is what a tool calls a quantity and why its number may be another. Each
// reason has a definition of ours that gives the tool's number where it is the reason;
// otherwise holds always, and is said where none of them does.
type result struct {
	quantity
	name      string
	reasons   []reason
	otherwise string
}

type reason struct{ metric, text string }

// Reasons are short: a terminal shows them beside the two numbers.
const (
	interpolated = "interpolated"
	fromSend     = "counted from the send, not from when it was due"
	withFirst    = "its TPOT contains the time to the first token"
	firstToLast  = "divided by first send to last answer, not the window"
	wholeRun     = "divided by the whole run, the drain included"
)

var (
	sentFirst = []reason{{metric.TTFTService.ID, fromSend}}
	sentWhole = []reason{{metric.ServiceTime.ID, fromSend}}
	toTheEnd  = []reason{{metric.TPOTDone.ID, "to the end of the answer, not to the last token"}}
)

// tools are the definitions of each tool, as docs/reference/foreign.md has them.
var tools = map[string]tool{
	"aiperf": {percentiles: interpolated, results: []result{
		{quantity: ttft, name: "time_to_first_token", reasons: sentFirst},
		{quantity: e2e, name: "request_latency", reasons: sentWhole},
		{quantity: itl, name: "inter_chunk_latency"},
		{quantity: tpot, name: "inter_token_latency", reasons: toTheEnd},
		{quantity: outputRate, name: "output_token_throughput", otherwise: firstToLast},
		{quantity: rate, name: "request_throughput", otherwise: firstToLast},
	}},
	"guidellm": {percentiles: "by a rule of its own", results: []result{
		{quantity: ttft, name: "time_to_first_token_ms", reasons: sentFirst},
		{quantity: e2e, name: "request_latency", reasons: sentWhole},
		{quantity: tpot, name: "time_per_output_token_ms", reasons: []reason{
			{metric.NTPOT.ID, withFirst},
			{metric.TPOTRequest.ID, withFirst},
		}},
		{quantity: tpot, name: "inter_token_latency_ms", reasons: toTheEnd, otherwise: "to the last token, not to the end of the answer"},
		{quantity: outputRate, name: "output_tokens_per_second", otherwise: "tokens of all requests, not of completed ones"},
		{quantity: rate, name: "requests_per_second", otherwise: "all requests, not the completed ones"},
	}},
	"vllm": {percentiles: interpolated, results: []result{
		{quantity: ttft, name: "ttft", reasons: sentFirst},
		{quantity: e2e, name: "e2el", reasons: sentWhole},
		{quantity: itl, name: "itl"},
		{quantity: tpot, name: "tpot", reasons: toTheEnd},
		{quantity: outputRate, name: "output_throughput", otherwise: wholeRun},
		{quantity: rate, name: "request_throughput", otherwise: wholeRun},
	}},
	"sglang": {percentiles: interpolated, results: []result{
		{quantity: ttft, name: "ttft", reasons: sentFirst},
		{quantity: e2e, name: "e2e_latency", reasons: sentWhole},
		{quantity: itl, name: "itl"},
		{quantity: tpot, name: "tpot", reasons: toTheEnd},
		{quantity: outputRate, name: "output_throughput", otherwise: "without usage the requested length counts"},
		{quantity: rate, name: "request_throughput", otherwise: wholeRun},
	}},
	"inference-perf": {percentiles: interpolated, results: []result{
		{quantity: ttft, name: "time_to_first_token", reasons: sentFirst},
		{quantity: e2e, name: "request_latency", reasons: sentWhole},
		{quantity: itl, name: "inter_token_latency", otherwise: "one gap per token, zero within an event"},
		{quantity: tpot, name: "time_per_output_token", reasons: toTheEnd, otherwise: "tokens by its own tokenizer"},
		{quantity: outputRate, name: "output_tokens_per_sec", otherwise: "tokens by its own tokenizer"},
		{quantity: rate, name: "requests_per_sec"},
	}},
	"genai-bench": {percentiles: interpolated, results: []result{
		{quantity: ttft, name: "ttft"},
		{quantity: e2e, name: "e2e_latency"},
		{quantity: tpot, name: "tpot", otherwise: "without answers whose events came at once"},
		{quantity: outputRate, name: "mean_output_throughput_tokens_per_s"},
		{quantity: rate, name: "requests_per_second"},
	}},
	"vegeta": {percentiles: "estimated with a digest", results: []result{
		{quantity: e2e, name: "latencies", otherwise: "failed requests are among its latencies"},
		{quantity: rate, name: "throughput"},
	}},
}
