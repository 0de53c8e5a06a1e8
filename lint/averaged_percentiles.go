package lint

import (
	"fmt"
	"math"

	"assay/finding"
)

// AveragedPercentiles fires when percentiles of different samples were averaged.
// The mean over launches is no such thing: a launch is a replicate, and its
// percentile a value that each of them gives anew.
var AveragedPercentiles = Check{
	ID: "averaged-percentiles", Code: "L-19", Severity: finding.Caution,
	Doc:     "The mean of several percentiles is a percentile of nothing.",
	When:    "a percentile stated as mean_of_percentiles, or within 0.05 % of the mean of the points'",
	Applies: stated,
	Run:     averagedPercentiles,
}

// sameFigure is how near a stated value must be to the mean of the points' to be
// it: people state three digits and more.
const sameFigure = .0005

func averagedPercentiles(f *Facts) Answer {
	var list []finding.Finding
	for _, s := range f.Statements {
		if _, ok := quantileOf(s.Statistic); !ok {
			continue
		}
		one := finding.Finding{
			Severity: finding.Caution,
			Why:      "a percentile of all requests cannot be had from percentiles of parts of them",
			Fix:      "take the percentile over the requests themselves, or state one for each load",
		}
		mean, points := meanOfPoints(f, s)
		switch {
		case s.Aggregation == MeanOfPercentiles:
			one.Message = fmt.Sprintf("%s is a mean of percentiles, as it is stated", said(s))
		case points > 1 && s.Point == "" && math.Abs(s.Value-mean) <= sameFigure*mean:
			one.Message = fmt.Sprintf("%s is stated as %s, which is the mean of those of %d points", said(s), figure(s, s.Value), points)
		default:
			continue
		}
		list = append(list, one)
	}
	return found(list...)
}

// meanOfPoints averages the statistic over the points of the run.
func meanOfPoints(f *Facts, s Statement) (mean float64, points int) {
	m, _ := metricOf(s)
	for _, row := range rowsOf(f, m.ID, s.Statistic) {
		if row.Side == s.Side {
			mean, points = mean+row.Value, points+1
		}
	}
	return mean / float64(points), points
}
