package metric

import (
	"assay/record"
	"assay/unit"
)

// ProbeTTFT is what one more small user would wait for beside the load.
var ProbeTTFT = Metric{
	ID:     "probe_ttft.v1",
	Name:   "probe TTFT",
	Unit:   unit.Second,
	Better: Lower,
	Doc:    "As ttft.v2, of the probes of load.probe that were due in the measured window. They are no part of any metric of the load.",
	Scope:  only(Probes),
	Of:     Each(TTFT.Each),
}

// ProbeE2E is how long a small user would wait for the whole answer.
var ProbeE2E = Metric{
	ID:     "probe_e2e.v1",
	Name:   "probe E2E",
	Unit:   unit.Second,
	Better: Lower,
	Doc:    "As e2e.v2, of the probes of load.probe that were due in the measured window.",
	Scope:  only(Probes),
	Of:     Each(E2E.Each),
}

// ProbeErrorRate is the share of probes that the system failed.
var ProbeErrorRate = Metric{
	ID:     "probe_error_rate.v1",
	Name:   "probe error rate",
	Unit:   unit.Share,
	Better: Lower,
	Doc:    "As error_rate.v1, of the probes of load.probe that were due in the measured window.",
	Scope:  only(Probes),
	Of: Share(func(p *Point) (failed, all int) {
		for t := range p.Probed {
			switch {
			case t.Result.Failure():
				failed++
				all++
			case t.Result == record.OK:
				all++
			}
		}
		return failed, all
	}),
}

// Probed yields the probes that were due in the measured window, whatever became
// of them.
func (p *Point) Probed(yield func(*Timeline) bool) {
	for _, t := range p.Probes {
		if p.Begin <= t.Due && t.Due < p.End && !yield(t) {
			return
		}
	}
}
