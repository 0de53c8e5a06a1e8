package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"assay/analysis/agreement"
	"assay/unit"
	"assay/visible"
)

// AgreementTitle heads the results of another tool beside our own.
const AgreementTitle = "As reported and recomputed"

// agreementLines is how many results a brief shows, and agreementPoints the most rows
// of points above them: more do not fit a terminal together.
const (
	agreementLines  = 4
	agreementPoints = 3
)

// AgreementTable is every result that another tool reported and assay computes from
// the same requests, with the reason where the two differ.
func (r Report) AgreementTable() Block {
	return r.agreementBlock(r.Agreement)
}

func (r Report) agreementBlock(rows []agreement.Row) Block {
	b := Block{Head: []string{"result", "as reported", "recomputed", "difference", "why they differ"}}
	several := slices.ContainsFunc(r.Agreement, func(row agreement.Row) bool { return row.Point != r.Agreement[0].Point })
	if several {
		b.Head = append([]string{"point"}, b.Head...)
	}
	for _, row := range rows {
		cells := []string{
			agreementName(row), unit.Format(row.Reported, row.Unit), unit.Format(row.Recomputed, row.Unit),
			fmt.Sprintf("%+.1f %%", 100*row.Difference), Dash(row.Why),
		}
		if several {
			cells = append([]string{r.PointName(row.Point)}, cells...)
		}
		b.Rows = append(b.Rows, cells)
	}
	return b
}

func agreementName(row agreement.Row) string {
	if row.Statistic == "value" {
		return row.Quantity
	}
	return row.Quantity + " " + row.Statistic
}

// AgreementText says how many results agree.
func (r Report) AgreementText() string {
	agree := 0
	for _, row := range r.Agreement {
		if row.Agrees() {
			agree++
		}
	}
	return fmt.Sprintf("%d of %d results agree with %s's own within %g %%", agree, len(r.Agreement), visible.Line(r.Source.Tool), 100*agreement.Tolerance)
}

// writeAgreement writes the results that differ, one of each quantity, where the
// points above leave room, and how many agree.
func (r Report) writeAgreement(b *screen, points int) {
	if r.Source == nil || len(r.Reported) == 0 {
		return
	}
	if len(r.Agreement) == 0 {
		fmt.Fprintf(b, "%d values reported by %s are kept in report.json\n", len(r.Reported), visible.Line(r.Source.Tool))
		return
	}
	if list := r.differing(); points <= agreementPoints && len(list) > 0 {
		table := r.agreementBlock(list)
		table.Head = slices.Concat(table.Head[:len(table.Head)-4], []string{"reported", "recomputed", "differs", "why they differ"})
		writeWithRemarks(b, table)
	}
	fmt.Fprintf(b, "%s; all: assay report --all\n", r.AgreementText())
}

// differing are the results that do not agree, the first of each quantity.
func (r Report) differing() (list []agreement.Row) {
	for _, row := range r.Agreement {
		known := slices.ContainsFunc(list, func(have agreement.Row) bool { return have.Quantity == row.Quantity })
		if !row.Agrees() && !known && len(list) < agreementLines {
			list = append(list, row)
		}
	}
	return list
}

// writeWholeAgreement writes every result.
func writeWholeAgreement(b *bytes.Buffer, r Report) {
	table := r.AgreementTable()
	if len(table.Rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\nas reported by %s and recomputed from its requests: %s\n", visible.Line(r.Source.Tool), r.AgreementText())
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{table.Head}, table.Rows...) {
		fmt.Fprintf(t, "  %s\n", strings.Join(each(row, visible.Line), "\t"))
	}
	t.Flush()
}

// writeWithRemarks writes a table whose last column is text: what does not fit the
// terminal is cut there.
func writeWithRemarks(b *screen, table Block) {
	lines := append([][]string{table.Head}, table.Rows...)
	widths, _ := widthsOf(lines)
	for _, row := range lines {
		var cells []string
		for i, cell := range row {
			last := i == len(row)-1
			if cell = visible.Line(cell); !last {
				cell = padded(cell, widths[i], i == 0)
			}
			cells = append(cells, cell)
		}
		fmt.Fprintln(b, cut(strings.Join(cells, "  "), b.width))
	}
}
