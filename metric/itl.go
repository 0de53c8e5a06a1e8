package metric

import "assay/unit"

// ITL is how evenly a stream flows, event by event.
var ITL = Metric{
	ID:     "itl_chunk.v1",
	Name:   "ITL (chunk)",
	Unit:   unit.Second,
	Better: Lower,
	Scope:  Scope{Workload: textOut},
	Doc:    "Time between two successive events of one stream that carried output. One gap per event, whatever number of tokens it holds; every gap counts, so a stall cannot be averaged away.",
	Of: Values(func(t *Timeline) []float64 {
		gaps := make([]float64, 0, len(t.Events))
		last := int64(-1)
		for c := range t.Output {
			if last >= 0 {
				gaps = append(gaps, seconds(c.At-last))
			}
			last = c.At
		}
		return gaps
	}),
}
