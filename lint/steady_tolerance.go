package lint

import (
	"math"
	"slices"

	"assay/analysis/steady"
	"assay/metric"
)

// seriesMetrics are the metrics whose requests a series holds.
var seriesMetrics = map[string]metric.Metric{steady.TTFT: metric.TTFT, steady.TPOT: metric.TPOT, steady.Whole: metric.E2E}

// immaterial reports whether the movement of a series says nothing about the system:
// the client errs by as much, or the interval that is printed beside the figure is as
// wide. A large movement is reported whatever the interval: launches that drift alike have
// a narrow one, launches that drift apart a wide one.
func (f *Facts) immaterial(point int, w spotted) bool {
	of, known := seriesMetrics[w.series.Name]
	if !known {
		return false
	}
	moved := math.Abs(w.off) * w.series.Window.Median
	if moved <= f.clientError(point, w.launch, of) {
		return true
	}
	reported, ok := f.rowOfLaunch(of, "p50", point, w.launch)
	return ok && math.Abs(w.off) < voidOff && reported.Interval.Bounded() && moved <= (reported.Interval.Hi-reported.Interval.Lo)/2
}

// clientError is how far the client alone moves a latency in a launch, in seconds: its
// own error and, where the latency counts from when a call was due, the usual send lag.
func (f *Facts) clientError(point, launch int, of metric.Metric) (seconds float64) {
	if b := f.Client.Bounds; b != nil {
		seconds = b.TTFT.Seconds
		if of.ID == metric.TPOT.ID {
			seconds = b.Gap.Seconds
		}
	}
	if of.ID == metric.TPOT.ID {
		return seconds
	}
	if lag, ok := f.rowOfLaunch(metric.Lag, "p90", point, launch); ok {
		i := slices.IndexFunc(lag.PerLaunch, func(v metric.LaunchValue) bool { return v.Launch == launch })
		seconds += lag.PerLaunch[i].Value
	}
	return seconds
}

// rowOfLaunch is the row of a figure at a point, of the side that a launch is of.
func (f *Facts) rowOfLaunch(of metric.Metric, statistic string, point, launch int) (metric.Row, bool) {
	for _, row := range rowsOf(f, of.ID, statistic) {
		if row.Point == point && slices.ContainsFunc(row.PerLaunch, func(v metric.LaunchValue) bool { return v.Launch == launch }) {
			return row, true
		}
	}
	return metric.Row{}, false
}
