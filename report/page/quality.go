package page

import (
	"assay/analysis/compare"
	"assay/stats"
)

// qualityForests draws the differences in quality of each candidate beside the margin
// within which they do not matter.
func qualityForests(r compare.Report) []chart {
	var list []chart
	for _, c := range r.Comparisons {
		if c.Quality == nil {
			continue
		}
		var margins []float64
		byMargin := map[float64]*forest{}
		for _, row := range c.Quality.Rows {
			f := byMargin[row.Margin]
			if f == nil {
				f = newQualityForest(c.Candidate.Label, row.Margin)
				byMargin[row.Margin] = f
				margins = append(margins, row.Margin)
			}
			f.add(row.Name(), string(row.Verdict), stats.Estimate{Value: row.Difference.Value, Interval: row.Bounds, N: row.Items})
		}
		for _, margin := range margins {
			list = append(list, byMargin[margin].chart)
		}
	}
	return list
}

// newQualityForest begins a chart of differences; tasks with one margin share it.
func newQualityForest(label string, margin float64) *forest {
	return &forest{chart{
		Kind: forestChart, Title: label + ": difference in score, shaded where it does not matter",
		X: []axis{{Label: "candidate − baseline", Even: true}}, Spans: []span{{num(-margin), num(margin), "measure", ""}},
		Limits: []limit{{At: 0, Along: true, Label: "no difference"}}, Static: true,
	}, "items"}
}
