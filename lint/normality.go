package lint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/stats"
)

// Normality fires when Student's interval rests on launches that are not normal.
var Normality = Check{
	ID: "unchecked-normality", Code: "H-06", Severity: finding.Caution,
	Doc: "An interval assumes normal values, and the launches' are not.",
	When: "Shapiro–Wilk (Royston 1995) rejects over 5 launches or more, at 0.4 % (0.1 % of five launches) shared " +
		"among the headline rows, where their spread exceeds 1 %",
	Run: normality,
}

// normalityAlpha is shared among the rows that are tested: at the usual 5 % of each row,
// every second report would be told off for nothing. With launch-trend, which has 1.7 % of
// five launches and 1 % of more, no more than 2 % of clean runs are.
const normalityAlpha, normalityAlphaOfFive = .004, .001

// Of three or four values two are close to each other by chance, and the test can
// see little else.
const fewestForNormality = 5

// Launches that agree within a hundredth may be spread in any way: counts that
// differ by one look like no normal sample, and move nothing.
const normalityMatters = .01

func normality(f *Facts) Answer {
	rows := f.headlines()
	var odd []string
	rows = slices.DeleteFunc(slices.Clone(rows), func(row metric.Row) bool {
		// The widened interval is made for launches that are not normal.
		assumed := strings.Contains(row.Method, "student-t") && row.Method != stats.WidenedMeanMethod
		return !assumed || !row.Interval.Bounded() || len(row.PerLaunch) < fewestForNormality
	})
	tested := len(rows)
	if tested == 0 {
		return missing("an interval by Student's t over five launches or more")
	}
	for _, row := range rows {
		var xs []float64
		for _, v := range row.PerLaunch {
			xs = append(xs, v.Value)
		}
		w, p, err := stats.ShapiroWilk(xs)
		if err != nil || !(stats.CV(xs) > normalityMatters) || p >= normalityLevel(len(xs))/float64(tested) {
			continue
		}
		odd = append(odd, fmt.Sprintf("%s %s at %s: W = %.3f, p = %.2g, skew %+.1f over %d launches",
			row.Metric, row.Statistic, pointName(f, row.Point), w, p, skew(xs), len(xs)))
	}
	if len(odd) == 0 {
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Caution,
		Message:  "normal theory on launches that are not normal: " + summary(odd),
		Why:      "Student's interval is too narrow, or off the middle, when one launch stands apart",
		Fix:      "look at the launch that stands apart; use a median or a bootstrap over more launches",
		Evidence: odd,
	})
}

func normalityLevel(launches int) float64 {
	if launches == fewestForNormality {
		return normalityAlphaOfFive
	}
	return normalityAlpha
}

// headlines are the rows that somebody states, or else those that everybody reads
// first.
func (f *Facts) headlines() []metric.Row {
	var rows []metric.Row
	for _, s := range f.Statements {
		if row, ok := f.rowOf(s); ok {
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		return rows
	}
	first := []string{metric.TTFT.ID, metric.TPOT.ID, metric.E2E.ID, metric.OutputThroughput.ID, metric.RequestThroughput.ID}
	for _, row := range f.Estimates.Rows {
		if slices.Contains(first, row.Metric) && slices.Contains([]string{"mean", "p99", "value"}, row.Statistic) {
			rows = append(rows, row)
		}
	}
	return rows
}

func skew(xs []float64) float64 {
	mean := 0.0
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	var second, third float64
	for _, x := range xs {
		second += (x - mean) * (x - mean) / float64(len(xs))
		third += (x - mean) * (x - mean) * (x - mean) / float64(len(xs))
	}
	if second == 0 {
		return 0
	}
	return third / math.Pow(second, 1.5)
}
