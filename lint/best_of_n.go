package lint

import (
	"fmt"
	"math"

	"assay/finding"
)

// BestOfN fires when the best of several values is stated as the value.
var BestOfN = Check{
	ID: "best-of-n", Code: "P-10", Severity: finding.Void,
	Doc: "The stated value is the best of several.",
	When: "a statement called min or max, or within 0.1 % of the best launch and more than 0.5 % from " +
		"the estimate",
	Applies: stated,
	Run:     bestOfN,
}

const (
	// A stated value within a thousandth of the best launch is the best launch:
	// people print three or four digits.
	asStated = .001
	// It must also be further from the estimate than rounding explains.
	notRounded = .005
)

func bestOfN(f *Facts) Answer {
	var list []finding.Finding
	lacked := ""
	for _, s := range f.Statements {
		if _, ours := metricOf(s); !ours {
			continue
		}
		row, ok := f.rowOf(s)
		if !ok {
			lacked = noRow(s)
			continue
		}
		if len(row.PerLaunch) < 2 {
			continue // nothing to choose from
		}
		best := row.PerLaunch[0].Value
		for _, v := range row.PerLaunch {
			if better(row.Better, v.Value, best) {
				best = v.Value
			}
		}
		inWords := picked(s)
		if !inWords && (math.Abs(s.Value-best) > asStated*math.Abs(best) || math.Abs(s.Value-row.Value) <= notRounded*math.Abs(row.Value)) {
			continue
		}
		how := "equals the best"
		if inWords {
			how = "is by its own words the best"
		}
		list = append(list, finding.Finding{
			Severity: finding.Void,
			Message: fmt.Sprintf("%s = %s %s of %d launches; over all of them it is %s (%s)",
				said(s), figure(s, s.Value), how, len(row.PerLaunch), figure(s, row.Value), percent(s.Value/row.Value-1)),
			Why: "the best of many grows with their number, whatever is measured",
			Fix: "state the estimate over all launches, with its interval",
		})
	}
	return Answer{Findings: list, Missing: lacked}
}
