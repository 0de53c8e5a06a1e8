package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/visible"
)

// writeAligned writes a table with figures to the right, at most briefRows of it. Where
// it is too wide, the columns that can be spared go first, and then intervals.
func writeAligned(b *screen, h Headline) {
	t := h.Block(Terminal)
	rows := len(t.Rows)
	if rows > briefRows {
		rows = briefRows - 1
	}
	lines := append([][]string{t.Head}, t.Rows[:rows]...)
	lines = spared(h, lines, b.width)
	widths, total := widthsOf(lines)
	if total > b.width {
		lines = withoutIntervals(lines)
		widths, _ = widthsOf(lines)
	}
	left := !ofNumbers(lines[1:])
	for _, row := range lines {
		var cells []string
		for i, cell := range row {
			cells = append(cells, padded(visible.Line(cell), widths[i], i == 0 && left))
		}
		fmt.Fprintln(b, cut(strings.TrimRight(strings.Join(cells, "  "), " "), b.width))
	}
	if left := len(t.Rows) - rows; left > 0 {
		fmt.Fprintf(b, "%d more rows: assay report --all\n", left)
	}
}

// spared leaves out the columns that a reader misses least, as many as it takes.
func spared(h Headline, lines [][]string, width int) [][]string {
	for i, c := range slices.Backward(h.Columns) {
		if _, total := widthsOf(lines); !c.spare || total <= width {
			continue
		}
		for j, row := range lines {
			lines[j] = slices.Delete(slices.Clone(row), i, i+1)
		}
	}
	return lines
}

// widthsOf are the widths of the columns, and of the lines.
func widthsOf(lines [][]string) (widths []int, total int) {
	widths = make([]int, len(lines[0]))
	for _, row := range lines {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(visible.Line(cell)))
		}
	}
	for _, w := range widths {
		total += w + 2
	}
	return widths, total - 2
}

// withoutIntervals gives up what is widest.
func withoutIntervals(lines [][]string) [][]string {
	var out [][]string
	for _, row := range lines {
		out = append(out, each(row, func(cell string) string {
			value, _, _ := strings.Cut(cell, " [")
			return value
		}))
	}
	return out
}

// ofNumbers reports whether the first column is of numbers.
func ofNumbers(rows [][]string) bool {
	for _, row := range rows {
		if strings.Trim(row[0], "0123456789.") != "" {
			return false
		}
	}
	return true
}

func padded(text string, width int, left bool) string {
	space := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if left {
		return text + space
	}
	return space + text
}

// cut keeps a text on its line.
func cut(text string, width int) string {
	if letters := []rune(text); len(letters) > width {
		return string(letters[:width-1]) + "…"
	}
	return text
}

// wrapped breaks a text at spaces into lines of at most width letters. A longer word
// keeps a line to itself.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
