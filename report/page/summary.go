package page

import (
	"fmt"

	"assay/report"
)

// summary is the first screen: tiles, one table over all points and the chart that
// answers the question of each kind of measurement, which the sections below then lack.
func (x exhibit) summary(sections ...*part) part {
	p := part{ID: "summary", Title: "Summary", Tiles: x.Tiles()}
	for i, h := range x.Headlines() {
		block := h.Block(report.Page)
		table := part{Head: block.Head, Rows: block.Rows, Table: "wide"}
		if len(block.Head) <= narrowTable {
			table.Table = "fit"
		}
		switch {
		case !x.Serves() && len(table.Rows) > longTable: // charts show the same
			table.Fold = fmt.Sprintf("All %d rows of the table", len(table.Rows))
			p.add(table)
		case i == 0:
			p.Head, p.Rows, p.Table = table.Head, table.Rows, table.Table
		default:
			p.add(table)
		}
	}
	if text := x.VoidLine(); text != "" {
		p.Lines = append(p.Lines, text)
	}
	p.Lines = append(p.Lines, x.Knees()...)
	if text := x.PercentileAdvice(); text != "" {
		p.Lines = append(p.Lines, "A dash stands for too few requests: "+text+".")
	}
	for _, s := range sections {
		if len(s.Charts) > 0 {
			p.Charts, s.Charts = append(p.Charts, s.Charts[0]), s.Charts[1:]
		}
	}
	return p
}

// groupPart is what one check found, wherever it found it.
func groupPart(g report.FindingGroup) part {
	one := findingPart(g)
	if g.Where == "" {
		return one
	}
	one.Title += ", " + g.Where
	one.Parts = nil // the evidence is of the first alone
	rest := part{Fold: fmt.Sprintf("All %d", len(g.All))}
	for _, f := range g.All {
		rest.Points = append(rest.Points, f.Message)
	}
	one.add(rest)
	return one
}
