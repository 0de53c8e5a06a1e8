package workbook

import (
	"slices"
	"strings"
	"unicode/utf8"

	"assay/metric"
	"assay/plan"
	"assay/report"
)

// A scenarioSheet is the points that share the shape of their requests.
type scenarioSheet struct {
	name   string
	points []plan.Point
}

// scenarioSheets are the points by scenario; one sheet where there is none.
func scenarioSheets(r report.Report) (sheets []scenarioSheet) {
	for _, p := range bookOrder(r.ServingPoints()) {
		name := p.Scenario
		if name == "" {
			name = "Points"
		}
		if n := len(sheets); n > 0 && sheets[n-1].points[0].Scenario == p.Scenario {
			sheets[n-1].points = append(sheets[n-1].points, p)
			continue
		}
		sheets = append(sheets, scenarioSheet{name, []plan.Point{p}})
	}
	return sheets
}

// pointWidth is the room that the names of points take.
func pointWidth(r report.Report) float64 {
	width := 17
	for _, p := range r.Plan.Points {
		width = max(width, utf8.RuneCountInString(p.Name)+1)
	}
	return float64(min(width, 60))
}

// scenario is one sheet with every statistic of every metric at its points, and
// charts beside it.
func (b *workbook) scenario(r report.Report, of scenarioSheet) {
	s := b.sheet(of.name)
	sided := len(r.Plan.Sides()) > 1
	columns := []bookColumn{{head: "point", width: pointWidth(r)}}
	if sided {
		columns = append(columns, bookColumn{head: "side", width: 10})
	}
	s.table(append(columns, bookColumn{head: "metric", width: 24}, bookColumn{head: "statistic", width: 9}, bookColumn{head: "unit", width: 7},
		bookColumn{head: "value", width: 11}, bookColumn{head: "low", width: 11}, bookColumn{head: "high", width: 11},
		bookColumn{head: "launches (1)", width: 9}, bookColumn{head: "values in the smallest launch (1)", width: 12},
		bookColumn{head: "CV of launches (1)", width: 9}, bookColumn{head: "note", width: 20}, bookColumn{head: "definition", width: 24}))
	in := map[int]string{metric.LaunchPoint: "each launch"}
	for _, p := range of.points {
		in[p.Index] = p.Name
	}
	first := r.Plan.Points[0].Scenario == of.points[0].Scenario // rows of whole launches stand there, once
	for _, row := range r.Estimates.Rows {
		name, ok := in[row.Point]
		if !ok || row.Point == metric.LaunchPoint && !first {
			continue
		}
		cells := []any{name}
		if sided {
			cells = append(cells, row.Side)
		}
		cells = append(cells, strings.TrimSpace(row.Name), row.Statistic, b.unitName(row.Unit))
		cells = append(cells, cellsOfEstimate(row)...)
		s.add(append(cells, row.N, cellSmallest(row), cellRatio(row.CV), cellNote(row), row.Metric)...)
	}
	s.filter()
	s.freeze(0)
	b.charts(s, r, of.points)
}

// cellSmallest is how many values the least launch has; nil where none is known.
func cellSmallest(row metric.Row) any {
	if len(row.PerLaunch) == 0 {
		return nil
	}
	least := slices.MinFunc(row.PerLaunch, func(a, b metric.LaunchValue) int { return a.N - b.N })
	return least.N
}

func cellRatio(v *float64) any {
	if v == nil {
		return nil
	}
	return cellQuantity{*v, "1"}
}

func cellNote(row metric.Row) any {
	notes := strings.Join(row.Warnings, "; ")
	if row.Void != "" {
		notes = strings.TrimSuffix("void: "+row.Void+"; "+notes, "; ")
	}
	return cellText(notes)
}
