package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"assay/visible"
)

// An Outline is what a comparison or a gate shows, whatever the face: blocks of
// lines and tables.
type Outline struct{ Blocks []Block }

// A Block has a title, lines, points of a list and a table, each of which may be
// missing.
type Block struct {
	Title  string
	Lines  []string
	Points []string
	Head   []string
	Rows   [][]string

	marked bool // lines and points are Markdown already, with strangers' words made visible
}

func (p *Outline) add(b Block) {
	if len(b.Lines)+len(b.Points)+len(b.Rows) > 0 {
		p.Blocks = append(p.Blocks, b)
	}
}

// text writes the page for a terminal.
func (p Outline) text(w io.Writer) error {
	var b bytes.Buffer
	for i, one := range p.Blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		indent := ""
		if one.Title != "" {
			fmt.Fprintln(&b, visible.Line(one.Title))
			indent = "  "
		}
		for _, line := range one.Lines {
			fmt.Fprintf(&b, "%s%s\n", indent, visible.Line(line))
		}
		for _, point := range one.Points {
			fmt.Fprintf(&b, "%s- %s\n", indent, visible.Line(point))
		}
		if len(one.Rows) == 0 {
			continue
		}
		var table bytes.Buffer
		t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "%s%s\n", indent, strings.Join(each(one.Head, visible.Line), "\t"))
		for _, row := range one.Rows {
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
func (p Outline) markdown(w io.Writer) error {
	var b bytes.Buffer
	for i, one := range p.Blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		if one.Title != "" {
			fmt.Fprintf(&b, "### %s\n\n", visible.Markdown(one.Title))
		}
		if !one.marked {
			one.Lines, one.Points = each(one.Lines, visible.Markdown), each(one.Points, visible.Markdown)
		}
		for j, line := range one.Lines {
			if j > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintln(&b, line)
		}
		if len(one.Lines) > 0 && len(one.Points)+len(one.Rows) > 0 {
			b.WriteByte('\n')
		}
		for _, point := range one.Points {
			fmt.Fprintf(&b, "- %s\n", point)
		}
		if len(one.Points) > 0 && len(one.Rows) > 0 {
			b.WriteByte('\n')
		}
		if len(one.Rows) > 0 {
			fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(each(one.Head, visible.Markdown), " | "), strings.Repeat(" --- |", len(one.Head)))
		}
		for _, row := range one.Rows {
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
