package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"assay/finding"
	"assay/judge"
	"assay/visible"
)

// What a terminal holds without scrolling, and how a brief divides it.
const (
	briefWidth    = 100
	leastWidth    = 72 // below which lines may break
	briefRows     = 12 // of points
	briefRoomy    = 6  // rows up to which the whole quotable sentence fits
	briefFindings = 4
	briefKnees    = 2
)

// A Look is how a person sees a brief. The zero value is for a file.
type Look struct {
	Colour  bool
	Columns int // of the terminal; 0 where there is none
}

// A screen is a brief while it is written.
type screen struct {
	bytes.Buffer
	width int // of a line, in letters
}

// wrap writes a text in as many lines as it takes.
func (b *screen) wrap(text string) {
	for _, line := range wrapped(text, b.width) {
		fmt.Fprintln(b, line)
	}
}

// Brief writes the answer alone, for a terminal: what was measured, a row for each
// point, what needs eyes, one sentence to quote and where the rest is.
func Brief(look Look) Format {
	return func(w io.Writer, r Report) error {
		b := screen{width: briefWidth}
		if look.Columns > 0 {
			b.width = max(leastWidth, min(look.Columns, briefWidth))
		}
		r.writeBrief(&b)
		r.writeWhere(&b)
		text := visible.Text(b.String())
		if look.Colour {
			text = coloured(text)
		}
		_, err := io.WriteString(w, text)
		return err
	}
}

func (r Report) writeBrief(b *screen) {
	b.WriteString(r.heading("", "\n"))
	parts := r.Subject()
	if strings.HasPrefix(r.Signature, judge.Unsigned) {
		parts = append(parts, judge.Unsigned)
	}
	b.wrap(visible.Line(strings.Join(parts, " · ")))
	if strings.HasPrefix(r.Signature, "signed by") {
		fmt.Fprintln(b, shortKey(r.Signature))
	}
	if r.Status != "completed" {
		fmt.Fprintf(b, "%s: %d of %d planned launches completed\n", r.Status, Completed(r.Launches), len(r.Plan.Launches))
	}
	fmt.Fprintln(b)
	rows := 0
	if !r.Serves() { // a table over loads says the same at a glance
		b.wrap(visible.Line(r.tileLine()))
	}
	for _, h := range r.Headlines() {
		rows += len(h.Rows)
		writeAligned(b, h.In(Terminal))
	}
	if text := r.VoidLine(); text != "" {
		b.wrap(visible.Line(text))
	}
	if text := r.MedianLine(); text != "" {
		b.wrap(visible.Line(text))
	}
	r.writeAgreement(b, rows)
	r.writeAnswers(b)
	if text := r.PercentileAdvice(); text != "" {
		fmt.Fprintln(b, text)
	}
	r.writeGroups(b)
	r.writeQuote(b, rows <= briefRoomy)
}

// shortKey cuts the key out of a sentence about a signature down to what a person
// compares.
func shortKey(signature string) string {
	words := strings.Fields(signature)
	for i, word := range words {
		if key := strings.TrimSuffix(word, ","); len(key) > 40 {
			words[i] = key[:16] + "…" + word[len(key):]
		}
	}
	return strings.Join(words, " ")
}

// writeAnswers writes what a search and MLPerf's rules answer, and what another tool
// said that assay cannot compute again.
func (r Report) writeAnswers(b *screen) {
	if s := r.Search; s != nil && len(s.Launches) > 0 {
		text := fmt.Sprintf("search for the highest %s that keeps %s: %s", s.Kind, strings.Join(s.Objectives, " and "), s.Answer.Sentence(s.Kind, s.Unit))
		b.wrap(text)
	}
	for i, text := range r.Knees() {
		if i == briefKnees {
			fmt.Fprintln(b, "more knees: assay report --all")
			break
		}
		b.wrap(visible.Line(text))
	}
	valid := 0
	for _, one := range r.MLPerf {
		if one.Valid {
			valid++
		}
	}
	if n := len(r.MLPerf); n > 0 {
		fmt.Fprintf(b, "MLPerf LoadGen rules (method only, not a submission): %d of %d valid\n", valid, n)
	}
	if n := len(r.Warnings); n > 0 {
		fmt.Fprintln(b, cut(fmt.Sprintf("warning: %s%s", visible.Line(r.Warnings[0]), more(n-1)), b.width))
	}
}

func more(n int) string {
	if n < 1 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}

// writeGroups writes a line for each check that found something serious, and one for
// all notes.
func (r Report) writeGroups(b *screen) {
	var serious []FindingGroup
	var notes []string
	for _, g := range r.GroupedFindings() {
		if g.Severity == finding.Note {
			notes = append(notes, g.Check)
			continue
		}
		serious = append(serious, g)
	}
	for i, g := range serious {
		if i == briefFindings-1 && len(serious) > briefFindings {
			fmt.Fprintf(b, "%d more findings of this weight: assay lint\n", len(serious)-i)
			break
		}
		where := ""
		if g.Where != "" {
			where = " (" + g.Where + ")"
		}
		line := fmt.Sprintf("%-8s %s%s: %s", g.Severity, visible.Line(g.narrow()), visible.Line(g.Check), visible.Line(g.Message))
		fmt.Fprintln(b, cut(line, b.width-utf8.RuneCountInString(where))+where)
	}
	if len(notes) > 0 {
		fmt.Fprintln(b, cut(fmt.Sprintf("%d %s  %s", len(notes), numbered(len(notes), "note", "notes"), visible.Line(strings.Join(notes, ", "))), b.width))
	}
}

// writeQuote writes one sentence that may be quoted: all of it where there is room, for
// its conditions are part of it, else where it is.
func (r Report) writeQuote(b *screen, roomy bool) {
	if r.Claims == nil {
		return
	}
	best := headClaim(r.Claims.Claims)
	if text := r.HeadlineRefused(); text != "" {
		fmt.Fprintln(b, cut(visible.Line(text), b.width))
	}
	switch {
	case best == nil && len(r.Claims.Refused) > 0:
		fmt.Fprintln(b, cut("not quotable: "+visible.Line(r.Claims.Refused[0].Reason), b.width))
	case best == nil:
	case roomy:
		b.wrap("quotable: " + visible.Line(best.Sentence))
		if days := r.onOtherDays(); days != "" {
			b.wrap(visible.Line(days))
		}
	default:
		fmt.Fprintf(b, "%d quotable %s: assay claim prints them in full\n", len(r.Claims.Claims), numbered(len(r.Claims.Claims), "result", "results"))
	}
}

// writeWhere says where the rest is. The page of a bundle that does not verify may be
// forged like the rest of it: a new one has the alarm on top.
func (r Report) writeWhere(b *screen) {
	if r.Bundle == nil {
		return
	}
	page := filepath.Join(r.Bundle.Dir, "report", "report.html")
	if _, err := os.Stat(page); err != nil || len(r.NotVerified) > 0 {
		page = "assay report --format html " + r.Bundle.Dir
	}
	fmt.Fprintf(b, "page     %s\ndetails  assay report --all %s\n", page, r.Bundle.Dir)
}

// coloured paints what must not be missed. The words say the same.
func coloured(text string) string {
	const bold, red, yellow, dim, off = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[0m"
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, judge.NotVerified), strings.HasPrefix(line, string(finding.Void)+" "):
			line = red + line + off
		case strings.HasPrefix(line, string(finding.Caution)+" "):
			line = yellow + line + off
		case i == 0:
			line = bold + line + off
		case strings.HasPrefix(line, "page "), strings.HasPrefix(line, "details "):
			line = dim + line + off
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
