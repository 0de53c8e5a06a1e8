package lint

import (
	"fmt"
	"strings"

	"assay/finding"
)

// Charts fires when a drawing says more than the data.
var Charts = Check{
	ID: "misleading-chart", Code: "H-12", Severity: finding.Note,
	Doc:     "A chart draws lines where there is no trend, or hides points and intervals.",
	When:    "lines between categories, lines without points, or no intervals",
	Applies: statedWith(func(_ *Facts, s Statement) bool { return s.Chart != nil }),
	Run: func(f *Facts) Answer {
		var list []finding.Finding
		for _, s := range f.Statements {
			if s.Chart == nil {
				continue
			}
			var faults []string
			if s.Chart.Lines && s.Chart.X == AxisCategories {
				faults = append(faults, "draws lines between categories that have no order")
			}
			if s.Chart.Lines && !s.Chart.Points {
				faults = append(faults, "draws a line without the measured points")
			}
			if !s.Chart.Intervals {
				faults = append(faults, "shows no intervals")
			}
			if len(faults) > 0 {
				list = append(list, finding.Finding{
					Severity: finding.Note,
					Message:  fmt.Sprintf("the chart of %s %s", said(s), strings.Join(faults, " and ")),
					Fix:      "show points with intervals; connect them only where a value in between means something",
				})
			}
		}
		return found(list...)
	},
}
