package metric

import "assay/unit"

// E2E is the whole wait for an answer.
var E2E = Metric{
	ID:     "e2e.v2",
	Name:   "E2E",
	Unit:   unit.Second,
	Better: Lower,
	Doc:    "Time from the origin of a request to the end of its stream: the read that delivered [DONE], or the end of the body. The origin is when the request was due in an open loop, and when it was sent in a closed one.",
	Of: Each(func(t *Timeline) []float64 {
		return append(t.room(1), seconds(t.Done-t.Origin()))
	}),
}

// E2EDue is E2E as it was until the origin of a closed loop became the send.
var E2EDue = Metric{
	ID: "e2e.v1", Name: "E2E (from due)", Unit: unit.Second, Better: Lower, Detail: true,
	Doc: "As e2e.v2, counted from when the request was due in a closed loop too, so that the client's own turnaround is part of it.",
	Of:  Each(single(func(t *Timeline) (float64, bool) { return seconds(t.Done - t.Due), true })),
}
