package lint

import (
	"fmt"
	"slices"

	"assay/finding"
	"assay/metric"
)

// UpperBound fires when nobody says what the hardware could have done.
var UpperBound = Check{
	ID: "no-upper-bound", Code: "H-11", Severity: finding.Note,
	Doc:  "No bound of the hardware stands beside the throughput.",
	When: "neither a peak nor a bound is stated, or a statement exceeds its bound",
	Applies: func(f *Facts) bool {
		return publication(f) || f.Plan.Train() != nil || statedWith(statesRate)(f)
	},
	Run: upperBound,
}

func upperBound(f *Facts) Answer {
	t := f.Plan.Train()
	bounded := slices.ContainsFunc(f.Statements, func(s Statement) bool { return s.Bound != nil && s.Bound.Value > 0 })
	for _, point := range f.Plan.Points { // a device whose peak is published has one
		_, known := f.Estimates.Find(metric.TrainingMFU.ID, "value", point.Index)
		bounded = bounded || known
	}
	if !bounded && (t == nil || t.PeakTFLOPS == 0) {
		return found(finding.Finding{
			Severity: finding.Note,
			Message:  "no upper bound is given: how much of the hardware was used is unknown",
			Fix:      "give the peak (train.peakTFLOPS), or state the bound beside the throughput (bound in a file of statements)",
		})
	}
	var list []finding.Finding
	for _, s := range f.Statements {
		if s.Bound != nil && s.Bound.Value > 0 && s.Value > s.Bound.Value && !statesLatency(f, s) {
			list = append(list, finding.Finding{
				Severity: finding.Note,
				Message:  fmt.Sprintf("%s = %s is above its own bound of %s (%s)", said(s), figure(s, s.Value), figure(s, s.Bound.Value), s.Bound.What),
				Fix:      "check the count, the clock and the bound",
			})
		}
	}
	return found(list...)
}
