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

// RequestThroughput is how many requests are served per second.
var RequestThroughput = Metric{
	ID:     "request_throughput.v2",
	Name:   "request throughput",
	Unit:   unit.RequestPerSecond,
	Better: Higher,
	Doc:    "Successful requests, each counted with the share of its time from sent to done that lies inside the measured window, divided by its length. Counting ends alone (request_throughput.v1) is off by up to one request per user.",
	Of: Whole(func(p *Point) (float64, bool) {
		return p.perSecond(func(*Timeline) (float64, bool) { return 1, true })
	}),
}

// RequestsEnded is how many answers end per second.
var RequestsEnded = Metric{
	ID:     "request_throughput.v1",
	Name:   "request throughput (ended)",
	Unit:   unit.RequestPerSecond,
	Better: Higher,
	Detail: true,
	Doc:    "Successful requests whose stream ended inside the measured window, divided by its length, as most tools count. Of a window that holds few answers per user, whole rounds of answers fall in or out.",
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

// perSecond sums what successful requests brought, each with the share of its time
// that lies inside the window. It is false when one of them cannot tell.
func (p *Point) perSecond(of func(*Timeline) (float64, bool)) (float64, bool) {
	total := 0.0
	for _, t := range p.Requests {
		share := shareOfTime(t.Sent, t.Done, p.Begin, p.End)
		if t.Result != record.OK || share == 0 {
			continue
		}
		n, ok := of(t)
		if !ok {
			return 0, false
		}
		total += share * n
	}
	return total / p.Seconds(), p.Seconds() > 0
}

// shareOfTime is the share of the time from one stamp to another inside [begin, end).
func shareOfTime(from, to, begin, end int64) float64 {
	if to <= from { // no time at all, which is inside or not
		if begin <= to && to < end {
			return 1
		}
		return 0
	}
	return float64(max(0, min(to, end)-max(from, begin))) / float64(to-from)
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
