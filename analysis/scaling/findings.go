package scaling

import (
	"fmt"
	"slices"

	"assay/finding"
)

// fewestSizes is the fewest sizes that a law may be fitted to: a line through two
// points fits whatever they are.
const fewestSizes = 3

// findings says what a reader of the result must know before quoting it.
func (s Study) findings(r Result) []finding.Finding {
	var list []finding.Finding
	add := func(check string, severity finding.Severity, message, fix string) {
		list = append(list, finding.Finding{Check: check, Severity: severity, Message: message, Fix: fix})
	}
	if s.Baseline == OneWorker {
		add("scaling-baseline", finding.Caution, "the base is the distributed program on one worker, which may be slower than the best program for one",
			"measure the fastest correct program on one worker and give its launches as single")
	}
	if one := slices.IndexFunc(s.Points, func(p Point) bool { return p.Workers == 1 }); s.Baseline == BestSingle && one >= 0 {
		if gain, err := s.gain(s.Single, s.Points[one]); err == nil && gain.Interval.Lo > 1 {
			add("scaling-baseline", finding.Void, fmt.Sprintf("the stated best program on one worker is slower than the distributed one there: %.3g [%.3g, %.3g] times", gain.Value, gain.Interval.Lo, gain.Interval.Hi),
				"state the faster of the two as the base")
		}
	}
	for _, row := range r.Rows {
		lo := row.Efficiency.Interval.Lo
		switch {
		case row.Workers == 1 && s.Baseline == OneWorker:
		case row.Efficiency.Interval.Bounded() && lo > 1:
			add("superlinear", finding.Caution, fmt.Sprintf("%d workers: efficiency %.3g [%.3g, %.3g] is above one", row.Workers, row.Efficiency.Value, lo, row.Efficiency.Interval.Hi),
				"audit the base first: its settings, its batch, its cache; only then call it super-linear")
		case row.Workers > 1 && row.Efficiency.Value >= suspicious:
			add("speedup-equals-workers", finding.Caution, fmt.Sprintf("%d workers give %.3g times: a speed-up equal to the number of workers leaves nothing for working together", row.Workers, row.Speedup.Value),
				"audit the base before quoting it")
		}
		if row.Launches < 3 {
			add("no-variance", finding.Void, fmt.Sprintf("%d workers: %d launches say nothing about spread", row.Workers, row.Launches), "make at least three launches at every size")
		}
	}
	if len(s.Points) < fewestSizes {
		add("two-points", finding.Caution, fmt.Sprintf("%d sizes: no law is fitted to fewer than %d", len(s.Points), fewestSizes), "measure more sizes")
	}
	list = append(list, s.batches()...)
	return list
}

// suspicious is an efficiency that only a perfect system has.
const suspicious = .98

// batches finds studies whose batch says that they are of the other kind.
func (s Study) batches() []finding.Finding {
	first, last := Point{}, Point{}
	for _, p := range s.Points {
		if p.Batch > 0 {
			if first.Batch == 0 {
				first = p
			}
			last = p
		}
	}
	if first.Batch == 0 || first.Workers == last.Workers {
		return nil
	}
	grown, workers := last.Batch/first.Batch, float64(last.Workers)/float64(first.Workers)
	if s.Kind == Strong && grown > 1.001 || s.Kind == Weak && (grown < .999*workers || grown > 1.001*workers) {
		return []finding.Finding{{
			Check: "scaling-batch", Severity: finding.Void,
			Message: fmt.Sprintf("called %s scaling, but the global batch went from %g to %g over %d to %d workers", s.Kind, first.Batch, last.Batch, first.Workers, last.Workers),
			Why:     "strong scaling holds the problem, weak scaling each worker's share of it; anything else compares different problems",
			Fix:     "hold what the kind says, or name the other kind",
		}}
	}
	return nil
}
