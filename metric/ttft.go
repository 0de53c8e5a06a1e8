package metric

import "assay/unit"

// TTFT is the wait a user feels before anything appears.
var TTFT = Metric{
	ID:     "ttft.v1",
	Name:   "TTFT",
	Unit:   unit.Second,
	Better: Lower,
	Scope:  Scope{Workload: textOut},
	Doc:    "Time from when a request was due to the first event that carried output: content, reasoning, a tool call or another output. An event that only names the role is not output.",
	Of: Each(func(t *Timeline) []float64 {
		first, ok := t.firstOutput()
		if !ok {
			return nil
		}
		return []float64{seconds(first - t.Due)}
	}),
}
