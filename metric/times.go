package metric

import "assay/unit"

// The times that tools call latency, beside e2e.v2, which is the response time.
var (
	ServiceTime = Metric{
		ID: "service_time.v1", Name: "service time", Unit: unit.Second, Better: Lower, Detail: true,
		Doc: "Time from when a request was sent to the end of its answer: e2e.v2 less lag.v1. What most tools call end-to-end latency; in an open loop it leaves out how long the request waited to be sent, and in a closed one it is e2e.v2.",
		Of:  Each(single(func(t *Timeline) (float64, bool) { return seconds(t.Done - t.Sent), true })),
	}
	LastOutput = Metric{
		ID: "last_output.v2", Name: "last output", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Time from the origin of a request to the last event that carried output. Where AIPerf ends the latency of a request.",
		Of:  Each(since((*Timeline).lastOutput)),
	}
	OutputLatency = Metric{
		ID: "output_latency.v1", Name: "output latency", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Time from the first output event of a stream to its end: e2e.v2 less ttft.v2, as genai-bench has it.",
		Of: Each(single(func(t *Timeline) (float64, bool) {
			first, ok := t.firstOutput()
			return seconds(t.Done - first), ok
		})),
	}
)
