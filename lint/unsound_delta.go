package lint

import (
	"fmt"

	"assay/finding"
	"assay/metric"
	"assay/stats"
)

// UnsoundDelta fires when a difference is stated without its own uncertainty.
var UnsoundDelta = Check{
	ID: "unsound-comparison", Code: "H-07", Severity: finding.Void,
	Doc:     "A difference is stated without an interval or a test of the difference.",
	When:    "a difference is stated without an interval or a test of the difference",
	Applies: statedWith(func(_ *Facts, s Statement) bool { return s.Delta != nil }),
	Run: func(f *Facts) Answer {
		var list []finding.Finding
		for _, s := range f.Statements {
			if s.Delta == nil || s.Delta.Interval != nil || s.Delta.Test != "" {
				continue
			}
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("%s differs by a factor of %.4g, with neither interval nor test of the difference%s", said(s), s.Delta.Ratio, f.ratioOf(s)),
				Why:      "two intervals that do or do not overlap decide nothing about their difference",
				Fix:      "state the interval of the ratio: assay compare",
			})
		}
		return found(list...)
	},
}

// ratioOf says what the launches of two bundles, or of two sides, know about a
// stated difference.
func (f *Facts) ratioOf(s Statement) string {
	m, _ := metricOf(s)
	row, ok := f.rowOf(s)
	if !ok {
		return ""
	}
	for _, p := range f.Estimates.Paired {
		if p.Metric == m.ID && p.Point == row.Point && p.Statistic == row.Statistic && p.Ratio != nil {
			return fmt.Sprintf("; over %d blocks the ratio is %.4g [%.4g, %.4g]", p.Ratio.N, p.Ratio.Value, p.Ratio.Interval.Lo, p.Ratio.Interval.Hi)
		}
	}
	if f.Against == nil {
		return ""
	}
	base, ok := f.Against.rowOf(s)
	if !ok {
		return ""
	}
	ratio, err := stats.RatioOfMeans(perLaunch(base), perLaunch(row), f.Estimates.Confidence)
	if err != nil || ratio.Interval.Lo == ratio.Interval.Hi {
		return "" // launches that do not differ bound nothing
	}
	return fmt.Sprintf("; over %d and %d launches the ratio is %.4g [%.4g, %.4g]", len(base.PerLaunch), len(row.PerLaunch), ratio.Value, ratio.Interval.Lo, ratio.Interval.Hi)
}

func perLaunch(row metric.Row) []float64 {
	var list []float64
	for _, v := range row.PerLaunch {
		list = append(list, v.Value)
	}
	return list
}
