package metric

import "assay/unit"

// TTFT is the wait a user feels before anything appears.
var TTFT = Metric{
	ID:     "ttft.v2",
	Name:   "TTFT",
	Unit:   unit.Second,
	Better: Lower,
	Scope:  Scope{Workload: textOut},
	Doc:    "Time from the origin of a request to the first event that carried output: content, reasoning, a tool call or another output. An event that only names the role is not output. The origin is when the request was due in an open loop, and when it was sent in a closed one.",
	Of: Each(func(t *Timeline) []float64 {
		first, ok := t.firstOutput()
		if !ok {
			return nil
		}
		return append(t.room(1), seconds(first-t.Origin()))
	}),
}

// TTFTDue is TTFT as it was until the origin of a closed loop became the send.
var TTFTDue = Metric{
	ID: "ttft.v1", Name: "TTFT (from due)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
	Doc: "As ttft.v2, counted from when the request was due in a closed loop too, so that the client's own turnaround is part of it.",
	Of: Each(single(func(t *Timeline) (float64, bool) {
		first, ok := t.firstOutput()
		return seconds(first - t.Due), ok
	})),
}
