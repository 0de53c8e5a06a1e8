package lint

import (
	"fmt"
	"math"

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
	ratio, interval, known := logRatio(base, row, f.Estimates.Confidence)
	if !ok || !known {
		return ""
	}
	return fmt.Sprintf("; over %d and %d launches the ratio is %.4g [%.4g, %.4g]", len(base.PerLaunch), len(row.PerLaunch), ratio, interval.Lo, interval.Hi)
}

// logRatio is the ratio of two rows by Welch's interval on the logarithms of the
// launches' values.
func logRatio(a, b metric.Row, confidence float64) (float64, stats.Interval, bool) {
	meanA, varA, okA := logMoments(a)
	meanB, varB, okB := logMoments(b)
	if !okA || !okB || varA+varB == 0 {
		return 0, stats.Interval{}, false
	}
	nA, nB := float64(len(a.PerLaunch)-1), float64(len(b.PerLaunch)-1)
	df := (varA + varB) * (varA + varB) / (varA*varA/nA + varB*varB/nB)
	half := stats.TQuantile(1-(1-confidence)/2, max(1, int(df))) * math.Sqrt(varA+varB)
	d := meanB - meanA
	return math.Exp(d), stats.Interval{Lo: math.Exp(d - half), Hi: math.Exp(d + half)}, true
}

// logMoments are the mean of the logarithms and the variance of that mean.
func logMoments(row metric.Row) (mean, variance float64, ok bool) {
	n := float64(len(row.PerLaunch))
	for _, v := range row.PerLaunch {
		if v.Value <= 0 {
			return 0, 0, false
		}
		mean += math.Log(v.Value) / n
	}
	for _, v := range row.PerLaunch {
		variance += (math.Log(v.Value) - mean) * (math.Log(v.Value) - mean)
	}
	return mean, variance / n / (n - 1), n > 1
}
