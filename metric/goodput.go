package metric

import (
	"strings"

	"assay/record"
	"assay/unit"
)

// Goodput is the throughput that counts: of requests that kept every limit.
var Goodput = Metric{
	ID:     "goodput.v2",
	Name:   "goodput",
	Unit:   unit.RequestPerSecond,
	Better: Higher,
	Doc:    "Measured requests that succeeded and kept every objective of spec.slo that limits a time or a speed of single requests, all at once, divided by the length of the window. Errors, drops and requests that cannot tell count nothing.",
	Scope:  only(Objectives),
	Of: Whole(func(p *Point) (float64, bool) {
		good, _ := p.good()
		return float64(good) / p.Seconds(), p.limits() != nil && p.Seconds() > 0
	}),
}

// TokenGoodput is goodput in tokens.
var TokenGoodput = Metric{
	ID:     "token_goodput.v2",
	Name:   "token goodput",
	Unit:   unit.TokenPerSecond,
	Better: Higher,
	Scope:  Scope{Workload: textOut, Only: []Condition{Objectives}},
	Doc:    "Output tokens, by usage, of the requests that goodput.v2 counts, divided by the length of the window.",
	Of: Whole(func(p *Point) (float64, bool) {
		tokens := 0.0
		for t := range p.Measured {
			if missed, counts := t.verdict(p.limits()); missed != 0 || !counts {
				continue
			}
			if t.UsageOutput == nil {
				return 0, false
			}
			tokens += float64(*t.UsageOutput)
		}
		return tokens / p.Seconds(), p.limits() != nil && p.Seconds() > 0
	}),
}

// Attainment is the share of requests that kept every limit.
var Attainment = Metric{
	ID:     "slo_attainment.v2",
	Name:   "SLO attainment",
	Unit:   unit.Share,
	Better: Higher,
	Doc:    "Measured requests that count as good for goodput.v2, divided by all measured requests but those cut by the end of the run or given up on purpose.",
	Scope:  only(Objectives),
	Of:     Share(func(p *Point) (good, all int) { return p.good() }),
}

// attainmentPrefix begins the ids of the attainments of single objectives.
const attainmentPrefix = "slo_attainment_"

// attainments is the attainment of each objective by itself.
func attainments() (list []Metric) {
	for _, name := range limitable() {
		list = append(list, Metric{
			ID: attainmentPrefix + name + ".v2", Name: "SLO attainment, " + strings.ReplaceAll(name, "_", " "), Unit: unit.Share, Better: Higher, Scope: only(Objectives), Detail: true,
			Doc: "Measured requests that succeeded and kept the limit of spec.slo on " + name + ", whatever became of other limits, divided as slo_attainment.v2 divides.",
			Of: Share(func(p *Point) (good, all int) {
				for i, l := range p.limits() {
					if l.Metric == name {
						return p.keeping(1 << i)
					}
				}
				return 0, 0
			}),
		})
	}
	return list
}

func (p *Point) limits() []Limit {
	if p.Declared == nil {
		return nil
	}
	return p.Declared.Limits
}

// good counts the measured requests that kept every limit, and all that count.
func (p *Point) good() (good, all int) {
	if len(p.limits()) == 0 {
		return 0, 0
	}
	return p.keeping(^uint64(0))
}

// keeping counts the measured requests that kept the limits in the mask.
func (p *Point) keeping(mask uint64) (good, all int) {
	for t := range p.Measured {
		missed, counts := t.verdict(p.limits())
		if counts {
			all++
		}
		if counts && missed&mask == 0 {
			good++
		}
	}
	return good, all
}

// verdict says which of the limits t missed, a bit for each, and whether it
// counts at all: what was cut by the end of the run or given up on purpose does
// not. One that failed misses every limit.
func (t *Timeline) verdict(limits []Limit) (missed uint64, counts bool) {
	switch {
	case t.Result == record.Cut || t.Result == record.Cancelled:
		return 0, false
	case t.Result != record.OK:
		return ^uint64(0), true
	}
	t.judge(limits)
	return t.missed, true
}

// judge decides which limits t misses. It must be called before the events of t
// are let go; later calls change nothing.
func (t *Timeline) judge(limits []Limit) {
	if t.judged {
		return
	}
	t.judged = true
	for i, l := range limits {
		if l.misses(t) {
			t.missed |= 1 << i
		}
	}
}
