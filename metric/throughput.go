package metric

import (
	"assay/record"
	"assay/unit"
)

// OutputThroughput is the work done per second.
var OutputThroughput = Metric{
	ID:     "output_throughput.v1",
	Name:   "output throughput",
	Unit:   unit.TokenPerSecond,
	Better: Higher,
	Scope:  Scope{Workload: textOut},
	Doc:    "Output tokens that arrived inside the measured window, divided by its length. A request that reaches over an end of the window counts with the share of its output bytes that arrived inside; failed requests count nothing.",
	Of:     Whole(func(p *Point) (float64, bool) { return p.outputRate(func(t *Timeline) *int32 { return t.UsageOutput }) }),
}

// outputRate is the output per second by the given count of each answer. It is
// false when an answer has none.
func (p *Point) outputRate(count func(*Timeline) *int32) (float64, bool) {
	tokens := 0.0
	for _, t := range p.Requests {
		if t.Result != record.OK {
			continue
		}
		n := count(t)
		if n == nil {
			return 0, false
		}
		tokens += float64(*n) * t.shareInside(p.Begin, p.End)
	}
	return tokens / p.Seconds(), p.Seconds() > 0
}

// RequestThroughput is how many answers end per second.
var RequestThroughput = Metric{
	ID:     "request_throughput.v1",
	Name:   "request throughput",
	Unit:   unit.RequestPerSecond,
	Better: Higher,
	Doc:    "Successful requests whose stream ended inside the measured window, divided by its length.",
	Of: Whole(func(p *Point) (float64, bool) {
		ended := 0
		for _, t := range p.Requests {
			if t.Result == record.OK && p.Begin <= t.Done && t.Done < p.End {
				ended++
			}
		}
		return float64(ended) / p.Seconds(), p.Seconds() > 0
	}),
}

// Concurrency is how many requests were really in flight.
var Concurrency = Metric{
	ID:     "concurrency.v1",
	Name:   "concurrency",
	Unit:   unit.Ratio,
	Better: Higher,
	Doc:    "Requests in flight, from sent to done, averaged over the time of the measured window.",
	Of: Whole(func(p *Point) (float64, bool) {
		busy := int64(0)
		for _, t := range p.Requests {
			if t.Result != record.Dropped {
				busy += max(0, min(t.Done, p.End)-max(t.Sent, p.Begin))
			}
		}
		return seconds(busy) / p.Seconds(), p.Seconds() > 0
	}),
}
