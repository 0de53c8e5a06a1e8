package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/metric"
	"assay/stats"
)

// CompareCSV writes a line for each statistic of each candidate, with a heading.
// Columns are added at the end and keep their meaning.
func CompareCSV(w io.Writer, r compare.Report) error {
	rows := [][]string{{
		"baseline", "candidate", "controlled", "point", "metric", "name", "statistic", "unit", "better", "primary",
		"baseline_value", "baseline_lo", "baseline_hi", "candidate_value", "candidate_lo", "candidate_hi",
		"ratio", "ratio_lo", "ratio_hi", "difference", "difference_lo", "difference_hi", "p", "p_corrected", "verdict", "detectable", "certified",
	}}
	for _, c := range r.Comparisons {
		for _, row := range c.Rows {
			line := []string{
				r.Baseline.Label, c.Candidate.Label, strconv.FormatBool(c.Controlled), row.Point, row.Metric, row.Name, row.Statistic,
				string(row.Unit), string(row.Better), strconv.FormatBool(row.Primary),
			}
			for _, e := range []*stats.Estimate{&row.Baseline, &row.Candidate, row.Ratio, row.Difference} {
				line = append(line, estimateCells(e)...)
			}
			var p, corrected *float64
			if row.P != nil {
				p, corrected = &row.P.P, &row.P.Corrected
			}
			rows = append(rows, append(line, numberCell(p), numberCell(corrected), string(row.Verdict), numberCell(row.Detectable), strconv.FormatBool(enough(row))))
		}
		rows = append(rows, qualityLines(r.Baseline.Label, c)...)
	}
	return writeCSV(w, rows)
}

// qualityLines are those of the tasks, as statistic score.
func qualityLines(baseline string, c compare.Comparison) [][]string {
	if c.Quality == nil {
		return nil
	}
	var rows [][]string
	for _, row := range c.Quality.Rows {
		better := metric.Higher
		if row.Lower {
			better = metric.Lower
		}
		line := []string{
			baseline, c.Candidate.Label, strconv.FormatBool(c.Controlled), row.Point, row.Task + "." + row.Grader, row.Task, "score",
			"", string(better), strconv.FormatBool(row.Primary),
		}
		difference := stats.Estimate{Value: row.Difference.Value, Interval: row.Bounds}
		for _, e := range []*stats.Estimate{nil, nil, nil, &difference} {
			line = append(line, estimateCells(e)...)
		}
		line[10], line[13] = exactly(row.Baseline), exactly(row.Candidate)
		rows = append(rows, append(line, exactly(row.Test.P), exactly(row.Adjusted), string(row.Verdict), unlessZero(row.Detectable), "true"))
	}
	return rows
}

// GateCSV writes a line for each metric, guard, measure of quality and finding of a
// gate, with a heading. Columns are added at the end and keep their meaning.
func GateCSV(w io.Writer, r gate.Result) error {
	rows := [][]string{{
		"policy", "passed", "advisory", "kind", "about", "verdict", "ratio", "ratio_lo", "ratio_hi", "difference", "difference_lo", "difference_hi",
		"margin", "absolute_margin", "p", "p_corrected", "detectable", "launches_baseline", "launches_candidate", "reason",
	}}
	head := []string{r.Policy, strconv.FormatBool(r.Passed), strconv.FormatBool(r.Advisory)}
	decided := func(kind string, d gate.Decision) {
		line := append(append([]string{}, head...), kind, d.Key, string(d.Verdict))
		line = append(append(line, estimateCells(d.Ratio)...), estimateCells(d.Difference)...)
		rows = append(rows, append(line, unlessZero(d.Margin), unlessZero(d.Absolute), numberCell(d.P), numberCell(d.Corrected), numberCell(d.Detectable),
			strconv.Itoa(d.Launches[0]), strconv.Itoa(d.Launches[1]), d.Reason))
	}
	for _, d := range r.Metrics {
		decided("metric", d)
	}
	for _, d := range r.Guards {
		decided("guard", d.Decision)
	}
	for _, d := range r.Accuracy {
		one := gate.Decision{Key: d.Metric, Verdict: d.Verdict, Reason: d.Reason, Absolute: d.Tolerance}
		if d.Delta != nil {
			one.Difference = &stats.Estimate{Value: d.Delta.Value, Interval: d.Delta.Interval}
		}
		decided("accuracy", one)
	}
	for _, f := range r.Findings {
		decided("audit", gate.Decision{Key: f.Name(), Verdict: gate.Verdict(f.Severity), Reason: f.Message})
	}
	return writeCSV(w, rows)
}

func estimateCells(e *stats.Estimate) []string {
	if e == nil {
		return []string{"", "", ""}
	}
	return []string{exactly(e.Value), exactly(e.Interval.Lo), exactly(e.Interval.Hi)}
}

func numberCell(v *float64) string {
	if v == nil {
		return ""
	}
	return exactly(*v)
}

func writeCSV(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	if err := out.WriteAll(rows); err != nil {
		return err
	}
	return out.Error()
}
