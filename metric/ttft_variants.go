package metric

import (
	"assay/record"
	"assay/unit"
)

// since is the time from the origin of a request to what when says.
func since(when func(*Timeline) (int64, bool)) func(*Timeline) []float64 {
	return single(func(t *Timeline) (float64, bool) {
		at, ok := when(t)
		return seconds(at - t.Origin()), ok
	})
}

func firstKind(keep func(record.ChunkKind) bool) func(*Timeline) (int64, bool) {
	return func(t *Timeline) (int64, bool) { return t.firstOf(keep) }
}

// noted is a stamp that may be null.
func noted(at *int64) (int64, bool) {
	if at == nil {
		return 0, false
	}
	return *at, true
}

// The moments that tools call the first token, beside ttft.v2.
var (
	TTFTContent = Metric{
		ID: "ttft_content.v2", Name: "TTFT (content)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Time from the origin of a request to the first event with content; reasoning and tool calls before it do not count. What llmperf, inference-benchmarker and inference-perf call TTFT.",
		Of:  Each(since(firstKind(func(k record.ChunkKind) bool { return k == record.Content }))),
	}
	TTFTReasoning = Metric{
		ID: "ttft_reasoning.v2", Name: "TTFT (reasoning)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Time from the origin of a request to the first event with reasoning.",
		Of:  Each(since(firstKind(func(k record.ChunkKind) bool { return k == record.Reasoning }))),
	}
	AnswerTTFT = Metric{
		ID: "answer_ttft.v2", Name: "TTFT (answer)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Time from the origin of a request to the first output that is not reasoning: content, a tool call or another output. What AIPerf calls time to first output.",
		Of:  Each(since(firstKind(func(k record.ChunkKind) bool { return k.Output() && k != record.Reasoning }))),
	}
	TTFTVisible = Metric{
		ID: "ttft_visible.v1", Name: "TTFT (visible)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Time from the origin of a request to the first output that a person sees: a tool call or text, but not white space, characters without width or reasoning that is punctuation alone. None where nobody recorded what was seen.",
		Of:  Each(since(func(t *Timeline) (int64, bool) { return noted(t.FirstVisible) })),
	}
	AnswerTTFTVisible = Metric{
		ID: "answer_ttft_visible.v1", Name: "TTFT (visible answer)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "As ttft_visible.v1, of the first output that is not reasoning: what a person who waits for the answer itself waits for.",
		Of:  Each(since(func(t *Timeline) (int64, bool) { return noted(t.FirstAnswer) })),
	}
	TTFTEvent = Metric{
		ID: "ttft_event.v2", Name: "TTFT (any event)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Time from the origin of a request to the first event of its stream, whatever it holds: as a rule the one that only names the role. What vllm bench serve calls TTFT of a chat.",
		Of:  Each(since(firstKind(func(record.ChunkKind) bool { return true }))),
	}
	TTFB = Metric{
		ID: "ttfb.v2", Name: "TTFB", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Time from the origin of a request to the first byte of its answer, the head of the response included.",
		Of:  Each(since(func(t *Timeline) (int64, bool) { return noted(t.First) })),
	}
	TTFTService = Metric{
		ID: "ttft_service.v1", Name: "TTFT (from sent)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Time from when a request was sent to its first output. In an open loop it leaves out how long the request waited to be sent, as most tools do; ttft.v2 does not. In a closed loop the two are one.",
		Of: Each(single(func(t *Timeline) (float64, bool) {
			first, ok := t.firstOutput()
			return seconds(first - t.Sent), ok
		})),
	}
	TTST = Metric{
		ID: "ttst.v2", Name: "TTST", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Time from the first output event of a stream to the second, as AIPerf defines the time to second token. By event: one that holds several tokens counts once. None where the two shared a read.",
		Of: Each(single(func(t *Timeline) (float64, bool) {
			first := int64(-1)
			for c := range t.Output {
				if first >= 0 {
					return seconds(c.At - first), !readLater(&c)
				}
				first = c.At
			}
			return 0, false
		})),
	}
)
