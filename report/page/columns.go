package page

import "assay/report"

// How many columns a table has room for: beside their intervals, and at all. What is
// wider is cut into tables below each other, each with the names of the rows.
const (
	narrowTable = 8
	wideTable   = 12
)

// fitted makes the tables of a part fit the page.
func (p part) fitted() part {
	if len(p.Head) > narrowTable && p.Table == "" {
		p.Class = joined(p.Class, "many")
	}
	tables := cutColumns(p.Head, p.Rows)
	p.Head, p.Rows = tables[0].Head, tables[0].Rows
	var parts []part
	for _, t := range tables[1:] {
		parts = append(parts, part{Head: t.Head, Rows: t.Rows, Class: "many"})
	}
	for _, one := range p.Parts {
		parts = append(parts, one.fitted())
	}
	p.Parts = parts
	return p
}

// cutColumns parts a table into tables of about as many columns each, none too wide.
func cutColumns(head []string, rows [][]string) []report.Block {
	tables := (len(head) - 2 + wideTable - 1) / (wideTable - 1)
	if tables < 2 {
		return []report.Block{{Head: head, Rows: rows}}
	}
	each := (len(head) - 1 + tables - 1) / tables
	var list []report.Block
	for from := 1; from < len(head); from += each {
		to := min(from+each, len(head))
		one := report.Block{Head: append([]string{head[0]}, head[from:to]...)}
		for _, row := range rows {
			one.Rows = append(one.Rows, append([]string{row[0]}, row[from:to]...))
		}
		list = append(list, one)
	}
	return list
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}
