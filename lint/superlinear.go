package lint

import (
	"fmt"
	"math"

	"assay/finding"
)

// Superlinear fires when workers are more efficient together than alone.
var Superlinear = Check{
	ID: "superlinear-efficiency", Code: "P-12", Severity: finding.Caution,
	Doc:     "The efficiency of several workers is above one.",
	When:    "the lower bound of an efficiency is above one",
	Applies: statedWith(statesScaling),
	Run: func(f *Facts) Answer {
		var list []finding.Finding
		for _, s := range f.Statements {
			for _, p := range scalingPoints(s) {
				if !superlinear(p) {
					continue
				}
				n := float64(p.Workers)
				list = append(list, finding.Finding{
					Severity: finding.Caution,
					Message:  fmt.Sprintf("%s: efficiency %.3g%s on %d workers", said(s), p.Speedup/n, efficiencyInterval(p), p.Workers),
					Why:      "more than the workers have cannot come from the workers",
					Fix:      "check cache effects, the baseline and the batch size, and say which it is",
				})
			}
		}
		return found(list...)
	},
}

// superlinear says that the whole interval of an efficiency lies above one; a
// speed-up without an interval is taken at its word.
func superlinear(p ScalingPoint) bool {
	low := p.Speedup
	if p.Interval != nil {
		low = p.Interval.Lo
	}
	return p.Workers > 1 && !p.Projected && low > float64(p.Workers)*(1+roundedUp)
}

// roundedUp keeps 8.004 on 8 workers, which is rounding, out of it.
const roundedUp = .001

func efficiencyInterval(p ScalingPoint) string {
	if p.Interval == nil || math.IsInf(p.Interval.Hi, 0) {
		return ""
	}
	n := float64(p.Workers)
	return fmt.Sprintf(" [%.3g, %.3g]", p.Interval.Lo/n, p.Interval.Hi/n)
}
