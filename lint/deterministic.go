package lint

import (
	"fmt"

	"assay/finding"
)

// NotDeterministic fires when a value that varies is called deterministic. That a
// value which is not called so has no interval is said by no-variance.
var NotDeterministic = Check{
	ID: "not-deterministic", Code: "H-05", Severity: finding.Void,
	Doc:     "A value is called deterministic, and needs no interval for that, but it varies.",
	When:    "a value called deterministic differs between launches",
	Applies: statedWith(func(_ *Facts, s Statement) bool { return s.Deterministic }),
	Run: func(f *Facts) Answer {
		var list []finding.Finding
		lacked := ""
		for _, s := range f.Statements {
			if !s.Deterministic {
				continue
			}
			row, ok := f.rowOf(s)
			if !ok || len(row.PerLaunch) < 2 {
				lacked = noRow(s) + " over two launches"
				continue
			}
			low, high := row.PerLaunch[0].Value, row.PerLaunch[0].Value
			for _, v := range row.PerLaunch {
				low, high = min(low, v.Value), max(high, v.Value)
			}
			if low == high {
				continue
			}
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message: fmt.Sprintf("%s is called deterministic, but %d launches gave %s to %s",
					said(s), len(row.PerLaunch), figure(s, low), figure(s, high)),
				Fix: "state it with its interval over launches",
			})
		}
		return Answer{Findings: list, Missing: lacked}
	},
}
