package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A page is what a comparison or a gate shows, whatever the face: blocks of
// lines and tables.
type page struct{ blocks []block }

// A block has a title, lines, points of a list and a table, each of which may be
// missing.
type block struct {
	title  string
	lines  []string
	points []string
	head   []string
	rows   [][]string
}

func (p *page) add(b block) {
	if len(b.lines)+len(b.points)+len(b.rows) > 0 {
		p.blocks = append(p.blocks, b)
	}
}

// text writes the page for a terminal.
func (p page) text(w io.Writer) error {
	var b bytes.Buffer
	for i, one := range p.blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		indent := ""
		if one.title != "" {
			fmt.Fprintln(&b, one.title)
			indent = "  "
		}
		for _, line := range one.lines {
			fmt.Fprintf(&b, "%s%s\n", indent, line)
		}
		for _, point := range one.points {
			fmt.Fprintf(&b, "%s- %s\n", indent, point)
		}
		if len(one.rows) == 0 {
			continue
		}
		var table bytes.Buffer
		t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "%s%s\n", indent, strings.Join(one.head, "\t"))
		for _, row := range one.rows {
			fmt.Fprintf(t, "%s%s\n", indent, strings.Join(row, "\t"))
		}
		t.Flush()
		for line := range strings.Lines(table.String()) {
			fmt.Fprintln(&b, strings.TrimRight(line, " \n"))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// markdown writes the page for a pull request.
func (p page) markdown(w io.Writer) error {
	var b bytes.Buffer
	for i, one := range p.blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		if one.title != "" {
			fmt.Fprintf(&b, "### %s\n\n", one.title)
		}
		for j, line := range one.lines {
			if j > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintln(&b, line)
		}
		if len(one.lines) > 0 && len(one.points)+len(one.rows) > 0 {
			b.WriteByte('\n')
		}
		for _, point := range one.points {
			fmt.Fprintf(&b, "- %s\n", point)
		}
		if len(one.points) > 0 && len(one.rows) > 0 {
			b.WriteByte('\n')
		}
		if len(one.rows) > 0 {
			fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(cells(one.head), " | "), strings.Repeat(" --- |", len(one.head)))
		}
		for _, row := range one.rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(cells(row), " | "))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// cells keeps what would end a cell out of it.
func cells(row []string) []string {
	out := make([]string, len(row))
	for i, cell := range row {
		out[i] = strings.NewReplacer("|", `\|`, "\n", " ").Replace(cell)
	}
	return out
}
