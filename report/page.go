package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"assay/visible"
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

	marked bool // lines and points are Markdown already, with strangers' words made visible
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
			fmt.Fprintln(&b, visible.Line(one.title))
			indent = "  "
		}
		for _, line := range one.lines {
			fmt.Fprintf(&b, "%s%s\n", indent, visible.Line(line))
		}
		for _, point := range one.points {
			fmt.Fprintf(&b, "%s- %s\n", indent, visible.Line(point))
		}
		if len(one.rows) == 0 {
			continue
		}
		var table bytes.Buffer
		t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "%s%s\n", indent, strings.Join(each(one.head, visible.Line), "\t"))
		for _, row := range one.rows {
			fmt.Fprintf(t, "%s%s\n", indent, strings.Join(each(row, visible.Line), "\t"))
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
			fmt.Fprintf(&b, "### %s\n\n", visible.Markdown(one.title))
		}
		if !one.marked {
			one.lines, one.points = each(one.lines, visible.Markdown), each(one.points, visible.Markdown)
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
			fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(each(one.head, visible.Markdown), " | "), strings.Repeat(" --- |", len(one.head)))
		}
		for _, row := range one.rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(each(row, visible.Markdown), " | "))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// each is the list with every text made safe.
func each(list []string, safe func(string) string) []string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = safe(text)
	}
	return out
}
