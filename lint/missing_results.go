package lint

import (
	"fmt"
	"slices"

	"assay/analysis/gate"
	"assay/finding"
	"assay/metric"
)

// MissingRows fires when the candidate lacks what the baseline has.
var MissingRows = Check{
	ID: "missing-results", Code: "G-02", Severity: finding.Void, Pair: true,
	Doc: "What was not measured looks like what did not get worse.",
	When: "the baseline has a metric at a point and the candidate does not (a caution for what is read " +
		"beside the requests); a side lacks a gated metric",
	Run: missingRows,
}

func missingRows(f *Facts) Answer {
	if len(f.Against.Estimates.Rows) == 0 {
		return missing("results of the baseline")
	}
	has := map[string]bool{}
	for _, row := range f.Estimates.Rows {
		has[resultName(f, row)] = true
	}
	var lost, beside []string
	for _, row := range f.Against.Estimates.Rows {
		name := resultName(f.Against, row)
		switch {
		case has[name] || slices.Contains(lost, name) || slices.Contains(beside, name):
		case isBeside(row.Metric):
			beside = append(beside, name)
		default:
			lost = append(lost, name)
		}
	}
	for _, d := range decisions(f) {
		if d.Verdict == gate.Missing {
			lost = append(lost, d.Key+" (gated)")
		}
	}
	var list []finding.Finding
	if len(lost) > 0 {
		list = append(list, finding.Finding{
			Severity: finding.Void,
			Message:  fmt.Sprintf("the candidate lacks %d results that the baseline has: %s", len(lost), summary(lost)),
			Why:      "nothing says that they did not get worse",
			Fix:      "measure what is missing, or compare plans with the same points", Evidence: lost,
		})
	}
	if len(beside) > 0 {
		// What servers and sensors tell may fall silent; it is no benchmark lost.
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("the candidate lacks %d figures read beside the requests: %s", len(beside), summary(beside)),
			Why:      "they cannot be compared, and what they would have shown is not known",
			Fix:      "see why the server's page or the sensors were not read", Evidence: beside,
		})
	}
	return found(list...)
}

// resultName is a metric at a point; statistics of one metric go together.
func resultName(f *Facts, row metric.Row) string {
	if row.Point == metric.LaunchPoint {
		return row.Metric
	}
	return row.Metric + " at " + pointName(f, row.Point)
}

func isBeside(id string) bool {
	return slices.ContainsFunc(metric.All, func(m metric.Metric) bool { return m.ID == id && m.Only(metric.Telemetry) })
}
