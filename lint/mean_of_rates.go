package lint

import (
	"fmt"

	"assay/finding"
)

// MeanOfRates fires when rates are averaged as if they were costs.
var MeanOfRates = Check{
	ID: "mean-of-rates", Code: "H-03", Severity: finding.Void,
	Doc:     "Rates are averaged arithmetically, or costs harmonically.",
	When:    "a statement that averages rates arithmetically, or aggregates costs as if they were rates",
	Applies: statedWith(statesAggregation),
	Run: func(f *Facts) Answer {
		var list []finding.Finding
		for _, s := range f.Statements {
			m, ours := metricOf(s)
			text := ""
			switch {
			case s.Aggregation == ArithmeticOfRates:
				text = "is the arithmetic mean of rates"
			case s.Aggregation == HarmonicOfRates && ours && !isRate(m):
				text = fmt.Sprintf("is a harmonic mean, and %s is no rate", m.Unit)
			case s.Aggregation == TotalOverTime && ours && !isRate(m):
				text = fmt.Sprintf("is a total over time, and %s is no rate", m.Unit)
			default:
				continue
			}
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("%s = %s %s", said(s), figure(s, s.Value), text),
				Why:      "the arithmetic mean of rates weighs a fast second as much as a slow hour",
				Fix:      "divide total work by total time, which is the harmonic mean of the rates of equal work; average costs arithmetically",
			})
		}
		return found(list...)
	},
}

func statesAggregation(_ *Facts, s Statement) bool { return s.Aggregation != "" }
