package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"assay/claim"
	"assay/finding"
	"assay/judge"
	"assay/metric"
	"assay/plan"
	"assay/unit"
	"assay/visible"
)

// What a terminal holds without scrolling, and how a brief divides it.
const (
	briefWidth    = 100
	briefRows     = 12 // of points
	briefRoomy    = 6  // rows up to which the whole quotable sentence fits
	briefFindings = 4
	briefKnees    = 2
)

// Brief writes the answer alone, for a terminal: what was measured, a row for each
// point, what needs eyes, one sentence to quote and where the rest is. Colour is for
// people who look at it.
func Brief(colour bool) Format {
	return func(w io.Writer, r Report) error {
		var b bytes.Buffer
		r.writeBrief(&b)
		r.writeWhere(&b)
		text := visible.Text(b.String())
		if colour {
			text = coloured(text)
		}
		_, err := io.WriteString(w, text)
		return err
	}
}

func (r Report) writeBrief(b *bytes.Buffer) {
	b.WriteString(r.heading("", "\n"))
	parts := r.Subject()
	if strings.HasPrefix(r.Signature, judge.Unsigned) {
		parts = append(parts, judge.Unsigned)
	}
	for _, line := range wrapped(visible.Line(strings.Join(parts, " · ")), briefWidth) {
		fmt.Fprintln(b, line)
	}
	if strings.HasPrefix(r.Signature, "signed by") {
		fmt.Fprintln(b, shortKey(r.Signature))
	}
	if r.Status != "completed" {
		fmt.Fprintf(b, "%s: %d of %d planned launches completed\n", r.Status, Completed(r.Launches), len(r.Plan.Launches))
	}
	fmt.Fprintln(b)
	rows := 0
	for _, table := range r.headlines(false) {
		rows += len(table.Rows)
		writeAligned(b, table)
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

// headlines are the tables that a run is made for, with intervals where there is room.
func (r Report) headlines(intervals bool) (list []Block) {
	for _, table := range []Block{r.PointTable(intervals), r.trainingTable(), r.collectivesTable(), r.probesTable()} {
		if len(table.Rows) > 0 {
			list = append(list, table)
		}
	}
	return list
}

// trainingTable is one row for each point of training steps.
func (r Report) trainingTable() Block {
	b := Block{Head: []string{"training", "step time p50", "samples/s", "tokens/s", "MFU", "exposed communication", "limit"}}
	for _, p := range r.Plan.Points {
		if p.Kind() != plan.KindSteps {
			continue
		}
		row := []string{p.Name}
		for _, c := range []struct{ id, statistic string }{
			{metric.StepTime.ID, "p50"}, {"training_samples.v1", "value"}, {"training_tokens.v1", "value"}, {"training_mfu.v1", "value"}, {"exposed_communication.v1", "value"},
		} {
			text := "–"
			if one, ok := r.Estimates.Find(c.id, c.statistic, p.Index); ok {
				text = unit.Format(one.Value, one.Unit)
			}
			row = append(row, text)
		}
		b.Rows = append(b.Rows, append(row, r.limitOf(p.Index)))
	}
	return withoutEmpty(b)
}

// limitOf is what holds the steps of a point up, in two or three words.
func (r Report) limitOf(point int) string {
	if r.Training == nil {
		return "–"
	}
	for _, p := range r.Training.Points {
		if p.Point == point {
			return Dash(limits[p.Verdict.Limit])
		}
	}
	return "–"
}

// collectivesTable is one row for each operation, size and number of ranks.
func (r Report) collectivesTable() Block {
	b := Block{Head: []string{"collective", "ranks", "size", "time", "algorithm bandwidth", "bus bandwidth", "wrong"}}
	if r.Collectives == nil {
		return b
	}
	for _, c := range r.Collectives.Rows {
		row := []string{OpText(c.Op, c.InPlace), fmt.Sprint(c.Ranks), unit.Format(float64(c.Bytes), unit.Byte), unit.Format(c.Time.Value, unit.Second), "–", "–", fmt.Sprint(c.Wrong)}
		if c.AlgBW != nil {
			row[4] = unit.Format(c.AlgBW.Value, unit.BytePerSecond)
		}
		if c.BusBW != nil {
			row[5] = unit.Format(c.BusBW.Value, unit.BytePerSecond)
		}
		b.Rows = append(b.Rows, row)
	}
	return withoutEmpty(b)
}

// probesTable is one row for each probe of the hardware.
func (r Report) probesTable() Block {
	b := Block{Head: []string{"probe", "what", "value"}}
	if r.Hardware == nil {
		return b
	}
	for _, h := range r.Hardware.Rows {
		b.Rows = append(b.Rows, []string{probeName(h), h.What, estimated(h.Estimate, h.Unit)})
	}
	return b
}

// writeAnswers writes what a search and MLPerf's rules answer, and what another tool
// said that assay cannot compute again.
func (r Report) writeAnswers(b *bytes.Buffer) {
	if s := r.Search; s != nil && len(s.Launches) > 0 {
		text := fmt.Sprintf("search for the highest %s that keeps %s: %s", s.Kind, strings.Join(s.Objectives, " and "), s.Answer.Sentence(s.Kind, s.Unit))
		for _, line := range wrapped(text, briefWidth) {
			fmt.Fprintln(b, line)
		}
	}
	for i, text := range r.Knees() {
		if i == briefKnees {
			fmt.Fprintln(b, "more knees: assay report --all")
			break
		}
		for _, line := range wrapped(visible.Line(text), briefWidth) {
			fmt.Fprintln(b, line)
		}
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
		fmt.Fprintln(b, cut(fmt.Sprintf("warning: %s%s", visible.Line(r.Warnings[0]), more(n-1)), briefWidth))
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
func (r Report) writeGroups(b *bytes.Buffer) {
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
		line := fmt.Sprintf("%-8s %s: %s", g.Severity, visible.Line(g.Check), visible.Line(g.Message))
		fmt.Fprintln(b, cut(line, briefWidth-utf8.RuneCountInString(where))+where)
	}
	if len(notes) > 0 {
		fmt.Fprintln(b, cut(fmt.Sprintf("%d %s  %s", len(notes), numbered(len(notes), "note", "notes"), visible.Line(strings.Join(notes, ", "))), briefWidth))
	}
}

// writeQuote writes one sentence that may be quoted: all of it where there is room, for
// its conditions are part of it, else where it is.
func (r Report) writeQuote(b *bytes.Buffer, roomy bool) {
	if r.Claims == nil {
		return
	}
	best := HeadClaim(r.Claims.Claims)
	switch {
	case best == nil && len(r.Claims.Refused) > 0:
		fmt.Fprintln(b, cut("not quotable: "+visible.Line(r.Claims.Refused[0].Reason), briefWidth))
	case best == nil:
	case roomy:
		for _, line := range wrapped("quotable: "+visible.Line(best.Sentence), briefWidth) {
			fmt.Fprintln(b, line)
		}
	default:
		fmt.Fprintf(b, "%d quotable %s: assay claim prints them in full\n", len(r.Claims.Claims), numbered(len(r.Claims.Claims), "result", "results"))
	}
}

// HeadClaim is the claim to lead with: the one that was chosen before the run, else the
// highest output throughput, else the first.
func HeadClaim(list []claim.Claim) *claim.Claim {
	var best *claim.Claim
	for i, c := range list {
		if c.Headline {
			return &list[i]
		}
		if c.Metric == metric.OutputThroughput.ID && (best == nil || c.Value > best.Value) {
			best = &list[i]
		}
	}
	if best == nil && len(list) > 0 {
		best = &list[0]
	}
	return best
}

// writeWhere says where the rest is. The page of a bundle that does not verify may be
// forged like the rest of it: a new one has the alarm on top.
func (r Report) writeWhere(b *bytes.Buffer) {
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
