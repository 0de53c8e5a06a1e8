package lint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/unit"
)

// OutlierLaunches fires when one launch stands far from its siblings. It is kept:
// what happened to it may happen again.
var OutlierLaunches = Check{
	ID: "outlier-launches", Severity: finding.Caution, About: finding.Speed,
	Doc: "A launch stands far from the others, and the result hangs on it.",
	When: "a launch is an outlier in a headline metric, by trials.outlierPolicy: more than ten robust " +
		"deviations from the median (mad; 120 of three launches, 19 of four and 40 of five, where chance seldom lies), beyond Tukey's outer fences, 3 " +
		"interquartile ranges (tukey_iqr, from five on: of fewer they can mark none), or either. It is kept, " +
		"and the result is given with and without it. A caution where that changes the result by more than " +
		"5 %, a note otherwise",
	Run: outlierLaunches,
}

// outlierMoves is how far the result may move without the launches that stand out:
// differences of that size are what people compare.
const outlierMoves = .05

func outlierLaunches(f *Facts) Answer {
	policy := f.Estimates.Outliers
	if policy == nil {
		return missing("trials.outlierPolicy in the plan")
	}
	var list []finding.Finding
	enough := false
	for _, row := range f.headlines() {
		enough = enough || len(row.PerLaunch) >= policy.Fewest
		i := slices.IndexFunc(policy.Marked, func(m metric.Marked) bool {
			return m.Metric == row.Metric && m.Statistic == row.Statistic && m.Point == row.Point && m.Side == row.Side
		})
		if i >= 0 {
			list = append(list, f.standsOut(row, policy.Marked[i]))
		}
	}
	if !enough {
		return missing(fmt.Sprintf("%d launches of a headline metric (of fewer, %s can mark none)", policy.Fewest, policy.Method))
	}
	return found(list...)
}

// standsOut gives a result with and without the launches that are marked.
func (f *Facts) standsOut(row metric.Row, m metric.Marked) finding.Finding {
	var out []string
	for _, v := range m.Launches {
		out = append(out, fmt.Sprintf("launch %d with %s", v.Launch+1, unit.Format(v.Value, row.Unit)))
	}
	severity, verb := finding.Note, "stands"
	if math.Abs(m.Without.Value-m.All.Value) > outlierMoves*math.Abs(m.All.Value) {
		severity = finding.Caution
	}
	if len(out) > 1 {
		verb = "stand"
	}
	return finding.Finding{
		Severity: severity,
		Message: fmt.Sprintf("%s: %s of %s %s out (%s): %s with all launches, %s without",
			rowName(f, row), strings.Join(out, ", "), row.Name+" "+row.Statistic, verb, m.Beyond, unit.Format(m.All.Value, row.Unit), unit.Format(m.Without.Value, row.Unit)),
		Why: "marked and kept: leaving a launch out needs a reason that somebody wrote down",
		Fix: "look in that launch's logs, samples and events for what was different, and run again",
	}
}
