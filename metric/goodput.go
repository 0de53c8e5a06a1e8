package metric

import "assay/unit"

// Goodput is the throughput that counts: of requests that kept every limit.
var Goodput = Metric{
	ID:      "goodput.v1",
	Name:    "goodput",
	Unit:    unit.RequestPerSecond,
	Better:  Higher,
	Doc:     "Measured requests that succeeded and kept the max of every ttft, tpot and e2e objective of spec.slo at once, divided by the length of the window. Errors, drops and requests that cannot tell count nothing.",
	SLOOnly: true,
	Whole: func(p *Point) (float64, bool) {
		good, _ := p.good()
		return float64(good) / p.Seconds(), p.Limits != nil && p.Seconds() > 0
	},
}

// Attainment is the share of requests that kept every limit.
var Attainment = Metric{
	ID:      "slo_attainment.v1",
	Name:    "SLO attainment",
	Unit:    unit.Ratio,
	Better:  Higher,
	Doc:     "Measured requests that count as good for goodput.v1, divided by all measured requests but those cut by the end of the run or given up on purpose.",
	SLOOnly: true,
	Share:   func(p *Point) (good, all int) { return p.good() },
}

// good counts the measured requests that kept every limit, and all that count.
func (p *Point) good() (good, all int) {
	if p.Limits == nil {
		return 0, 0
	}
	for t := range p.Measured {
		miss, counts := p.Limits.Misses(&t.Request, t.ends())
		if counts {
			all++
		}
		if counts && !miss {
			good++
		}
	}
	return good, all
}
