package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/bundle"
	"assay/claim"
	"assay/metric"
	"assay/plan"
	"assay/unit"
	"assay/visible"
)

// Markdown writes the report for a pull request, in the order of the page: what was
// measured, one table over all points, what speaks against it, what may be quoted,
// then the figures of each point.
func Markdown(w io.Writer, r Report) error {
	marked := ""
	if alarm := r.Alarm(); alarm != "" {
		marked = "> **" + visible.Markdown(alarm) + "**\n\n"
	}
	title := strings.Join(r.Subject(), " · ")
	if _, err := fmt.Fprintf(w, "%s## %s\n\n", marked, visible.Markdown(title)); err != nil {
		return err
	}
	var p Outline
	p.add(r.tilesBlock())
	for _, h := range r.Headlines() {
		p.add(h.Block(Page))
	}
	if text := r.VoidLine(); text != "" {
		p.add(Block{Lines: []string{text}})
	}
	p.add(Block{Lines: r.Knees()})
	if text := r.PercentileAdvice(); text != "" {
		p.add(Block{Lines: []string{"A dash stands for too few requests: " + text + "."}})
	}
	p.add(Block{Title: "Findings", Points: findingPoints(r), marked: true})
	p.add(Block{Title: "Quotable results", Lines: quotable(r), marked: true})
	for _, b := range r.rankBlocks() {
		p.add(b)
	}
	p.addPoints(r)
	if table := r.AgreementTable(); len(table.Rows) > 0 {
		table.Title, table.Lines = AgreementTitle, []string{r.AgreementText() + "."}
		p.add(table)
	}
	if rows := reportedRows(r); len(rows) > 0 {
		p.add(Block{Title: "Figures as the source computed them", Lines: []string{"assay repeats them and vouches for none."}, Head: []string{"point", "figure", "statistic", "value", "remark"}, Rows: rows})
	}
	p.add(Block{Title: "Where it comes from", Lines: provenance(r), marked: true})
	return p.markdown(w)
}

// quotable is what may be said about the run, and its grade.
func quotable(r Report) (lines []string) {
	s := r.Plan.Decided()
	if r.Claims == nil {
		lines = append(lines, "Nothing was judged that could be quoted.")
	} else {
		lines = append(lines, sentences(*r.Claims)...)
		grade := "**Grade:** " + string(r.Claims.Grade)
		if len(r.Claims.Downgrades) > 0 {
			grade += ": " + visible.Markdown(strings.Join(r.Claims.Downgrades, "; "))
		}
		lines = append(lines, grade, "**Division:** "+visible.Markdown(r.Claims.Division.Reasoned()))
	}
	if s.Target != nil {
		for _, side := range s.Sides() {
			about := fmt.Sprintf("%s, model %s, %s", side.Target.API, side.Target.Model, loadText(s.Workload))
			lines = append(lines, fmt.Sprintf("**%s:** %s", visible.Markdown(SideHead(side.Name)), visible.Markdown(about)))
		}
	}
	return lines
}

// mostRefused is how many reasons are shown where nothing may be quoted.
const mostRefused = 5

// sentences are the result to lead with, or why there is none; a reader opens the
// rest.
func sentences(c claim.Claims) []string {
	head := headClaim(c.Claims)
	var shown, allowed, refused []string
	for i, one := range c.Claims {
		text := "> " + visible.Markdown(one.Sentence)
		if head == &c.Claims[i] {
			shown = append(shown, text)
			continue
		}
		allowed = append(allowed, text)
	}
	for _, one := range c.Refused {
		refused = append(refused, visible.Markdown(fmt.Sprintf("Not quotable: %s: %s", one.What, one.Reason)))
	}
	if head == nil {
		few := min(len(refused), mostRefused)
		shown = append([]string{"> Nothing may be quoted."}, refused[:few]...)
		refused = refused[few:]
	}
	return append(shown, folded(allowed, refused)...)
}

// folded is what a reader opens.
func folded(allowed, refused []string) []string {
	var parts []string
	if len(allowed) > 0 {
		parts = append(parts, fmt.Sprintf("%d more", len(allowed)))
	}
	if len(refused) > 0 {
		parts = append(parts, fmt.Sprintf("%d not quotable", len(refused)))
	}
	if len(parts) == 0 {
		return nil
	}
	return slices.Concat([]string{"<details><summary>" + strings.Join(parts, ", ") + "</summary>"}, allowed, refused, []string{"</details>"})
}

func findingPoints(r Report) (points []string) {
	for _, g := range r.GroupedFindings() {
		text := g.Message
		if g.Fix != "" {
			text += ". To do: " + g.Fix
		}
		where := ""
		if g.Where != "" {
			where = " (" + g.Where + ")"
		}
		points = append(points, fmt.Sprintf("**%s** `%s`%s: %s", g.Severity, g.Check, where, visible.Markdown(text)))
	}
	return points
}

// fullTables is how many points have tables of their own; more would bury what a
// reviewer looks for.
const fullTables = 4

func (p *Outline) addPoints(r Report) {
	var full []Block
	for _, point := range r.ServingPoints() {
		for _, side := range r.SideNames() {
			one := r
			one.Estimates = r.Estimates.Of(side)
			if !Measured(one.Estimates, point.Index) {
				continue
			}
			title := point.Name
			if side != "" {
				title += ", " + side
			}
			full = append(full, pointBlock(one, point, title))
		}
	}
	if len(full) > fullTables {
		p.add(Block{Lines: []string{"`assay report --all` has every figure of every point."}, marked: true})
		return
	}
	for _, b := range full {
		p.add(b)
	}
}

func intervalLine(r Report) string {
	return fmt.Sprintf("Value [%g %% interval over launches].", 100*r.Estimates.Confidence)
}

// pointBlock is the table of one point.
func pointBlock(r Report, point plan.Point, title string) Block {
	b := Block{Title: title, Lines: []string{intervalLine(r)}, Head: []string{"metric", "value or mean", "p50", "p90", "p95", "p99", "n per launch"}}
	for _, m := range metric.All {
		if !r.Shown(m) || !m.About(point.Kind()) {
			continue
		}
		if row, ok := r.Estimates.Find(m.ID, "value", point.Index); ok {
			b.Rows = append(b.Rows, []string{strings.TrimSpace(m.Name), Value(row), "", "", "", "", ""})
			continue
		}
		median, ok := r.Estimates.Find(m.ID, "p50", point.Index)
		if !ok {
			continue
		}
		cells := []string{strings.TrimSpace(m.Name)}
		for _, statistic := range columns {
			cells = append(cells, cell(r.Estimates, m, statistic, point.Index))
		}
		b.Rows = append(b.Rows, append(cells, Sizes(median)))
	}
	b.Rows = append(b.Rows, []string{"outcomes", counts(r.Estimates, point.Index), "", "", "", "", ""})
	return b
}

// withoutEmpty leaves out the columns in which no row has anything.
func withoutEmpty(b Block) Block {
	for column := len(b.Head) - 1; column > 0; column-- {
		if slices.ContainsFunc(b.Rows, func(row []string) bool { return row[column] != "–" }) {
			continue
		}
		b.Head = slices.Delete(slices.Clone(b.Head), column, column+1)
		for i := range b.Rows {
			b.Rows[i] = slices.Delete(b.Rows[i], column, column+1)
		}
	}
	return b
}

// SideNames lists the sides of a run; one without a name where there is but one.
func (r Report) SideNames() []string {
	sides := r.Plan.Sides()
	if len(sides) < 2 {
		return []string{""}
	}
	var names []string
	for _, s := range sides {
		names = append(names, s.Name)
	}
	return names
}

func reportedRows(r Report) (rows [][]string) {
	for _, f := range r.Reported {
		remark := f.Definition
		if f.Wrong != "" {
			remark = "wrong: " + f.Wrong
		}
		rows = append(rows, []string{r.PointName(f.Point), f.Name, f.Statistic, unit.Format(f.Value, unit.Unit(f.Unit)), remark})
	}
	return rows
}

// provenance says who measured what and who vouches for it.
func provenance(r Report) []string {
	line := fmt.Sprintf("%s: %s, %d of %d planned launches completed; workload `%s`; judged by assay %s; %s.",
		visible.Markdown(r.RunID), r.Status, Completed(r.Launches), len(r.Plan.Launches), r.Plan.WorkloadDigest,
		visible.Markdown(r.Estimates.Code), visible.Markdown(r.Signature))
	lines := []string{line}
	if r.Source != nil {
		lines = append(lines, visible.Markdown(sourceSentence(r.Source)))
	}
	for _, l := range r.Estimates.LeftOut {
		lines = append(lines, fmt.Sprintf("Launch %d is left out of every estimate: %s.", l.Launch+1, visible.Markdown(l.Reason)))
	}
	if text := UnactedText(r.Unacted); text != "" {
		lines = append(lines, "Not acted on: "+visible.Markdown(text)+".")
	}
	if text := Unseen(r); text != "" {
		lines = append(lines, text)
	}
	return append(lines, each(r.Warnings, visible.Markdown)...)
}

// sourceSentence says that another tool measured, and what it does not tell.
func sourceSentence(source *bundle.Source) string {
	text := "Source: " + SourceLine(source) + "."
	if unknown := gapNames(source); unknown != "" {
		text += " It does not tell: " + unknown + "."
	}
	return text
}
