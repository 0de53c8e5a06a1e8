package metric

import (
	"assay/record"
	"assay/unit"
)

// ErrorRate is the share of requests that the system failed.
var ErrorRate = Metric{
	ID:     "error_rate.v1",
	Name:   "error rate",
	Unit:   unit.Share,
	Better: Lower,
	Doc:    "Measured requests that did not succeed, divided by all measured requests. Requests cut by the end of the run or given up on purpose are neither; refusals, error objects inside a stream, truncated and empty answers, timeouts and dropped calls all count.",
	Of: Share(func(p *Point) (failed, all int) {
		for t := range p.Measured {
			switch t.Result {
			case record.Cut, record.Cancelled:
			case record.OK:
				all++
			default:
				all++
				failed++
			}
		}
		return failed, all
	}),
}
