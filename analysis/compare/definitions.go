package compare

import "assay/bundle"

// A Definition is something that two tools do differently under one name.
type Definition struct {
	Of        string `json:"of"` // such as first token
	Baseline  string `json:"baseline"`
	Candidate string `json:"candidate"`
}

// assayItself is how the tables name what assay measured.
const assayItself = "assay"

// notKnown is said of a tool that a table does not have.
const notKnown = "not known"

// A defined is one thing and what each tool makes of it.
type defined struct {
	of string
	by map[string]string // tool, as package foreign names it
}

// definitions lists where tools differ, as read in their sources. It speaks of
// streamed chats; where an API or an option changes a definition, the default is
// meant.
var definitions = []defined{
	{"clock starts", map[string]string{
		assayItself:      "when the request was due",
		"genai-bench":    "just before the HTTP call; a new connection for each request is inside",
		"vllm":           "in the request function, after any wait for a free place",
		"sglang":         "in the request function, after any wait for a free place; a new connection for each request is inside",
		"aiperf":         "in the worker, just before the HTTP call, after the wait for a credit",
		"guidellm":       "in the request function, after any wait for a free place",
		"inference-perf": "after the body is built, after the wait that it reports as schedule delay",
		"mlperf":         "when the query was scheduled",
		"k6":             "when the virtual user sends; the wait for a free one is outside",
		"vegeta":         "when a worker takes the request; the wait for a free one is outside",
	}},
	{"first token", map[string]string{
		assayItself:      "first event with content, reasoning, a tool call or another output",
		"genai-bench":    "first chunk with content or reasoning; tool calls never count",
		"vllm":           "first chunk with choices, also one that only names the role",
		"sglang":         "first chunk with content or reasoning",
		"aiperf":         "first response with content or reasoning",
		"guidellm":       "first chunk with content, reasoning or a tool call",
		"inference-perf": "first chunk with content; reasoning does not count",
		"mlperf":         "what the system under test reports as such",
		"k6":             "none: the first byte of the answer",
		"vegeta":         "none: only the whole answer is timed",
	}},
	{"clock stops", map[string]string{
		assayItself:      "the read that delivered [DONE], or the end of the body",
		"genai-bench":    "after the usage chunk",
		"vllm":           "last message before [DONE], the usage chunk included",
		"sglang":         "last line read, [DONE] included",
		"aiperf":         "last response with content",
		"guidellm":       "after the stream is closed or [DONE]",
		"inference-perf": "after the body is consumed",
		"mlperf":         "when the system under test reports the end",
		"k6":             "the end of the body",
		"vegeta":         "the end of the body",
	}},
	{"TPOT", map[string]string{
		assayItself:      "(last output − first output) / (tokens − 1)",
		"genai-bench":    "(E2E − TTFT) / (tokens − 1): tpot_done.v1",
		"vllm":           "(E2E − TTFT) / (tokens − 1): tpot_done.v1",
		"sglang":         "(E2E − TTFT) / (tokens − 1): tpot_done.v1",
		"aiperf":         "(E2E − TTFT) / (tokens − 1), called ITL",
		"guidellm":       "(last token − start) / tokens, TTFT included; its ITL is what others call TPOT",
		"inference-perf": "(last token − first token) / (tokens − 1)",
		"mlperf":         "(E2E − TTFT) / (tokens − 1)",
		"k6":             "none", "vegeta": "none",
	}},
	{"gaps between tokens", map[string]string{
		assayItself:      "one gap per event, and one per token by their bytes",
		"genai-bench":    "none",
		"vllm":           "one gap per chunk, whatever it holds",
		"sglang":         "one gap per chunk, whatever it holds",
		"aiperf":         "one gap per chunk, called ICL",
		"guidellm":       "the mean of each request: a stall inside an answer cannot appear",
		"inference-perf": "one per token, those of one chunk zero apart",
		"mlperf":         "none", "k6": "none", "vegeta": "none",
	}},
	{"tokens counted by", map[string]string{
		assayItself:      "usage of the server; a named tokenizer beside it",
		"genai-bench":    "usage of the server, else the tokenizer",
		"vllm":           "usage of the server, else the tokenizer",
		"sglang":         "the tokenizer; usage is not asked for, and without it the requested length counts as produced",
		"aiperf":         "the tokenizer",
		"guidellm":       "usage of the server, else the number of chunks",
		"inference-perf": "the tokenizer",
		"mlperf":         "the system under test",
		"k6":             "nobody", "vegeta": "nobody",
	}},
	{"throughput is divided by", map[string]string{
		assayItself:      "the measured window, without ramp and drain",
		"genai-bench":    "the whole run: ramp, polling of up to a second and stop",
		"vllm":           "the whole run, the drain included",
		"sglang":         "the whole run, the drain included",
		"aiperf":         "from the first request to the last answer",
		"guidellm":       "the time of the benchmark, warm-up and cool-down cut",
		"inference-perf": "from the first request to the last answer of a stage",
		"mlperf":         "from the first query to the last answer",
		"k6":             "the whole run",
		"vegeta":         "the time of the attack, and the wait for the last answer",
	}},
}

// differences lists what the tools of two sides define differently; nothing where
// the same tool measured both.
func differences(baseline, candidate bundle.Manifest) []Definition {
	a, b := toolOf(baseline), toolOf(candidate)
	if a == b {
		return nil
	}
	say := func(d defined, tool string) string {
		if text, ok := d.by[tool]; ok {
			return text
		}
		return notKnown
	}
	var list []Definition
	for _, d := range definitions {
		if x, y := say(d, a), say(d, b); x != y || x == notKnown {
			list = append(list, Definition{d.of, x, y})
		}
	}
	return list
}

func toolOf(m bundle.Manifest) string {
	if m.Source == nil {
		return assayItself
	}
	return m.Source.Tool
}
