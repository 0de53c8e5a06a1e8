package page

import (
	"fmt"
	"io"
	"strings"

	"assay/analysis/scaling"
	"assay/finding"
	"assay/report"
	"assay/stats"
	"assay/unit"
)

// ScalingHTML writes a scaling study as a page, in the order of every other: the
// numbers to take away, one table over sizes, the curve, findings, and then the laws.
func ScalingHTML(w io.Writer, r scaling.Result) error {
	p := document{Title: scalingTitle(r), Kind: "Scaling study"}
	if worst := finding.Worst(r.Findings); worst != "" {
		p.Badges = []badge{{Name: "findings", Value: fmt.Sprintf("%d, the worst a %s", len(r.Findings), worst), Class: "bad"}}
	}
	table, charts := report.ScalingTable(r), scalingCharts(r)
	summary := part{ID: "summary", Title: "Summary", Tiles: report.ScalingTiles(r), Head: table.Head, Rows: table.Rows, Table: "fit", Charts: charts}
	for _, line := range []struct{ name, text string }{{"Held", r.Held}, {"Measured", r.Window}, {"Base audited", r.Audit}} {
		if line.text != "" {
			summary.Lines = append(summary.Lines, line.name+": "+line.text+".")
		}
	}
	found := part{ID: "findings", Title: "Findings"}
	for _, f := range r.Findings {
		found.add(findingPart(report.FindingGroup{Finding: f}))
	}
	if len(r.Findings) == 0 {
		found.Lines = []string{"None."}
	}
	p.Parts = []part{summary, found, {ID: "laws", Title: "Laws and limits", Points: report.ScalingLines(r)}}
	return p.write(w)
}

// scalingTitle says what was scaled, how far, and against what.
func scalingTitle(r scaling.Result) string {
	kind := string(r.Kind)
	return fmt.Sprintf("%s%s scaling of %s · %d to %d workers · against %s", strings.ToUpper(kind[:1]), kind[1:], r.Quantity, r.Rows[0].Workers, r.Rows[len(r.Rows)-1].Workers, r.Baseline)
}

// scaling shows how a run of several world sizes grows.
func (x exhibit) scaling() part {
	p := part{ID: "scaling", Title: "Scaling"}
	if x.Scaling == nil {
		return part{}
	}
	for _, s := range x.Scaling.Studies {
		one := part{Title: s.Name}
		if s.Refused != "" {
			one.Lines = []string{s.Refused}
		} else {
			table := report.ScalingTable(*s.Result)
			one.Lines = []string{report.ScalingTitle(*s.Result) + "."}
			if s.Result.Window != "" {
				one.Lines = append(one.Lines, "Measured: "+s.Result.Window+".")
			}
			one.Charts, one.Head, one.Rows = scalingCharts(*s.Result), table.Head, table.Rows
			one.add(part{Points: report.ScalingLines(*s.Result)})
		}
		p.add(one)
	}
	return p
}

// scalingCharts are speed-up and efficiency over the number of workers, each beside
// what would be ideal or is asked for.
func scalingCharts(r scaling.Result) []chart {
	along := []axis{{Label: "workers"}}
	speedup := chart{Kind: curveChart, Title: "Speed-up by number of workers", X: along, Y: axis{Label: "speed-up"}}
	efficiency := chart{
		Kind: curveChart, Title: "Efficiency by number of workers", X: along, Y: axis{Label: "efficiency"},
		Limits: []limit{{At: num(r.Threshold), Label: fmt.Sprintf("%.3g %%", 100*r.Threshold)}},
	}
	ideal := line{Name: "ideal", Style: 1, Note: "every worker adds as much as the first", X: []nums{nil}}
	base := r.Rows[0]
	for _, row := range r.Rows {
		ideal.X[0] = append(ideal.X[0], float64(row.Workers))
		ideal.Y = append(ideal.Y, base.Speedup.Value*float64(row.Workers)/float64(base.Workers))
	}
	speedup.Series = []line{sizesLine(r, func(row scaling.Row) stats.Estimate { return row.Speedup }), ideal}
	efficiency.Series = []line{sizesLine(r, func(row scaling.Row) stats.Estimate { return row.Efficiency })}
	perWorker := base.Efficiency.Value / base.Speedup.Value * float64(base.Workers)
	for i, law := range r.Fits {
		drawn := line{Name: law.Law, Style: 2 + i, Note: "fitted law", X: []nums{nil}, Band: true}
		share := drawn
		share.X = []nums{nil}
		for _, at := range law.Curve {
			drawn.X[0], drawn.Y = append(drawn.X[0], at[0]), append(drawn.Y, at[1])
			share.X[0], share.Y = append(share.X[0], at[0]), append(share.Y, at[1]*perWorker/at[0])
		}
		speedup.Series, efficiency.Series = append(speedup.Series, drawn), append(efficiency.Series, share)
	}
	efficiency.scaleY(unit.Share)
	return []chart{speedup, efficiency}
}

// sizesLine is one figure over the sizes of a study.
func sizesLine(r scaling.Result, of func(scaling.Row) stats.Estimate) line {
	one := line{Name: "measured", X: []nums{nil}}
	for _, row := range r.Rows {
		e := of(row)
		one.X[0], one.Y = append(one.X[0], float64(row.Workers)), append(one.Y, e.Value)
		one.Lo, one.Hi = append(one.Lo, e.Interval.Lo), append(one.Hi, e.Interval.Hi)
		one.Points, one.Notes = append(one.Points, fmt.Sprintf("%d workers", row.Workers)), append(one.Notes, fmt.Sprintf("%d launches", row.Launches))
	}
	return one
}
