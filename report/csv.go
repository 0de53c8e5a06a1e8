package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/claim"
	"assay/metric"
	"assay/plan"
	"assay/stats"
	"assay/unit"
	"assay/visible"
)

// A csvColumn is one column of the CSV: pandas and spreadsheets read them by name.
type csvColumn struct {
	name string
	of   func(r Report, p plan.Point, row metric.Row) string
}

// csvColumns lists the columns in their order. They are added to at the end and
// keep their meaning.
var csvColumns = []csvColumn{
	{"run", func(r Report, _ plan.Point, _ metric.Row) string { return r.RunID }},
	{"point", func(_ Report, p plan.Point, _ metric.Row) string { return p.Name }},
	{"point_index", func(_ Report, _ plan.Point, row metric.Row) string { return strconv.Itoa(row.Point) }},
	{"concurrency", func(_ Report, p plan.Point, _ metric.Row) string { return unlessZero(float64(p.Concurrency)) }},
	{"rate", func(_ Report, p plan.Point, _ metric.Row) string { return unlessZero(p.Rate) }},
	{"scenario", func(_ Report, p plan.Point, _ metric.Row) string { return p.Scenario }},
	{"batch_size", func(_ Report, p plan.Point, _ metric.Row) string { return unlessZero(float64(p.BatchSize)) }},
	{"side", func(_ Report, _ plan.Point, row metric.Row) string { return row.Side }},
	{"metric", func(_ Report, _ plan.Point, row metric.Row) string { return row.Metric }},
	{"name", func(_ Report, _ plan.Point, row metric.Row) string { return strings.TrimSpace(row.Name) }},
	{"statistic", func(_ Report, _ plan.Point, row metric.Row) string { return row.Statistic }},
	{"unit", func(_ Report, _ plan.Point, row metric.Row) string { return string(row.Unit) }},
	{"better", func(_ Report, _ plan.Point, row metric.Row) string { return string(row.Better) }},
	{"value", func(_ Report, _ plan.Point, row metric.Row) string { return exactly(row.Value) }},
	{"lo", func(_ Report, _ plan.Point, row metric.Row) string { return exactly(row.Interval.Lo) }},
	{"hi", func(_ Report, _ plan.Point, row metric.Row) string { return exactly(row.Interval.Hi) }},
	{"confidence", func(_ Report, _ plan.Point, row metric.Row) string { return exactly(row.Confidence) }},
	{"n", func(_ Report, _ plan.Point, row metric.Row) string { return strconv.Itoa(fewestValues(row)) }},
	{"launches", func(_ Report, _ plan.Point, row metric.Row) string { return strconv.Itoa(len(row.PerLaunch)) }},
	{"cv", func(_ Report, _ plan.Point, row metric.Row) string {
		if row.CV == nil {
			return ""
		}
		return exactly(*row.CV)
	}},
	{"method", func(_ Report, _ plan.Point, row metric.Row) string { return row.Method }},
	{"warnings", func(_ Report, _ plan.Point, row metric.Row) string { return strings.Join(row.Warnings, "; ") }},
	{"status", func(r Report, _ plan.Point, _ metric.Row) string { return string(r.Status) }},
	{"grade", func(r Report, _ plan.Point, row metric.Row) string {
		if r.Claims == nil {
			return ""
		}
		grade, _ := claim.GradeOf(r.Claims.Grade, row.Statistic, len(row.PerLaunch))
		return string(grade)
	}},
	{"signature", func(r Report, _ plan.Point, _ metric.Row) string { return r.Signature }},
	{"certified", func(_ Report, _ plan.Point, row metric.Row) string { return strconv.FormatBool(certified(row)) }},
	{"void", func(_ Report, _ plan.Point, row metric.Row) string { return row.Void }},
}

// CSV writes one row for each estimate, all of them, in the units of the unit
// column: seconds, never milliseconds. An end that is not bounded is empty. Figures
// that another tool computed follow, in its own names and units; the column method
// says whose they are. A bundle that does not verify is headed by a line that no
// reader of tables takes for data. Scores, parts of training steps and what probes found stand
// between.
func CSV(w io.Writer, r Report) error {
	if _, err := io.WriteString(w, r.heading("# ", "\n")); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	var head []string
	for _, c := range csvColumns {
		head = append(head, c.name)
	}
	rows := [][]string{head}
	for _, row := range slices.Concat(r.Estimates.Rows, scoreFigures(r), rankFigures(r), reportedFigures(r)) {
		point, _ := r.Plan.PointByIndex(row.Point) // empty for the launch as a whole
		var cells []string
		for _, c := range csvColumns {
			cells = append(cells, visible.Cell(c.of(r, point, row)))
		}
		rows = append(rows, cells)
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("CSV of %s: %w", r.RunID, err)
	}
	return nil
}

// reportedFigures are what another tool computed, as rows: without an interval, for
// nobody knows one.
func reportedFigures(r Report) (rows []metric.Row) {
	tool := "its source"
	if r.Source != nil {
		tool = r.Source.Tool
	}
	for _, f := range r.Reported {
		row := metric.Row{Metric: f.Metric, Name: f.Name, Statistic: f.Statistic, Unit: unit.Unit(f.Unit), Point: f.Point}
		row.Estimate = stats.Estimate{Value: f.Value, Interval: stats.Unbounded, Confidence: math.NaN(), Method: "as " + tool + " computed it"}
		for _, text := range []string{f.Definition, f.Wrong} {
			if text != "" {
				row.Warnings = append(row.Warnings, text)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// exactly writes every digit of v; nothing where it has no end.
func exactly(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func unlessZero(v float64) string {
	if v == 0 {
		return ""
	}
	return exactly(v)
}

// fewestValues is how many values the smallest launch has.
func fewestValues(row metric.Row) int {
	fewest := 0
	for i, v := range row.PerLaunch {
		if i == 0 || v.N < fewest {
			fewest = v.N
		}
	}
	return fewest
}
