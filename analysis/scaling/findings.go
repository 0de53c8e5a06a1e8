package scaling

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
	"assay/stats"
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
	if s.Baseline == Smallest {
		add("scaling-baseline", finding.Caution, fmt.Sprintf("the base is %d workers: what was lost between one and %d is not in these efficiencies", s.baseWorkers(), s.baseWorkers()),
			"compare them with series of the same smallest size only")
	}
	for _, row := range r.Rows {
		s.tooGood(row, add)
		if row.Launches < 3 {
			add("no-variance", finding.Void, fmt.Sprintf("%d workers: %d launches say nothing about spread", row.Workers, row.Launches), "make at least three launches at every size")
		}
	}
	if len(r.Fits) > 1 && !slices.ContainsFunc(r.Fits, func(f Fit) bool { return f.Best }) {
		add("no-law-chosen", finding.Note, fmt.Sprintf("%d launches cannot choose between %s: the criterion for small samples (AICc) needs more", launchesIn(s.Points), lawNames(r.Fits)),
			"make more launches, or quote no law")
	}
	if len(s.Points) < fewestSizes {
		add("two-points", finding.Caution, fmt.Sprintf("%d sizes: no law is fitted to fewer than %d", len(s.Points), fewestSizes), "measure more sizes")
	}
	list = append(list, s.batches()...)
	list = append(list, dents(r)...)
	if r.Rate != nil {
		list = append(list, dents(*r.Rate)...)
	}
	list = append(list, s.software()...)
	list = append(list, s.heldFindings()...)
	return append(list, s.windowFindings(r)...)
}

// tooGood finds a speed-up of as many times as there are workers, or more. It is no
// result before somebody has looked at the base.
func (s Study) tooGood(row Row, add func(check string, severity finding.Severity, message, fix string)) {
	if s.isBase(row.Workers) || row.Workers <= s.baseWorkers() {
		return
	}
	severity, fix := finding.Void, "audit the base: its settings, its batch, its cache; then state with --audited who looked at what"
	if s.Audit != "" {
		severity, fix = finding.Note, "quote it with the audit: "+s.Audit
	}
	interval := row.Efficiency.Interval
	above := fmt.Sprintf("[%.3g, %.3g]", interval.Lo, interval.Hi)
	if !interval.Bounded() {
		above = "without an interval"
	}
	switch {
	case interval.Bounded() && interval.Lo > 1 || !interval.Bounded() && row.Efficiency.Value > 1:
		add("superlinear", severity, fmt.Sprintf("%d workers: efficiency %.3g %s is above one", row.Workers, row.Efficiency.Value, above), fix)
	case row.Efficiency.Value >= 1:
		add("speedup-equals-workers", severity, s.suspicion(row), fix)
	case row.Efficiency.Value >= suspicious:
		add("speedup-equals-workers", finding.Caution, s.suspicion(row), "audit the base before quoting it")
	}
}

// suspicion says what is too good about a row, in terms of its base.
func (s Study) suspicion(row Row) string {
	const nothing = "leaves nothing for working together"
	if base := s.baseWorkers(); base > 1 {
		return fmt.Sprintf("%d workers give %.3g times what %d give: a speed-up as large as the growth of the workers, %.3g times, %s",
			row.Workers, row.Speedup.Value, base, s.grown(row.Workers), nothing)
	}
	return fmt.Sprintf("%d workers give %.3g times: a speed-up equal to the number of workers %s", row.Workers, row.Speedup.Value, nothing)
}

func launchesIn(points []Point) (n int) {
	for _, p := range points {
		n += len(p.Values)
	}
	return n
}

func lawNames(fits []Fit) string {
	var names []string
	for _, f := range fits {
		names = append(names, f.Law)
	}
	return strings.Join(names, " and ")
}

// suspicious is an efficiency that only a perfect system has.
const suspicious = .98

// dents finds efficiencies that rise with the workers: a law of scaling has none.
func dents(r Result) []finding.Finding {
	var list []finding.Finding
	for i := 1; i < len(r.Rows); i++ {
		a, b := r.Rows[i-1], r.Rows[i]
		if b.Efficiency.Value <= a.Efficiency.Value {
			continue
		}
		f := finding.Finding{
			Check: "non-monotone", Severity: finding.Caution,
			Message: fmt.Sprintf("efficiency of %s rises from %.3g at %d workers to %.3g at %d", r.Quantity, a.Efficiency.Value, a.Workers, b.Efficiency.Value, b.Workers),
			Why:     "adding workers does not make each of them better: something else changed, or the spread is as large as the difference",
			Fix:     "look for what differs between the two sizes; make more launches",
		}
		if meet(a.Efficiency.Interval, b.Efficiency.Interval) {
			f.Severity, f.Message = finding.Note, f.Message+", within their intervals"
		}
		if r.Rate != nil && r.Rate.Rows[i].Efficiency.Value <= r.Rate.Rows[i-1].Efficiency.Value {
			f.Message += "; that of throughput falls: the samples to the target make the dent"
			f.Fix = "quote throughput and samples to the target apart"
		}
		list = append(list, f)
	}
	return list
}

// meet says whether two bounded intervals have a value in common.
func meet(a, b stats.Interval) bool {
	return a.Bounded() && b.Bounded() && a.Lo <= b.Hi && b.Lo <= a.Hi
}

// software finds studies along which another release was measured.
func (s Study) software() []finding.Finding {
	seen := map[string][]string{}
	var order []string
	for _, p := range s.Points {
		if p.Software == "" {
			continue
		}
		if seen[p.Software] == nil {
			order = append(order, p.Software)
		}
		seen[p.Software] = append(seen[p.Software], fmt.Sprint(p.Workers))
	}
	if len(order) < 2 {
		return nil
	}
	var parts []string
	for _, name := range order {
		parts = append(parts, fmt.Sprintf("%s at %s workers", name, strings.Join(seen[name], ", ")))
	}
	return []finding.Finding{{
		Check: "scaling-software", Severity: finding.Caution, Message: "software differs along the series: " + strings.Join(parts, "; "),
		Why: "a release may be faster by itself; the curve then shows two things at once", Fix: "measure every size with one release",
	}}
}

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
	if s.toTarget() {
		return s.targetBatches()
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

// targetBatches finds times to a target whose batch was changed on the way: that is
// allowed, and changes how much must be done.
func (s Study) targetBatches() []finding.Finding {
	var parts []string
	differs := false
	for _, p := range s.Points {
		parts = append(parts, fmt.Sprintf("%g at %d", p.Batch, p.Workers))
		differs = differs || p.Batch != s.Points[0].Batch
	}
	if !differs {
		return nil
	}
	return []finding.Finding{{
		Check: "scaling-batch", Severity: finding.Caution, Message: "the global batch differs along the series: " + strings.Join(parts, ", ") + " workers",
		Why: "another batch needs another number of samples: time to the target mixes that with speed", Fix: "read throughput and samples to the target apart",
	}}
}
