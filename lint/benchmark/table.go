package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
)

// A Table is what one section found.
type Table struct {
	Title   string   `json:"title"`
	Columns []string `json:"columns"` // without that of the verdict
	Rows    []Row    `json:"rows"`
	Notes   []string `json:"notes,omitempty"`
}

// A Row holds a cell for each column, and whether it is as promised.
type Row struct {
	Cells   []string `json:"cells"`
	Verdict Verdict  `json:"verdict"`
}

// A Verdict says whether a row is as promised.
type Verdict string

// The verdicts.
const (
	Kept     Verdict = "kept"
	Broken   Verdict = "broken"
	Contrast Verdict = "contrast" // a wrong way of doing it, shown for what it does
)

// verdictOf is Kept when all is well.
func verdictOf(well bool) Verdict {
	if well {
		return Kept
	}
	return Broken
}

func (t Table) text(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n", t.Title)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s\tverdict\n", strings.Join(t.Columns, "\t"))
	for _, r := range t.Rows {
		fmt.Fprintf(tw, "%s\t%s\n", strings.Join(r.Cells, "\t"), r.Verdict)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, note := range t.Notes {
		fmt.Fprintf(w, "%s\n", note)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// markers are the comments between which the tables of a page stand.
func markers(page string) (begin, end string) {
	return fmt.Sprintf("<!-- %s: begin, written by make bench-%s -->", page, page), fmt.Sprintf("<!-- %s: end -->", page)
}

func markdown(page string, tables []Table, trials int, seed int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Made by `make bench-%s` with %d simulated experiments for each figure and\nseed %d, which give these figures again on any machine.\n", page, trials, seed)
	for _, t := range tables {
		fmt.Fprintf(&b, "\n### %s\n\n", t.Title)
		fmt.Fprintf(&b, "| %s | verdict |\n|%s\n", strings.Join(t.Columns, " | "), strings.Repeat(" --- |", len(t.Columns)+1))
		for _, r := range t.Rows {
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(r.Cells, " | "), r.Verdict)
		}
		if len(t.Notes) > 0 {
			b.WriteString("\n")
		}
		for _, note := range t.Notes {
			fmt.Fprintf(&b, "- %s\n", note)
		}
	}
	b.WriteString("\n### What is not as promised\n\n")
	broken := brokenRows(tables)
	for _, row := range broken {
		fmt.Fprintf(&b, "- %s\n", row)
	}
	if len(broken) == 0 {
		b.WriteString("Nothing.\n")
	}
	return b.String()
}

// replaceIn puts text between the markers of a file.
func replaceIn(path, page, text string) error {
	beginMarker, endMarker := markers(page)
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begins := bytes.Cut(old, []byte(beginMarker))
	_, after, ends := bytes.Cut(rest, []byte(endMarker))
	if !begins || !ends {
		return errors.New(path + ": want the two comments\n" + beginMarker + "\n" + endMarker)
	}
	var b bytes.Buffer
	b.Write(before)
	fmt.Fprintf(&b, "%s\n\n%s\n%s", beginMarker, text, endMarker)
	b.Write(after)
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// brokenRows names the rows that are not as promised.
func brokenRows(tables []Table) []string {
	var list []string
	for _, t := range tables {
		for _, r := range t.Rows {
			if r.Verdict == Broken {
				list = append(list, t.Title+": "+strings.Join(r.Cells, ", "))
			}
		}
	}
	return list
}
