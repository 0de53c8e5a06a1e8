package metric

import "assay/unit"

// E2E is the whole wait for an answer.
var E2E = Metric{
	ID:     "e2e.v1",
	Name:   "E2E",
	Unit:   unit.Second,
	Better: Lower,
	Doc:    "Time from when a request was due to the end of its stream: the read that delivered [DONE], or the end of the body.",
	Of: Each(func(t *Timeline) []float64 {
		return []float64{seconds(t.Done - t.Due)}
	}),
}

// Lag is how late the instrument itself was.
var Lag = Metric{
	ID:     "lag.v1",
	Name:   "send lag",
	Unit:   unit.Second,
	Better: Lower,
	Doc:    "Time from when a request was due to when assay handed it to the connection. It is part of TTFT and E2E, because the user waited for it; a large one says that the client was the limit.",
	Of: Each(func(t *Timeline) []float64 {
		return []float64{seconds(t.Sent - t.Due)}
	}),
}
