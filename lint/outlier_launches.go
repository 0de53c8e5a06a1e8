package lint

import (
	"fmt"
	"math"
	"strings"

	"assay/finding"
	"assay/stats"
	"assay/unit"
)

// OutlierLaunches fires when one launch stands far from its siblings. It is kept:
// what happened to it may happen again.
var OutlierLaunches = Check{
	ID: "outlier-launches", Severity: finding.Caution,
	Doc: "A launch stands far from the others, and the result hangs on it.",
	When: "a launch is an outlier among at least five in a headline metric, by trials.outlierPolicy: " +
		"more than ten robust deviations (MAD) from the median, beyond Tukey's outer fences (3 " +
		"interquartile ranges), or either. It is kept, and the result is given with and without it. A " +
		"caution where that changes the result by more than 5 %, a note otherwise",
	Run: outlierLaunches,
}

// fewestForOutliers is the fewest launches of which one can stand out: of three
// equally spaced ones none does, of four half of them make the deviation.
const fewestForOutliers = 5

// outlierMoves is how far the result may move without the launches that stand out:
// differences of that size are what people compare.
const outlierMoves = .05

// A marker is one of the methods of trials.outlierPolicy.
type marker struct {
	mark   func([]float64) []stats.Mark
	beyond string // what lies beyond its limit, in words
}

var markers = map[string]marker{
	"mad":               {stats.MADMarks, "more than ten robust deviations"},
	"tukey_iqr":         {stats.TukeyMarks, "beyond Tukey's outer fences"},
	"tukey_iqr_and_mad": {markedByEither, "beyond Tukey's outer fences or more than ten robust deviations"},
}

func markedByEither(xs []float64) []stats.Mark {
	marks := stats.TukeyMarks(xs)
	for i, other := range stats.MADMarks(xs) {
		marks[i] = max(marks[i], other)
	}
	return marks
}

func outlierLaunches(f *Facts) Answer {
	by, ok := markers[f.Plan.Trials().OutlierPolicy.Method]
	if !ok {
		by = markers["mad"] // a bundle from before the field
	}
	var list []finding.Finding
	enough := false
	for _, row := range f.headlines() {
		if len(row.PerLaunch) < fewestForOutliers {
			continue
		}
		enough = true
		var values []float64
		for _, v := range row.PerLaunch {
			values = append(values, v.Value)
		}
		marks := by.mark(values)
		var out []string
		for i, mark := range marks {
			if mark == stats.Severe {
				out = append(out, fmt.Sprintf("launch %d with %s", row.PerLaunch[i].Launch+1, unit.Format(values[i], row.Unit)))
			}
		}
		if len(out) == 0 {
			continue
		}
		both, err := stats.WithAndWithout(values, marks, func(xs []float64) (stats.Estimate, error) {
			return stats.Mean(xs, f.Estimates.Confidence)
		})
		if err != nil {
			continue // nothing is left without them: they are not outliers
		}
		severity := finding.Note
		if math.Abs(both.Without.Value-both.All.Value) > outlierMoves*math.Abs(both.All.Value) {
			severity = finding.Caution
		}
		list = append(list, finding.Finding{
			Severity: severity,
			Message: fmt.Sprintf("%s: %s of %s stands out (%s): %s with it, %s without",
				rowName(f, row), strings.Join(out, ", "), row.Name+" "+row.Statistic, by.beyond, unit.Format(both.All.Value, row.Unit), unit.Format(both.Without.Value, row.Unit)),
			Why: "flagged and kept: leaving a launch out needs a reason that somebody wrote down",
			Fix: "look in that launch's logs, samples and events for what was different, and run again",
		})
	}
	if !enough {
		return missing(fmt.Sprintf("%d launches of a headline metric", fewestForOutliers))
	}
	return found(list...)
}
