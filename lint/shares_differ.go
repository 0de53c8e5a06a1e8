package lint

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/finding"
	"assay/metric"
	"assay/stats"
)

// SharesDiffer fires when launches fail, or keep their objectives, at unlike rates: one
// figure for all of them then describes none.
var SharesDiffer = Check{
	ID: "shares-differ", Severity: finding.Caution,
	Doc: "Launches differ in their errors or in the objectives they kept by more than chance.",
	When: "Pearson's chi-square of the error rate or the SLO attainment over the launches, or an exact test " +
		"where a launch is expected to have fewer than 5 of either kind, at 1 % shared among the points; and " +
		"the launches are 5 points apart or more",
	Run: sharesDiffer,
}

// sharesApart is how far launches have to be from each other for somebody to care.
const sharesApart = .05

func sharesDiffer(f *Facts) Answer {
	type testedRow struct {
		row    metric.Row
		p      float64
		method string
	}
	var tested []testedRow
	for _, row := range append(rowsOf(f, metric.ErrorRate.ID, "value"), rowsOf(f, metric.Attainment.ID, "value")...) {
		var hits, trials []int
		for _, v := range row.PerLaunch {
			hits, trials = append(hits, int(math.Round(v.Value*float64(v.N)))), append(trials, v.N)
		}
		if p, method := stats.SharesDiffer(hits, trials); method != "" {
			tested = append(tested, testedRow{row, p, method})
		}
	}
	var list []finding.Finding
	for _, one := range tested {
		share := func(a, b metric.LaunchValue) int { return cmp.Compare(a.Value, b.Value) }
		least, most := slices.MinFunc(one.row.PerLaunch, share), slices.MaxFunc(one.row.PerLaunch, share)
		if one.p > stats.SharesLevel/float64(len(tested)) || most.Value-least.Value < sharesApart {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message: fmt.Sprintf("%s: the %s is %.1f %% in launch %d and %.1f %% in launch %d, which is more than chance does (%s, p = %.2g)",
				rowName(f, one.row), one.row.Name, 100*least.Value, least.Launch+1, 100*most.Value, most.Launch+1, one.method, one.p),
			Why: "the mean of unlike launches is the rate of none of them, and the next one may be like either",
			Fix: "look in the logs of the launch that stands apart, and make more launches: of few, the rare kind may be missing",
		})
	}
	return found(list...)
}
