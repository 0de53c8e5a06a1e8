package lint

import (
	"fmt"

	"assay/finding"
)

// MeanOfSpeedups fires when ratios are averaged.
var MeanOfSpeedups = Check{
	ID: "mean-of-ratios", Code: "H-04", Severity: finding.Caution,
	Doc:     "Ratios such as speed-ups are averaged.",
	When:    "a statement that averages ratios",
	Applies: statedWith(statesAggregation),
	Run: func(f *Facts) Answer {
		var list []finding.Finding
		for _, s := range f.Statements {
			if s.Aggregation != MeanOfRatios {
				continue
			}
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s = %s is the arithmetic mean of ratios", said(s), figure(s, s.Value)),
				Why:      "with the two sides exchanged the mean of the ratios is not the inverse: it favours the one in the numerator",
				Fix:      "summarise the times or the costs and form one ratio; a geometric mean where only ratios are left",
			})
		}
		return found(list...)
	},
}
